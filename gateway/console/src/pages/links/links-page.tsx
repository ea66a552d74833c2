import { useEffect, useState } from 'preact/hooks';
import { asFailure, type Failure } from '../../api/failure.js';
import { fetchWeeks, listLinks, type BulkChange, type BulkResult, type Link } from '../../api/links.js';
import { contentRoute } from '../../app/config.js';
import { useLoad } from '../../app/load.js';
import { setQuery } from '../../app/router.js';
import { can, workspace } from '../../app/session.js';
import { Confirm } from '../../components/dialog.js';
import { failureText, LoadNotice, Notice } from '../../components/notice.js';
import { Page } from '../../components/page.js';
import { showToast } from '../../components/toast.js';
import { formatNumber } from '../../format/format.js';
import { t } from '../../messages/messages.js';
import { BulkBar } from './bulk-bar.js';
import { ensure } from './catalogue.js';
import { applyChange } from './change-links.js';
import { CreateLink } from './create-link.js';
import { EmptyLinks } from './empty-links.js';
import { FilterBar } from './filter-bar.js';
import { addressOf, LinkTable, LoadingRows, mayReadWeeks } from './link-table.js';
import { clearFilters, hasFilters, readFilters } from './query.js';
import { QuotaMeter } from './quota-meter.js';

const REFRESH_MS = 5000;

export default function LinksPage() {
  const filters = readFilters();
  const key = JSON.stringify(filters);
  const { state, reload } = useLoad(key, () => listLinks(workspace.value, filters));
  const { data: page, failure } = state.value;
  const links = page?.data ?? [];
  const [newId, setNewId] = useState<string>();
  const weeks = useWeeks(links);
  useFolders(links);
  useRefresh(reload);

  const isEmpty = page !== undefined && page.meta.total === 0 && !hasFilters(filters);
  return (
    <Page title={t.links.title} actions={page && <QuotaMeter changes={page.meta.total} />}>
      <div class="stack">
        {failure && <LoadNotice loaded={state.value} />}
        {can(contentRoute('create')) && (
          <CreateLink
            onCreated={(link) => {
              setNewId(link.id);
              void reload(true);
            }}
          />
        )}
        {isEmpty ? <EmptyLinks /> : <LinkList key={key} {...{ filters, page, links, weeks, newId, reload }} />}
      </div>
    </Page>
  );
}

interface ListProps {
  filters: ReturnType<typeof readFilters>;
  page: Awaited<ReturnType<typeof listLinks>> | undefined;
  links: Link[];
  weeks: Map<string, number[]> | undefined;
  newId: string | undefined;
  reload: (isQuiet?: boolean) => Promise<void>;
}

function LinkList({ filters, page, links, weeks, newId, reload }: ListProps) {
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
    try {
      const results = await applyChange(ids, wanted);
      const failed = results.filter(({ error }) => error);
      select(ids, false);
      if (failed.length > 0) setOutcome({ count: ids.length, failed, links });
      else tell(ids, wanted, change);
    } catch (error) {
      setOutcome({ failure: asFailure(error) });
    }
    await reload(true);
  };
  const request = (ids: string[], wanted: BulkChange) => {
    if (wanted.action === 'delete') ask(ids);
    else void change(ids, wanted);
  };
  const chosen = links.filter(({ id }) => selected.has(id));
  return (
    <div>
      <section class="panel">
        <FilterBar filters={filters} />
        {outcome && <OutcomeList outcome={outcome} />}
        {page === undefined && <LoadingRows />}
        {page !== undefined && links.length > 0 && (
          <LinkTable {...{ links, sort: filters.sort, weeks, selected, newId }} onSelect={select} onChange={request} />
        )}
        {page !== undefined && links.length === 0 && (
          <p class="none">
            {t.links.noneFound}{' '}
            <button type="button" class="link-button" onClick={clearFilters}>
              {t.links.clearFilters}
            </button>
          </p>
        )}
        {page !== undefined && links.length > 0 && <Foot page={page} />}
      </section>
      {chosen.length > 0 && (
        <BulkBar
          count={chosen.length}
          areArchived={chosen.every(({ status }) => status === 'archived')}
          onChange={(wanted) => request([...selected], wanted)}
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
    </div>
  );
}

type Outcome = { failure: Failure } | { count: number; failed: BulkResult[]; links: readonly Link[] };

/** Archiving can be undone from the message that reports it. */
function tell(ids: string[], wanted: BulkChange, change: (ids: string[], wanted: BulkChange) => Promise<void>): void {
  const text = t.links.done[wanted.action](ids.length, formatNumber(ids.length));
  const undo = { label: t.links.reactivate, run: () => void change(ids, { action: 'reactivate' }) };
  showToast({ text, ...(wanted.action === 'archive' && { action: undo }) });
}

function OutcomeList({ outcome }: { outcome: Outcome }) {
  if ('failure' in outcome) {
    return (
      <Notice kind="danger" icon="alert" role="alert">
        {failureText(outcome.failure)}
      </Notice>
    );
  }
  const { count, failed, links } = outcome;
  return (
    <div class="notice danger" role="alert">
      <div class="text">
        {t.links.failedSome(formatNumber(failed.length), count, formatNumber(count))}
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
      </div>
    </div>
  );
}

function Foot({ page }: { page: NonNullable<ListProps['page']> }) {
  const { from, to, total, current_page: current, last_page: last } = page.meta;
  const open = (number: number) => () => {
    setQuery({ page: number > 1 ? String(number) : undefined });
    scrollTo(0, 0);
  };
  return (
    <div class="panel-foot">
      <span>
        {last === 1
          ? t.links.all(total, formatNumber(total))
          : t.links.range(formatNumber(from ?? 0), formatNumber(to ?? 0), formatNumber(total))}
      </span>
      <span class="row-actions">
        {current > 1 && (
          <button type="button" class="button quiet small" onClick={open(current - 1)}>
            {t.links.previous}
          </button>
        )}
        {current < last && (
          <button type="button" class="button quiet small" onClick={open(current + 1)}>
            {t.links.next}
          </button>
        )}
      </span>
    </div>
  );
}

/** Figures of the week; the list never waits for them. */
function useWeeks(links: readonly Link[]) {
  const ids = links.map(({ id }) => id);
  const scans = links.reduce((sum, link) => sum + link.scans_count, 0);
  const key = ids.length > 0 && mayReadWeeks() ? `${ids.join()} ${scans}` : null;
  return useLoad(key, () => fetchWeeks(workspace.value, ids)).state.value.data;
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
