import type { Device, Interval } from '@waymark/contract/analytics';
import type { RowsKeptContext } from '../../retention/rows-kept-from.js';
import type { ReportContext } from '../selection/report-context.js';
import { scanQueryOf } from '../selection/scan-query-of.js';
import type { Selection } from '../selection/selection.js';
import type { SummaryRow } from '../../warehouse/query/figures.js';
import { isConversionFilter } from '../../warehouse/query/conversion-figures.js';
import type { ScanQuery } from '../../warehouse/query/scan-query.js';
import type { WarehouseReader } from '../../warehouse/query/reader.js';
import type { ConversionSums } from '../conversion-sums.js';

export interface PointCounts {
  scans: number;
  visitors: number;
  /** `null` when a filter does not apply to conversions. */
  conversions: number | null;
}

export interface SummaryCounts {
  scans: number;
  visitors: number;
  conversions: number | null;
  /** `null` like `conversions`. */
  sums: ConversionSums | null;
  /** Bots in the selection, whether or not `scans` includes them. */
  botScans: number;
  devices: Map<Device, number>;
  /** Returns zeros for a point without scans and conversions. */
  countsOf: (pointKey: string) => PointCounts;
  isEstimated: boolean;
}

export async function countSummary(
  ctx: RowsKeptContext & Pick<ReportContext, 'reader'>,
  {
    selection,
    interval,
    shift,
    before,
  }: { interval: Interval } & Pick<ScanQuery, 'shift' | 'before'> & {
      selection: Selection;
    },
  signal?: AbortSignal,
): Promise<SummaryCounts> {
  const query = { ...(await scanQueryOf(ctx, selection)), shift, before };
  const [{ rows, isEstimated }, conversions] = await Promise.all([
    ctx.reader.querySummary(query, interval, signal),
    countConversions(ctx.reader, { query, interval, signal }),
  ]);
  const total = rows.find(({ part }) => part === 'total');
  const counted = new Map(rows.filter(({ part }) => part === 'point').map((row) => [row.value, row]));
  const countsOf = (key: string) => ({
    scans: counted.get(key)?.scans ?? 0,
    visitors: counted.get(key)?.unique_visitors ?? 0,
    conversions: conversions && (conversions.byPoint.get(key) ?? 0),
  });
  return {
    scans: total?.scans ?? 0,
    visitors: total?.unique_visitors ?? 0,
    conversions: conversions && [...conversions.byPoint.values()].reduce((sum, count) => sum + count, 0),
    sums: conversions?.sums ?? null,
    botScans: total?.bot_scans ?? 0,
    devices: new Map(rows.filter(isSeenDevice).map(({ value, scans }) => [value as Device, scans])),
    countsOf,
    isEstimated,
  };
}

const isSeenDevice = ({ part, scans }: SummaryRow): boolean => part === 'device' && scans > 0;

/** Conversions only have the fields of a link and a campaign; with other filters the figures are null. */
async function countConversions(
  reader: WarehouseReader,
  { query, interval, signal }: { query: ScanQuery; interval: Interval; signal?: AbortSignal },
): Promise<{ byPoint: Map<string, number>; sums: ConversionSums } | null> {
  if (!query.filters.every(isConversionFilter)) return null;
  const rows = await reader.queryConversions(query, interval, signal);
  const points = rows.filter(({ part }) => part === 'point');
  const currencies = rows.filter(({ part }) => part === 'currency');
  return {
    byPoint: new Map(points.map(({ value, conversions }) => [value, conversions])),
    sums: currencies.map(({ value, amount }) => [value, amount!]),
  };
}
