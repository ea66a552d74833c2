import { randomUUID } from 'node:crypto';
import type { ClickHouseSettings, ResultSet, Row } from '@clickhouse/client';
import { LRUCache } from 'lru-cache';
import type { ConversionDimension, Interval } from '@waymark/contract/analytics';
import { tooExpensive, unavailable, type AppError } from '@waymark/kernel/errors';
import type { Cell } from '@waymark/kernel/http/csv';
import { KeyedLimit } from '@waymark/kernel/limits/keyed-limit';
import { asOutage, isLimitExceeded, isMemoryExceeded } from '../errors.js';
import { onCluster } from '../schema.js';
import type { Warehouse } from '../warehouse.js';
import { campaignsSql, type CampaignsPage } from './campaigns.js';
import {
  conversionBreakdownsSql,
  conversionsSql,
  type ConversionBreakdownRow,
  type ConversionsRow,
} from './conversion-figures.js';
import {
  breakdownsSql,
  linkDaysSql,
  summarySql,
  type BreakdownRow,
  type FigureDimension,
  type LinkDayRow,
  type SummaryRow,
  type VisitorCount,
} from './figures.js';
import { dayCountsSql, scanRowCountSql, workspaceRowCountSql, type ScanQuery } from './scan-query.js';
import {
  daySlices,
  exportedRowsSql,
  scanCountSql,
  scanRowsSql,
  type DayCount,
  type ExportColumn,
  type RowPage,
  type ScanRecord,
} from './scan-pages.js';
import { utcDay } from '../../time/utc-day.js';
import type { Sql } from './sql.js';

/** Concurrent ordinary queries per workspace and in total; further ones wait. */
const CONCURRENCY = { total: 12, perKey: 3, waitMaxMs: 15_000 };
/** Above this number of rows visitors are estimated: an exact count would keep every visitor in memory. */
export const EXACT_ROWS_MAX = 5_000_000;
/**
 * Rows times groupings (by a dimension, by a point of a trend) that are counted exactly: each grouping keeps every
 * visitor once more.
 */
const EXACT_GROUPED_ROWS_MAX = 3 * EXACT_ROWS_MAX;
/** Totals, points of the trend, and devices. */
const SUMMARY_GROUPINGS = 3;
/**
 * Queries that need more memory than an ordinary one. Without this limit one workspace with three queries would use the
 * server's whole memory.
 */
const LARGE_CONCURRENCY = { ...CONCURRENCY, total: 2, perKey: 1 };
/**
 * They wait as long as they must, because an export must not fail after it has started; the number of exports is limited.
 */
const EXPORT_PAGES = { total: 4, perKey: 2, waitMaxMs: 5 * 60_000 };
/** Export pages that need more memory than an ordinary query, because of the number of rows on their days. */
const LARGE_EXPORT_PAGES = { ...EXPORT_PAGES, total: 1, perKey: 1 };
/** Characters that end a page of an export: it stays in memory while a slow client reads it. */
const EXPORT_PAGE_LENGTH = 1_000_000;
/**
 * How long the size of a workspace is cached. The exact count uses only half of its limit, to allow for rows that
 * arrive meanwhile.
 */
const SIZE_FRESH_MS = 5 * 60_000;
const SIZES_MAX = 10_000;

/** Rows that a list reads at once, because a query reads every row of its days; with strict filters it reads more. */
const LISTED_ROWS_MAX = 100_000;
const SLICE_GROWTH = 4;
/** Later pages skip rows of all days in one query. */
const SLICED_ROWS_MAX = 1000;

