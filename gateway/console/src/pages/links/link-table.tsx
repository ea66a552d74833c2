import type { Link } from '../../api/links.js';
import { analyticsRoute, contentParameter } from '../../api/analytics.js';
import { can, pageOf } from '../../app/session.js';
import { Sparkline } from '../../charts/sparkline.js';
import { copyAndTell } from '../../components/clipboard.js';
import { Icon } from '../../components/icon.js';
import { Menu, MenuItem } from '../../components/menu.js';
import { contentRoute, isQr } from '../../config/config.js';
import { formatNumber, withoutScheme } from '../../format/format.js';
import { t } from '../../messages/messages.js';
import type { BulkChange } from '../../api/links.js';
import { catalogue } from './catalogue.js';
import { LinkChunk } from './link-chunk.js';
import { mayChange, mayReadWeeks } from './may.js';
import { DEFAULT_SORT, setFilter } from './query.js';
import { Status } from './status.js';
import { TagList } from './tag-list.js';

interface TableProps {
  /** The links by page. */
  chunks: readonly (readonly Link[])[];
  /** The heights of the chunks that are not drawn; the chunks keep them up to date. */
  spaces: (number | undefined)[];
  /** Of all pages, also of those that are not loaded. */
  total: number;
  sort: string | undefined;
  selected: ReadonlySet<string>;
  /** The link that was just created. */
  newId: string | undefined;
  onSelect: (ids: readonly string[], isSelected: boolean) => void;
  onChange: (ids: string[], change: BulkChange) => void;
}

/** A column that the role or the deployment leaves empty keeps its room, but is no column to a screen reader. */
export function LinkTable(props: TableProps) {
  const { chunks, spaces, total, selected, onSelect } = props;
  const ids = chunks.flat().map(({ id }) => id);
  const isAll = ids.length > 0 && ids.every((id) => selected.has(id));
  return (
    <div class="table" role="table" aria-label={t.links.title} aria-rowcount={total + 1}>
      <div role="rowgroup">
        <div class="row head" role="row">
          <span role={mayChange() ? 'columnheader' : undefined} class="check">
            {mayChange() && (
              <input
                type="checkbox"
                aria-label={t.links.selectAll}
                checked={isAll}
                onChange={() => onSelect(ids, !isAll)}
              />
            )}
          </span>
          <span role="columnheader">{t.links.columns.link}</span>
          <span role={isQr ? undefined : 'columnheader'} class="cell-tags">
            {!isQr && t.links.columns.tags}
          </span>
          <span role="columnheader">{t.links.columns.status}</span>
          <span role={mayReadWeeks() ? 'columnheader' : undefined} class="cell-week">
            {mayReadWeeks() && t.links.columns.week}
          </span>
          <ScansHead sort={props.sort ?? DEFAULT_SORT} />
          <span role="columnheader">
            <span class="visually-hidden">{t.links.columns.actions}</span>
          </span>
        </div>
      </div>
      {chunks.map((links, number) => (
        <LinkChunk
          key={number}
          links={links}
          initialSpace={spaces[number]}
          onSpace={(space) => (spaces[number] = space)}
          row={(link, index, week) => (
            <Row key={link.id} link={link} week={week} rowIndex={startOf(chunks, number) + index + 2} {...props} />
          )}
        />
      ))}
    </div>
  );
}

const startOf = (chunks: TableProps['chunks'], number: number): number =>
  chunks.slice(0, number).reduce((sum, { length }) => sum + length, 0);

function ScansHead({ sort }: { sort: string }) {
  const direction = sort === '-scans_count' ? 'descending' : sort === 'scans_count' ? 'ascending' : 'none';
  const next = direction === 'descending' ? 'scans_count' : '-scans_count';
  return (
    <span role="columnheader" class="figure" aria-sort={direction}>
      <button type="button" onClick={() => setFilter('sort', next)}>
        {direction !== 'none' && <Icon name={direction === 'descending' ? 'desc' : 'asc'} />}
        {t.links.columns.scans}
      </button>
    </span>
  );
}

/** The address in two parts: the host, which all links share, and the code, which tells them apart. */
export function addressOf(link: Link): { host: string; code: string; text: string } {
  const text = withoutScheme(link.short_url);
  const cut = text.lastIndexOf('/') + 1;
  return { host: text.slice(0, cut), code: text.slice(cut), text };
}

interface RowProps extends Pick<TableProps, 'selected' | 'newId' | 'onSelect' | 'onChange'> {
  link: Link;
  week: readonly number[] | undefined;
  /** The head is the first row. */
  rowIndex: number;
}

