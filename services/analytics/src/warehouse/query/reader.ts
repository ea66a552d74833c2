import { randomUUID } from 'node:crypto';
import type { ClickHouseSettings, ResultSet, Row } from '@clickhouse/client';
import { LRUCache } from 'lru-cache';
import type { Interval } from '@waymark/contract/analytics';
import { AppError, unavailable } from '@waymark/kernel/errors';
import type { Cell } from '@waymark/kernel/http/csv';
import { KeyedSemaphore } from '@waymark/kernel/async/keyed-semaphore';
import { asOutage, isLimit } from '../errors.js';
import { onCluster } from '../schema.js';
import type { Warehouse } from '../warehouse.js';
import { campaignsSql, type CampaignsPage } from './campaigns.js';
import { conversionsSql, type ConversionsRow } from './conversions.js';
import {
  breakdownsSql,
  summarySql,
  type BreakdownRow,
  type FigureDimension,
  type SummaryRow,
  type VisitorCount,
} from './figures.js';
import { dayCountsOf, rowCountOf, workspaceRowCount, type Question } from './question.js';
import {
  exportedRowsSql,
  scanCountSql,
  scanRowsSql,
  type DayCount,
  type ExportColumn,
  type Page,
  type ScanRecord,
} from './scan-rows.js';
import type { Sql } from './sql.js';

/** Concurrent queries per workspace and in total; further ones wait. */
const CONCURRENCY = { runningMax: 12, runningPerKeyMax: 3, waitingMax: 500, waitingPerKeyMax: 50 };
/** Above this number of rows visitors are estimated: an exact count would keep every visitor in memory. */
export const EXACT_ROWS_MAX = 5_000_000;
/**
 * How long the size of a workspace is cached. The exact count uses only half of its limit, to allow for rows that
 * arrive meanwhile.
 */
const SIZE_FRESH_MS = 5 * 60_000;
const SIZES_MAX = 10_000;

/** Limits of one query. */
export const LIMITS: ClickHouseSettings = {
  max_execution_time: 10,
  max_memory_usage: '1000000000',
  max_rows_to_read: '500000000',
  max_result_rows: '100000',
  max_threads: 2,
  // Correct, because all versions of a scan are in the same month and so in the same partition.
  do_not_merge_across_partitions_select_final: 1,
  // The server cancels a query when its connection closes.
  cancel_http_readonly_queries_on_client_close: 1,
  // Returns counts as numbers, not as strings.
  output_format_json_quote_64bit_integers: 0,
};

type Rows = ResultSet<'JSONEachRow' | 'JSONCompactEachRow'>;
interface Answer<Row> {
  format: 'JSONEachRow' | 'JSONCompactEachRow';
  read: (result: Rows) => Promise<Row[]>;
}
const objects = <Row>(): Answer<Row> => ({ format: 'JSONEachRow', read: (result) => result.json<Row>() });

/** Queries the scans of a workspace. Aborting a method's signal kills its query on the server. */
export class WarehouseReader {
  private readonly turns = new KeyedSemaphore(CONCURRENCY);
  /** Row counts by workspace. */
  private readonly sizes: LRUCache<string, number>;

  constructor(
    private readonly warehouse: Warehouse,
    private readonly exactRowsMax = EXACT_ROWS_MAX,
    private readonly limits = LIMITS,
    sizeFreshMs = SIZE_FRESH_MS,
  ) {
    this.sizes = new LRUCache({ max: SIZES_MAX, ttl: sizeFreshMs });
  }

  async summary(question: Question, interval: Interval, signal?: AbortSignal) {
    const count = await this.visitorCount(question, signal);
    const rows = await this.run<SummaryRow>(question, summarySql(question, interval, count), signal);
    return { rows, isEstimated: count === 'estimated' };
  }

  async breakdowns(
    question: Question,
    by: { dimensions: readonly FigureDimension[]; limit: number },
    signal?: AbortSignal,
  ) {
    const count = await this.visitorCount(question, signal);
    const rows = await this.run<BreakdownRow>(question, breakdownsSql(question, by, count), signal);
    return { rows, isEstimated: count === 'estimated' };
  }