/** Limits of one query; the memory is that of a large one. */
export const QUERY_LIMITS = {
  max_execution_time: 10,
  max_memory_usage: '500000000',
  max_rows_to_read: '500000000',
  max_result_rows: '100000',
  max_threads: 2,
  // By default a server with less than 2 GiB of free memory reads with one thread; `max_memory_usage` bounds the query.
  max_threads_min_free_memory_per_thread: '0',
  // Correct, because all versions of a scan are in the same month and so in the same partition.
  do_not_merge_across_partitions_select_final: 1,
  // The server cancels a query when its connection closes.
  cancel_http_readonly_queries_on_client_close: 1,
  // The server sends nothing before the last row: after the first one it could only cut the connection on an error.
  wait_end_of_query: 1,
  // Returns counts as numbers, not as strings.
  output_format_json_quote_64bit_integers: 0,
} satisfies ClickHouseSettings;
type QueryLimits = ClickHouseSettings & { max_memory_usage: string };
/** An ordinary query's share of that memory. */
const ORDINARY_MEMORY_SHARE = 0.5;

type Rows = ResultSet<'JSONEachRow' | 'JSONCompactEachRow'>;
interface ResultFormat<Result> {
  format: 'JSONEachRow' | 'JSONCompactEachRow';
  read: (result: Rows) => Promise<Result>;
}
const jsonObjects = <Row>(): ResultFormat<Row[]> => ({ format: 'JSONEachRow', read: (result) => result.json<Row>() });

interface QueryOptions {
  signal?: AbortSignal;
  /** A large query waits for its turn, and may use the whole memory of a query. */
  isLarge?: boolean;
}

interface ExportPage extends RowPage {
  columns: readonly ExportColumn[];
}

/** Lists of cells as text, which takes a fraction of the memory until the client reads them. */
interface ExportedRows {
  rows: Row<Cell[]>[];
  /** The page ends before its limit of rows, because its text is long; there may be more rows. */
  isCut: boolean;
}

interface FigureQuery {
  sqlOf: (count: VisitorCount) => Sql;
  /** How often each scan is grouped. */
  groupings: number;
  signal?: AbortSignal;
}

/** Replaces the limits above, for tests. */
export interface ReaderOptions {
  exactRowsMax?: number;
  limits?: QueryLimits;
  sizeFreshMs?: number;
  listedRowsMax?: number;
}

/** Queries the scans and conversions of a workspace. Aborting a method's signal kills its query on the server. */
export class WarehouseReader {
  private readonly ordinaryQueries = new KeyedLimit(CONCURRENCY);
  private readonly largeQueries = new KeyedLimit(LARGE_CONCURRENCY);
  private readonly exportPages = new KeyedLimit(EXPORT_PAGES);
  private readonly largeExportPages = new KeyedLimit(LARGE_EXPORT_PAGES);
  private readonly exactRowsMax: number;
  private readonly limits: QueryLimits;
  private readonly listedRowsMax: number;
  /** Row counts by workspace. */
  private readonly sizes: LRUCache<string, number>;

  constructor(
    private readonly warehouse: Warehouse,
    {
      exactRowsMax = EXACT_ROWS_MAX,
      limits = QUERY_LIMITS,
      sizeFreshMs = SIZE_FRESH_MS,
      listedRowsMax = LISTED_ROWS_MAX,
    }: ReaderOptions = {},
  ) {
    this.listedRowsMax = listedRowsMax;
    this.exactRowsMax = exactRowsMax;
    this.limits = limits;
    this.sizes = new LRUCache({ max: SIZES_MAX, ttl: sizeFreshMs });
  }

  querySummary(query: ScanQuery, interval: Interval, signal?: AbortSignal) {
    const sqlOf = (count: VisitorCount) => summarySql(query, interval, count);
    return this.queryFigures<SummaryRow>(query, { sqlOf, groupings: SUMMARY_GROUPINGS, signal });
  }

  queryBreakdowns(
    query: ScanQuery,
    by: { dimensions: readonly FigureDimension[]; limit: number },
    signal?: AbortSignal,
  ) {
    const sqlOf = (count: VisitorCount) => breakdownsSql(query, by, count);
    return this.queryFigures<BreakdownRow>(query, { sqlOf, groupings: by.dimensions.length, signal });
  }