function Row({ link, week, rowIndex, selected, newId, onSelect, onChange }: RowProps) {
  const { host, code, text } = addressOf(link);
  const isSelected = selected.has(link.id);
  return (
    <div
      class={`row${isSelected ? ' selected' : ''}${link.id === newId ? ' new' : ''}`}
      role="row"
      aria-rowindex={rowIndex}
    >
      <span role={mayChange() ? 'cell' : undefined} class="check">
        {mayChange() && (
          <input
            type="checkbox"
            aria-label={t.links.select(text)}
            checked={isSelected}
            onChange={() => onSelect([link.id], !isSelected)}
          />
        )}
      </span>
      <div role="cell" class="cell-link">
        <a class="short-link" href={pageOf(`links/${link.id}`)}>
          <span class="truncate">
            {host}
            <wbr />
            <strong>{code}</strong>
          </span>
        </a>
        <p class="destination truncate">
          {link.title !== null && <strong>{link.title}</strong>}
          {link.title !== null && ' · '}
          {withoutScheme(link.destination_url)}
        </p>
      </div>
      <div role={isQr ? undefined : 'cell'} class="cell-tags">
        {!isQr && <TagsAndFolder link={link} />}
      </div>
      <div role="cell" class="cell-status">
        <Status link={link} />
      </div>
      <div role={mayReadWeeks() ? 'cell' : undefined} class="cell-week">
        {mayReadWeeks() && <Sparkline values={week} label={t.links.week(week?.map(formatNumber).join(', ') ?? '')} />}
        {week && <span class="week-total">{weekTotal(week)}</span>}
      </div>
      <div role="cell" class="cell-scans figure">
        {formatNumber(link.scans_count)}
        <span class="cards-only">
          {t.links.scans(link.scans_count)}
          {week && (
            <>
              <br />
              {t.links.inWeek(weekTotal(week))}
            </>
          )}
        </span>
      </div>
      <RowActions link={link} onChange={onChange} />
    </div>
  );
}

/** The sparkline of each link has its own scale; this tells how much that is. */
function weekTotal(week: readonly number[]): string {
  const total = week.reduce((sum, scans) => sum + scans, 0);
  return `${total > 0 ? '+' : ''}${formatNumber(total)}`;
}

function TagsAndFolder({ link }: { link: Link }) {
  const folder = catalogue.value.folders?.find(({ id }) => id === link.folder_id);
  return (
    <>
      <TagList tags={link.tags} />
      <span class="folder">
        <Icon name="folder" />
        <span class="truncate">{link.folder_id === null ? t.links.noFolder : (folder?.name ?? '…')}</span>
      </span>
    </>
  );
}

function RowActions({ link, onChange }: { link: Link; onChange: TableProps['onChange'] }) {
  const { text } = addressOf(link);
  return (
    <div role="cell" class="row-actions">
      <button
        type="button"
        class="icon-button"
        aria-label={t.links.copyOf(text)}
        title={t.copy}
        onClick={() => void copyAndTell(link.short_url)}
      >
        <Icon name="copy" />
      </button>
      <a class="icon-button" href={pageOf(`links/${link.id}`)} aria-label={t.links.qrOf(text)} title={t.links.qrCode}>
        <Icon name="qr" />
      </a>
      <Menu class="icon-button" align="end" label={t.links.moreOf(text)} button={<Icon name="dots" />}>
        <MenuItem icon="edit" href={pageOf(`links/${link.id}`)}>
          {t.edit}
        </MenuItem>
        {can(analyticsRoute('summary')) && (
          <MenuItem icon="chart" href={pageOf(`analytics?${contentParameter}=${link.id}`)}>
            {t.links.openAnalytics}
          </MenuItem>
        )}
        {mayChange() && (
          <MenuItem
            icon={link.status === 'active' ? 'archive' : 'restore'}
            onSelect={() => onChange([link.id], { action: link.status === 'active' ? 'archive' : 'reactivate' })}
          >
            {link.status === 'active' ? t.links.archive : t.links.reactivate}
          </MenuItem>
        )}
        {can(contentRoute('delete')) && (
          <MenuItem icon="trash" isDanger onSelect={() => onChange([link.id], { action: 'delete' })}>
            {t.links.remove}
          </MenuItem>
        )}
      </Menu>
    </div>
  );
}

/** Grey rows of the final height. */
export function LoadingRows() {
  return (
    <div class="table" aria-hidden="true">
      {Array.from({ length: 8 }, (_, index) => (
        <div class="row loading-row" key={index}>
          <span />
          <div class="cell-link" />
          <div class="cell-tags" />
          <div class="status" />
        </div>
      ))}
    </div>
  );
}
