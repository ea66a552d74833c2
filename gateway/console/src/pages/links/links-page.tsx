import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Failure } from '../../api/failure.js';
import {
  exportAddress,
  listLinks,
  type BulkChange,
  type BulkResult,
  type Link,
  type LinkFilters,
} from '../../api/links.js';
import { useLoad } from '../../app/load.js';
import { wantsCreateField } from '../../app/shortcuts.js';
import { can, workspace } from '../../app/session.js';
import { Part } from '../../components/boundary.js';
import { Confirm } from '../../components/dialog.js';
import { pageHeading, replaceLostFocus } from '../../components/focus.js';
import { lazy } from '../../components/lazy.js';
import { Icon } from '../../components/icon.js';
import { FailureText, LoadNotice, Notice } from '../../components/notice.js';
import { Page } from '../../components/page.js';
import { FailureNotice } from '../../components/task.js';
import { showToast } from '../../components/toast.js';
import { contentRoute } from '../../config/config.js';
import { formatNumber } from '../../format/format.js';
import { t } from '../../messages/messages.js';
import type { BulkBarProps } from './bulk-bar.js';
import { ensure } from './catalogue.js';
import { applyChange } from './change-links.js';
import { CreateLink } from './create-link.js';
import { FilterBar } from './filter-bar.js';
import { readKeptList, type KeptList, type LinkPage } from './kept-lists.js';
import { addressOf, LinkTable, LoadingRows } from './link-table.js';
import { useMoreLinks } from './more-links.js';
import { clearFilters, hasFilters, readFilters } from './query.js';
import { QuotaMeter } from './quota-meter.js';

const EmptyLinks = lazy(() => import('./empty-links.js'));
const BulkBar = lazy<BulkBarProps>(() => import('./bulk-bar.js'));

const REFRESH_MS = 5000;
const LOAD_MARGIN = '800px 0px';

export default function LinksPage() {
  const filters = readFilters();
  const key = JSON.stringify(filters);
  const { state, reload } = useLoad(key, async () => ({ key, page: await listLinks(workspace.value, filters) }));
  const { data: loaded, failure } = state.value;
  const kept = useMemo(() => readKeptList(key), [key]);
  const isLoaded = loaded?.key === key;
  const page = isLoaded ? loaded.page : (kept?.first ?? loaded?.page);
  const links = page?.data ?? [];
  const [newId, setNewId] = useState<string>();
  useFolders(links);
  useRefresh(reload);

  const isCurrent = isLoaded || kept !== undefined;
  // Another list takes the place of the shown one when it has come: building its rows at once would delay the next paint.
  const shown = useRef(key);
  if (isCurrent) shown.current = key;
  const isEmpty = isCurrent && page?.meta.total === 0 && !hasFilters(filters);
  useEffect(() => {
    // In an empty workspace there is nothing else to do; on a phone the keyboard would cover the first steps.
    if (isEmpty && matchMedia('(pointer: fine)').matches) wantsCreateField.value = true;
  }, [isEmpty]);
  return (
    <Page
      title={t.links.title}
      actions={
        <>
          {page && <QuotaMeter changes={page.meta.total} />}
          {!isEmpty && <ExportLink filters={filters} class="button wide-only" />}
        </>
      }
    >
      <div class="stack">
        {failure && <LoadNotice loaded={state.value} />}
        {can(contentRoute('create')) && (
          <Part>
            <CreateLink
              onCreated={(link) => {
                setNewId(link.id);
                void reload(true);
              }}
            />
          </Part>
        )}
        {isEmpty ? (
          <EmptyLinks />
        ) : (
          <section class="panel">
            <FilterBar filters={filters} />
            <Part>
              <LinkList key={shown.current} {...{ filters, page, isCurrent, kept, newId, reload }} />
            </Part>
          </section>
        )}
      </div>
    </Page>
  );
}

interface ListProps {
  filters: ReturnType<typeof readFilters>;
  page: LinkPage | undefined;
  isCurrent: boolean;
  kept: KeptList | undefined;
  newId: string | undefined;
  reload: (isQuiet?: boolean) => Promise<void>;
}