  conversionsByPoint(question: Question, interval: Interval, signal?: AbortSignal): Promise<ConversionsRow[]> {
    return this.run(question, conversionsSql(question, interval), signal);
  }

  async campaigns(page: CampaignsPage): Promise<string[]> {
    const rows = await this.run<{ campaign: string }>(page, campaignsSql(page));
    return rows.map(({ campaign }) => campaign);
  }

  scanRows(question: Question, page: Page, signal?: AbortSignal): Promise<ScanRecord[]> {
    return this.run(question, scanRowsSql(question, page), signal);
  }

  dayCounts(question: Question, signal?: AbortSignal): Promise<DayCount[]> {
    return this.run(question, dayCountsOf(question), signal);
  }

  /**
   * Reads one batch of an export: lists of cells as text, which takes a fraction of the memory until the client reads
   * them. Skips the semaphore: exports are few (see `limits.exports`) and must not fail after they have started.
   */
  exportedRows(question: Question, columns: readonly ExportColumn[], page: Page): Promise<Row<Cell[]>[]> {
    return this.send(exportedRowsSql(question, columns, page), { format: 'JSONCompactEachRow', read: textsOf });
  }

  async scanCount(question: Question, signal?: AbortSignal): Promise<number> {
    const [row] = await this.run<{ rows: number }>(question, scanCountSql(question), signal);
    return row!.rows;
  }

  /** Most workspaces are small: their visitors are counted exactly, without a query for the row count first. */
  private async visitorCount(question: Question, signal?: AbortSignal): Promise<VisitorCount> {
    if ((await this.sizeOf(question, signal)) <= this.exactRowsMax / 2) return 'exact';
    const [row] = await this.run<{ rows: number }>(question, rowCountOf(question), signal);
    return row!.rows > this.exactRowsMax ? 'estimated' : 'exact';
  }

  private async sizeOf({ workspace }: Question, signal?: AbortSignal): Promise<number> {
    const known = this.sizes.get(workspace);
    if (known !== undefined) return known;
    const [row] = await this.run<{ rows: number }>({ workspace }, workspaceRowCount(workspace), signal);
    this.sizes.set(workspace, row!.rows);
    return row!.rows;
  }

  /** Runs a query that was built from the question. */
  async run<Row>({ workspace }: Pick<Question, 'workspace'>, query: Sql, signal?: AbortSignal): Promise<Row[]> {
    return this.turns.run(workspace, () => this.send<Row>(query, objects(), signal));
  }

  private async send<Row>(query: Sql, { format, read }: Answer<Row>, signal?: AbortSignal): Promise<Row[]> {
    signal?.throwIfAborted();
    if (!this.warehouse.isReady) throw unavailable(new Error('the warehouse is not ready'));
    const queryId = randomUUID();
    try {
      const result = await this.warehouse.questions.query({
        ...query.render(),
        query_id: queryId,
        format,
        clickhouse_settings: this.limits,
        abort_signal: signal,
      });
      return await read(result);
    } catch (error) {
      if (signal?.aborted) {
        await this.kill(queryId);
        throw error;
      }
      this.warehouse.recreateAfter(error);
      throw isLimit(error) ? tooLarge(error) : asOutage(error);
    }
  }

  /** On every server of a cluster: closing the connection only ends the query on the server that received it. */
  private async kill(queryId: string): Promise<void> {
    const { client, cluster } = this.warehouse;
    const query = `KILL QUERY${onCluster(cluster)} WHERE query_id = {id:String} ASYNC`;
    await client.command({ query, query_params: { id: queryId } }).catch(() => undefined);
  }
}

async function textsOf(result: Rows): Promise<Row<Cell[]>[]> {
  const all: Row<Cell[]>[] = [];
  for await (const rows of result.stream<Cell[]>()) all.push(...(rows as Row<Cell[]>[]));
  return all;
}

const tooLarge = (cause: unknown): AppError =>
  new AppError('validation_failed', 'The question would read or keep too much at once.', {
    details: { narrow: ['Ask for fewer days, for fewer dimensions, or filter by links or campaigns.'] },
    cause,
  });
