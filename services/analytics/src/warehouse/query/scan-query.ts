import type { FilterList } from '@waymark/contract/filter-list';
import type { DateShift } from '../../time/date-shift.js';
import { localDays, type OffsetPeriod } from '../../time/local-days.js';
import { bind, joinSql, sql, type Bound, type Sql } from './sql.js';
import { isOfWorkspace, storedTable } from './table-day.js';

/** The value of scans without a campaign, and of links without a domain, folder or tag. */
export const NONE = 'none';
export const CAMPAIGN = sql`ifNull(campaign, ${bind.text(NONE)})`;

/** Columns for filters on the scan itself. */
const SCAN_FILTERS = {
  link: sql`link_id`,
  campaign: CAMPAIGN,
  trigger: sql`trigger`,
  country: sql`country`,
  region: sql`region`,
  city: sql`city`,
  device: sql`device`,
  browser: sql`browser`,
  os: sql`os`,
  language: sql`language`,
  referrer: sql`referrer`,
} as const;
/** Conditions for filters on the current fields of the link. */
const LINK_FILTERS = {
  domain: (values: Bound) => sql`domain IN ${values}`,
  tag: (values: Bound) => sql`hasAny(${values}, tags)`,
  folder: (values: Bound) => sql`folder IN ${values}`,
} as const;
type LinkFilterName = keyof typeof LINK_FILTERS;
/** Columns for filters on the conversion itself. */
const CONVERSION_FILTERS = { link: SCAN_FILTERS.link, campaign: CAMPAIGN, source: sql`source` } as const;

export type ScanFilterName = keyof typeof SCAN_FILTERS | LinkFilterName;
export type ConversionFilterName = keyof typeof CONVERSION_FILTERS | LinkFilterName;
export type FilterName = ScanFilterName | ConversionFilterName;
const namesOf = <Name extends string>(...maps: Partial<Record<Name, unknown>>[]) => maps.flatMap(Object.keys) as Name[];
export const SCAN_FILTER_NAMES = namesOf<ScanFilterName>(SCAN_FILTERS, LINK_FILTERS);
export const CONVERSION_FILTER_NAMES = namesOf<ConversionFilterName>(CONVERSION_FILTERS, LINK_FILTERS);
const COLUMNS = { ...SCAN_FILTERS, ...CONVERSION_FILTERS } as const;

/** Selects rows with any of the values, or with none of them. */
export interface Filter extends FilterList {
  name: FilterName;
}

/** The scans of one workspace that a query covers. */
export interface ScanQuery {
  workspace: string;
  /** The first and the last local date, `YYYY-MM-DD`, both inclusive. */
  firstDate: string;
  lastDate: string;
  timeZone: string;
  filters: readonly Filter[];
  includeBots: boolean;
  /** Excludes earlier scans, even if some are not deleted yet. */
  keptFrom?: Date | null;
  /** Excludes scans from this time on. */
  before?: Date;
  /** For an earlier range: the points of its trend are those of the range that is compared with it. */
  shift?: DateShift;
}

/** The largest UTC offset of a zone, rounded up to whole days. */
const ZONE_DAYS = 1;

/** The local date of a scan. */
export const localDate = (query: ScanQuery): Sql => sql`toDate(${localTime(query)})`;

/** The local time of a scan, in place of UTC. */
export const localTime = (query: ScanQuery): Sql => sql`addSeconds(at, ${localOffset(query)})`;

/**
 * How far local time is ahead of UTC, in seconds. The offsets are those of Node.js, like the points of a trend: the zones
 * of ClickHouse can be years older.
 */
export function localOffset({ timeZone, firstDate, lastDate }: ScanQuery): Sql {
  const { periods, startsAt, endsAt } = localDays(timeZone, firstDate, lastDate);
  const isBefore = ({ to }: OffsetPeriod) => to <= startsAt.getTime();
  const isAfter = ({ from }: OffsetPeriod) => from >= endsAt.getTime();
  const overlapping = periods.filter((period) => !isBefore(period) && !isAfter(period));
  const last = overlapping.pop() ?? periods[0]!;
  const offsetOf = ({ offsetMs }: OffsetPeriod): Sql => sql`${bind.seconds(offsetMs / 1000)}`;
  const branches = overlapping.map((period) => sql`at < ${bind.time(new Date(period.to))}, ${offsetOf(period)}, `);
  return branches.length === 0
    ? offsetOf(last)
    : sql`multiIf(${branches.reduce((all, branch) => sql`${all}${branch}`)}${offsetOf(last)})`;
}