/** The rows, and what the user does with them; other filters start with nothing selected. */
function LinkList({ filters, page, isCurrent, kept, newId, reload }: ListProps) {
  const more = useMoreLinks(filters, { page, isCurrent, kept });
  const links = more.chunks.flat();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [asked, ask] = useState<string[]>();
  const [outcome, setOutcome] = useState<Outcome>();

  const select = (ids: readonly string[], isSelected: boolean) => {
    const next = new Set(selected);
    for (const id of ids) next[isSelected ? 'add' : 'delete'](id);
    setSelected(next);
  };
  const change = async (ids: string[], wanted: BulkChange) => {
    setOutcome(undefined);
    const { results, failure } = await applyChange(ids, wanted);
    const failed = results.filter(({ error }) => error);
    const changed = results.flatMap(({ id, error }) => (error ? [] : [id]));
    // Links that were not tried stay selected.
    select(
      results.map(({ id }) => id),
      false,
    );
    more.apply(changed, wanted);
    if (failure || failed.length > 0)
      setOutcome({ count: ids.length, changed: changed.length, failed, failure, links });
    else tell(ids, wanted, change);
    await reload(true);
    requestAnimationFrame(() => replaceLostFocus(pageHeading()));
  };
  const request = (ids: string[], wanted: BulkChange) => {
    if (wanted.action === 'delete') ask(ids);
    else void change(ids, wanted);
  };
  const chosen = links.filter(({ id }) => selected.has(id));
  return (
    <>
      {outcome && <OutcomeList outcome={outcome} />}
      {page === undefined && <LoadingRows />}
      {page !== undefined && links.length > 0 && (
        <LinkTable
          {...{ chunks: more.chunks, spaces: more.spaces, total: page.meta.total, sort: filters.sort, selected, newId }}
          onSelect={select}
          onChange={request}
        />
      )}
      {page !== undefined && links.length === 0 && (
        <p class="none">
          {t.links.noneFound}{' '}
          <button type="button" class="link-button" onClick={clearFilters}>
            {t.links.clearFilters}
          </button>
        </p>
      )}
      {page !== undefined && links.length > 0 && (
        <Foot {...more} filters={filters} shown={links.length} total={page.meta.total} />
      )}
      {chosen.length > 0 && (
        <BulkBar
          chosen={chosen}
          onChange={(wanted) =>
            request(
              chosen.map(({ id }) => id),
              wanted,
            )
          }
          onClear={() => setSelected(new Set())}
        />
      )}
      {asked && (
        <Confirm
          title={t.links.confirmDelete.title(asked.length, formatNumber(asked.length))}
          body={t.links.confirmDelete.body}
          yes={t.links.confirmDelete.yes(asked.length, formatNumber(asked.length))}
          no={t.links.confirmDelete.no(asked.length)}
          onConfirm={() => void change(asked, { action: 'delete' })}
          onClose={() => ask(undefined)}
        />
      )}
    </>
  );
}

interface Outcome {
  count: number;
  changed: number;
  failed: BulkResult[];
  /** The reason why the others were not tried. */
  failure: Failure | undefined;
  links: readonly Link[];
}

/** Archiving can be undone from the message that reports it. */
function tell(ids: string[], wanted: BulkChange, change: (ids: string[], wanted: BulkChange) => Promise<void>): void {
  const text = t.links.done[wanted.action](ids.length, formatNumber(ids.length));
  const undo = { label: t.links.reactivate, run: () => void change(ids, { action: 'reactivate' }) };
  showToast({ text, ...(wanted.action === 'archive' && { action: undo }) });
}

function OutcomeList({ outcome: { count, changed, failed, failure, links } }: { outcome: Outcome }) {
  return (
    <Notice kind="danger" icon="alert" role="alert">
      {failure && <FailureText failure={failure} />}{' '}
      {failure && changed > 0 && t.links.changedSome(formatNumber(changed), count, formatNumber(count))}
      {failed.length > 0 && (
        <>
          <p>{t.links.failedSome(formatNumber(failed.length), count, formatNumber(count))}</p>
          <ul>
            {failed.map(({ id, error }) => {
              const link = links.find((each) => each.id === id);
              return (
                <li key={id}>
                  <strong>{link ? addressOf(link).text : id}</strong>: {error!.message}
                </li>
              );
            })}
          </ul>
        </>
      )}
    </Notice>
  );
}

interface FootProps {
  filters: LinkFilters;
  shown: number;
  total: number;
  hasMore: boolean;
  failure: Failure | undefined;
  load: () => Promise<unknown>;
}

/** Loads further links when the user scrolls near it, or presses its button. */
function Foot({ filters, shown, total, hasMore, failure, load }: FootProps) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!hasMore || failure) return;
    const observer = new IntersectionObserver((entries) => void (entries.at(-1)!.isIntersecting && load()), {
      rootMargin: LOAD_MARGIN,
    });
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, [hasMore, shown, failure]);
  return (
    <div class="panel-foot" ref={element}>
      <span>
        {shown < total
          ? t.links.range('1', formatNumber(shown), formatNumber(total))
          : t.links.all(total, formatNumber(total))}
      </span>
      <FailureNotice failure={failure} />
      {hasMore && (
        <button type="button" class="button quiet small" onClick={() => void load()}>
          {t.links.more}
        </button>
      )}
      {/* On a phone the field for a new link comes first. */}
      <ExportLink filters={filters} class="button small narrow-only" />
    </div>
  );
}

function ExportLink({ filters, class: className }: { filters: LinkFilters; class: string }) {
  if (!can(contentRoute('export'))) return null;
  return (
    <a class={className} href={exportAddress(workspace.value, filters)} download>
      <Icon name="export" />
      {t.exportCsv}
    </a>
  );
}

function useFolders(links: readonly Link[]): void {
  const isNeeded = links.some(({ folder_id }) => folder_id !== null);
  useEffect(() => {
    if (isNeeded) void ensure('folders');
  }, [isNeeded]);
}

/** Scans appear without a reload while the page is visible. */
function useRefresh(reload: (isQuiet?: boolean) => Promise<void>): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void reload(true);
    }, REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
}