  /** Counts visitors exactly if that fits into the limits of a query, and estimates them otherwise. */
  private async queryFigures<Row>(query: ScanQuery, figures: FigureQuery) {
    const { sqlOf, signal } = figures;
    const count = await this.chooseVisitorCount(query, figures);
    try {
      return {
        rows: await this.queryOrRetryLarge<Row>(query, sqlOf(count), signal),
        isEstimated: count === 'estimated',
      };
    } catch (error) {
      // The memory depends on more than the number of rows.
      if (count === 'estimated' || !needsMoreMemory(error)) throw error;
      const rows = await this.runQuery<Row>(query, sqlOf('estimated'), { signal, isLarge: true });
      return { rows, isEstimated: true };
    }
  }

  /** Sends an ordinary query that needs more memory again as a large one. */
  private async queryOrRetryLarge<Row>(query: ScanQuery, sql: Sql, signal?: AbortSignal): Promise<Row[]> {
    try {
      return await this.runQuery<Row>(query, sql, { signal });
    } catch (error) {
      if (!needsMoreMemory(error)) throw error;
      return this.runQuery<Row>(query, sql, { signal, isLarge: true });
    }
  }

  countLinkDays(query: ScanQuery, signal?: AbortSignal): Promise<LinkDayRow[]> {
    return this.queryOrRetryLarge(query, linkDaysSql(query), signal);
  }

  queryConversions(query: ScanQuery, interval: Interval, signal?: AbortSignal): Promise<ConversionsRow[]> {
    return this.queryOrRetryLarge(query, conversionsSql(query, interval), signal);
  }

  queryConversionBreakdowns(
    query: ScanQuery,
    by: { dimensions: readonly ConversionDimension[]; limit: number },
    signal?: AbortSignal,
  ): Promise<ConversionBreakdownRow[]> {
    return this.queryOrRetryLarge(query, conversionBreakdownsSql(query, by), signal);
  }

  async listCampaigns(page: CampaignsPage): Promise<string[]> {
    const rows = await this.runQuery<{ campaign: string }>(page, campaignsSql(page));
    return rows.map(({ campaign }) => campaign);
  }

  /** In a large workspace it reads the newest days first, as many as it needs for the page. */
  async listScanRows(query: ScanQuery, page: RowPage, signal?: AbortSignal): Promise<ScanRecord[]> {
    const { limit, offset = 0, after } = page;
    const rowCount = offset + limit;
    const isSmall = (await this.workspaceSize(query, signal)) <= this.listedRowsMax;
    if (isSmall || rowCount > SLICED_ROWS_MAX) return this.runQuery(query, scanRowsSql(query, page), { signal });
    const counts = await this.countRowsByDay(query, signal);
    const remaining = after ? counts.filter(({ day }) => day <= utcDay(after.scannedAt)) : counts;
    const found: ScanRecord[] = [];
    for (const days of daySlices(remaining, { rowsMax: this.listedRowsMax, growth: SLICE_GROWTH })) {
      const next = { limit: rowCount - found.length, after, days };
      found.push(...(await this.runQuery<ScanRecord>(query, scanRowsSql(query, next), { signal })));
      if (found.length === rowCount) break;
    }
    return found.slice(offset);
  }

  countRowsByDay(query: ScanQuery, signal?: AbortSignal): Promise<DayCount[]> {
    return this.runQuery(query, dayCountsSql(query), { signal });
  }

  /** Reads one page of an export. It waits for other exports only, because it must not fail after the first row. */
  async readExportRows(query: ScanQuery, page: ExportPage, signal: AbortSignal): Promise<ExportedRows> {
    const format = { format: 'JSONCompactEachRow' as const, read: readTexts };
    const statement = exportedRowsSql(query, page.columns, page);
    const read = (isLarge: boolean) => this.sendQuery(statement, format, { signal, isLarge });
    try {
      return await this.exportPages.run(query.workspace, () => read(false), signal);
    } catch (error) {
      if (!needsMoreMemory(error)) throw error;
      return this.largeExportPages.run(query.workspace, () => read(true), signal);
    }
  }

