import type { ScanRow } from '@waymark/contract/analytics';
import { isCounted, selectScans, type ScanQuery } from './scan-query.js';
import { bind, joinSql, sql, type Sql } from './sql.js';

/** A row of the list, as the warehouse returns it. */
export interface ScanRecord {
  id: string;
  link_id: string;
  short_code: string;
  /** Milliseconds since 1970. */
  scanned_at: number;
  trigger: 'link' | 'qr';
  country: string;
  region: string;
  city: string;
  device: string;
  browser: string;
  os: string;
  language: string;
  referrer: string;
  campaign: string | null;
  is_unique: boolean;
  is_bot: boolean;
}

/** The position of the last row read. */
export interface RowPosition {
  scannedAt: Date;
  id: string;
}

/** UTC days (`YYYY-MM-DD`), both inclusive. */
export interface DayRange {
  first: string;
  last: string;
}

/** A page of rows: after a position, or by offset. */
export interface RowPage {
  limit: number;
  offset?: number;
  after?: RowPosition;
  /** Restricts the rows to these days: a query reads every day of its range, regardless of its limit. */
  days?: DayRange;
}

/** The number of rows of one UTC day, before filters. */
export interface DayCount {
  day: string;
  rows: number;
}

const LIST_COLUMNS = sql`id, link_id, short_code, toUnixTimestamp64Milli(at) AS scanned_at, trigger, country, region, city,
  device, browser, os, language, referrer, campaign, is_unique, is_bot`;

/** Selects the next rows after a position, newest first, ties by id. */
export const scanRowsSql = (query: ScanQuery, page: RowPage): Sql => pageSql(query, LIST_COLUMNS, page);

/** The columns of an export, formatted for the file. */
const EXPORT_COLUMNS = {
  id: sql`id`,
  link_id: sql`link_id`,
  short_code: sql`short_code`,
  scanned_at: sql`concat(replaceOne(toString(at), ' ', 'T'), 'Z')`,
  trigger: sql`trigger`,
  country: sql`country`,
  region: sql`region`,
  city: sql`city`,
  device: sql`device`,
  browser: sql`browser`,
  os: sql`os`,
  language: sql`language`,
  referrer: sql`referrer`,
  campaign: sql`campaign`,
  is_unique: sql`is_unique`,
  is_bot: sql`is_bot`,
} as const satisfies Record<keyof ScanRow, Sql>;
export type ExportColumn = keyof typeof EXPORT_COLUMNS;

/** Selects the same rows with the given columns, in their order. */
export function exportedRowsSql(query: ScanQuery, columns: readonly ExportColumn[], page: RowPage): Sql {
  const all = columns.map((name) => EXPORT_COLUMNS[name]);
  return pageSql(query, joinSql(all, sql`, `), page);
}

function pageSql(query: ScanQuery, columns: Sql, { limit, offset = 0, after, days }: RowPage): Sql {
  return sql`${selectScans(query, columns)} AND ${isCounted(query)}${days ? withinSql(days) : sql``}${after ? afterSql(after) : sql``}
    ORDER BY toDate(at) DESC, at DESC, id DESC LIMIT ${bind.count(limit)} OFFSET ${bind.count(offset)}`;
}

/** Counts all rows of the list. */
export const scanCountSql = (query: ScanQuery): Sql =>
  sql`${selectScans(query, sql`count() AS rows`)} AND ${isCounted(query)}`;

function withinSql({ first, last }: DayRange): Sql {
  return sql` AND toDate(at) >= ${bind.date(first)} AND toDate(at) <= ${bind.date(last)}`;
}

function afterSql({ scannedAt, id }: RowPosition): Sql {
  const time = bind.time(scannedAt);
  return sql` AND toDate(at) <= toDate(${time}) AND (at, id) < (${time}, ${bind.text(id)})`;
}

/** The rows of a slice, unless one day has more; each further slice may have `growth` times as many. */
interface SliceSize {
  rowsMax: number;
  growth: number;
}

/** Groups consecutive days, latest first, because a query reads every row of its days. */
export function daySlices(counts: readonly DayCount[], { rowsMax, growth }: SliceSize): DayRange[] {
  const slices: DayRange[] = [];
  let rowCount = Infinity;
  let max = rowsMax / growth;
  for (const { day, rows } of counts) {
    if (rowCount + rows > max) {
      slices.push({ first: day, last: day });
      rowCount = rows;
      max *= growth;
    } else {
      slices.at(-1)!.first = day;
      rowCount += rows;
    }
  }
  return slices;
}