/**
 * Selects the scans of a query, deduplicated, including bots. Every query for scans uses it, so that each names the
 * workspace.
 */
export function selectScans(query: ScanQuery, columns: Sql): Sql {
  return sql`SELECT ${columns} FROM scans FINAL WHERE ${conditionsOf(query)}`;
}

/** Selects the conversions of the query, deduplicated; its filters must apply to conversions. */
export function selectConversions(query: ScanQuery, columns: Sql): Sql {
  return sql`SELECT ${columns} FROM conversions FINAL WHERE ${conditionsOf(query)}`;
}

/** Selects the loaded links of the workspace, deduplicated. Every server of a cluster has all of them. */
export function selectLinks({ workspace }: Pick<ScanQuery, 'workspace'>, columns: Sql): Sql {
  return sql`SELECT ${columns} FROM links FINAL WHERE ${isOfWorkspace(workspace)}`;
}

/** Deletes the scans of some workspaces from before a UTC day, on every shard. */
export function deleteExpiredSql(workspaces: readonly string[], keptFrom: Date, cluster: string | undefined): Sql {
  const day = bind.date(keptFrom.toISOString().slice(0, 10));
  return sql`DELETE FROM ${storedTable('scans', cluster)} WHERE workspace IN ${bind.texts(workspaces)} AND toDate(at) < ${day}`;
}

/** Counts the rows that the filters must read, by the primary key alone. */
export function scanRowCountSql(query: ScanQuery): Sql {
  return sql`SELECT count() AS rows FROM scans WHERE ${joinSql(keyConditions(query), sql` AND `)}`;
}

/** Counts the rows per UTC day that the filters must read, latest day first. */
export function dayCountsSql(query: ScanQuery): Sql {
  return sql`SELECT toString(toDate(at)) AS day, count() AS rows FROM scans
    WHERE ${joinSql(keyConditions(query), sql` AND `)} GROUP BY day ORDER BY day DESC`;
}

/** Counts the rows of a workspace, by the primary key alone. */
export function workspaceRowCountSql(workspace: string): Sql {
  return sql`SELECT count() AS rows FROM scans WHERE ${isOfWorkspace(workspace)}`;
}

/** Whether a scan counts; some figures report bots separately either way. */
export const isCounted = ({ includeBots }: ScanQuery): Sql => (includeBots ? sql`true` : sql`NOT is_bot`);

function conditionsOf(query: ScanQuery): Sql {
  const { workspace, keptFrom, before, filters } = query;
  const conditions = [
    ...keyConditions(query),
    ...localDates(query),
    ...(keptFrom ? [sql`at >= ${bind.time(keptFrom)}`] : []),
    ...(before ? [sql`at < ${bind.time(before)}`] : []),
    ...filters.map((filter) => conditionOf(filter, workspace)),
  ];
  return joinSql(conditions, sql` AND `);
}

/** Compares times, because a local date per row costs more than reading the row. */
function localDates({ firstDate, lastDate, timeZone }: ScanQuery): Sql[] {
  const { startsAt, endsAt } = localDays(timeZone, firstDate, lastDate);
  return [sql`at >= ${bind.time(startsAt)}`, sql`at < ${bind.time(endsAt)}`];
}

/** Conditions on whole UTC days around the local dates, for pruning by primary key and partition. */
function keyConditions({ workspace, firstDate, lastDate }: ScanQuery): Sql[] {
  const days = bind.count(ZONE_DAYS);
  return [
    isOfWorkspace(workspace),
    sql`toDate(at) >= ${bind.date(firstDate)} - ${days} AND toDate(at) <= ${bind.date(lastDate)} + ${days}`,
  ];
}

function conditionOf(filter: Filter, workspace: string): Sql {
  const { name, values, isNegated } = filter;
  const matches = isLinkFilter(name)
    ? linkMatches(name, values, workspace)
    : sql`${COLUMNS[name]} IN ${bind.texts(values)}`;
  return isNegated ? sql`NOT (${matches})` : matches;
}

const isLinkFilter = (name: FilterName): name is LinkFilterName => name in LINK_FILTERS;

/** A link that is not loaded yet counts as one without these fields. */
function linkMatches(name: LinkFilterName, values: readonly string[], workspace: string): Sql {
  const isMatch = LINK_FILTERS[name](bind.texts(values));
  const some = (condition: Sql) => sql`(${selectLinks({ workspace }, sql`id`)} AND ${condition})`;
  return values.includes(NONE)
    ? sql`(link_id NOT IN ${some(sql`NOT (${isMatch})`)})`
    : sql`(link_id IN ${some(isMatch)})`;
}