  async countScans(query: ScanQuery, signal?: AbortSignal): Promise<number> {
    const [row] = await this.runQuery<{ rows: number }>(query, scanCountSql(query), { signal });
    return row!.rows;
  }

  /** Most workspaces are small: their visitors are counted exactly, without a query for the row count first. */
  private async chooseVisitorCount(query: ScanQuery, { groupings, signal }: FigureQuery): Promise<VisitorCount> {
    const exactRowsMax = Math.min(this.exactRowsMax, EXACT_GROUPED_ROWS_MAX / groupings);
    if ((await this.workspaceSize(query, signal)) <= exactRowsMax / 2) return 'exact';
    const [row] = await this.runQuery<{ rows: number }>(query, scanRowCountSql(query), { signal });
    return row!.rows > exactRowsMax ? 'estimated' : 'exact';
  }

  private async workspaceSize({ workspace }: ScanQuery, signal?: AbortSignal): Promise<number> {
    const known = this.sizes.get(workspace);
    if (known !== undefined) return known;
    const [row] = await this.runQuery<{ rows: number }>({ workspace }, workspaceRowCountSql(workspace), { signal });
    this.sizes.set(workspace, row!.rows);
    return row!.rows;
  }

  /** Runs a query of the workspace within its concurrency limits. */
  async runQuery<Row>(
    { workspace }: Pick<ScanQuery, 'workspace'>,
    query: Sql,
    options: QueryOptions = {},
  ): Promise<Row[]> {
    const queries = options.isLarge ? this.largeQueries : this.ordinaryQueries;
    return queries.run(workspace, () => this.sendQuery(query, jsonObjects<Row>(), options), options.signal);
  }

  private async sendQuery<Result>(
    query: Sql,
    { format, read }: ResultFormat<Result>,
    { signal, isLarge = false }: QueryOptions,
  ): Promise<Result> {
    signal?.throwIfAborted();
    if (!this.warehouse.isReady) throw unavailable(new Error('the warehouse is not ready'));
    const queryId = randomUUID();
    try {
      const result = await this.warehouse.queryClient.query({
        ...query.render(),
        query_id: queryId,
        format,
        clickhouse_settings: isLarge ? this.limits : ordinaryLimits(this.limits),
        abort_signal: signal,
      });
      return await read(result);
    } catch (error) {
      if (signal?.aborted) {
        await this.killQuery(queryId);
        signal.throwIfAborted();
      }
      this.warehouse.recreateAfter(error);
      throw isLimitExceeded(error) ? queryTooLarge(error) : asOutage(error);
    }
  }

  /** On every server of a cluster: closing the connection only ends the query on the server that received it. */
  private async killQuery(queryId: string): Promise<void> {
    const { client, cluster } = this.warehouse;
    const query = `KILL QUERY${onCluster(cluster)} WHERE query_id = {id:String} ASYNC`;
    await client.command({ query, query_params: { id: queryId } }).catch(() => undefined);
  }
}

function ordinaryLimits(limits: QueryLimits): QueryLimits {
  const memory = Math.round(Number(limits.max_memory_usage) * ORDINARY_MEMORY_SHARE);
  return { ...limits, max_memory_usage: String(memory) };
}

async function readTexts(result: Rows): Promise<ExportedRows> {
  const rows: Row<Cell[]>[] = [];
  let length = 0;
  for await (const chunk of result.stream<Cell[]>()) {
    for (const row of chunk as Row<Cell[]>[]) {
      rows.push(row);
      length += row.text.length;
      if (length >= EXPORT_PAGE_LENGTH) return { rows, isCut: true };
    }
  }
  return { rows, isCut: false };
}

const needsMoreMemory = (error: unknown): boolean => error instanceof Error && isMemoryExceeded(error.cause);

const queryTooLarge = (cause: unknown): AppError =>
  tooExpensive(
    'The query would read or hold too much data.',
    'Select fewer days or dimensions, or filter by link or campaign.',
    cause,
  );
