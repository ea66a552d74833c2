import type { Device } from '@waymark/shared/contract/analytics';
import { dateOf } from '../time/local-days.js';
import type { SummaryRow } from '../warehouse/query/figures.js';
import type { Question } from '../warehouse/query/question.js';
import type { WarehouseReader } from '../warehouse/query/reader.js';

export interface SummaryCounts {
  scans: number;
  visitors: number;
  /** Bots of the selection are told whether or not it counts them. */
  botScans: number;
  devices: Map<Device, number>;
  /** One for each local day. */
  trend: { scans: number; visitors: number }[];
  isEstimated: boolean;
}

export async function countSummary(
  reader: WarehouseReader,
  { question, days }: { question: Question; days: { firstDay: number; lastDay: number } },
  signal?: AbortSignal,
): Promise<SummaryCounts> {
  const { rows, isEstimated } = await reader.summary(question, 'day', signal);
  const total = rows.find(({ part }) => part === 'total');
  const points = new Map(rows.filter(({ part }) => part === 'point').map((row) => [row.value, row]));
  const dates = Array.from({ length: days.lastDay - days.firstDay + 1 }, (_, index) => dateOf(days.firstDay + index));
  return {
    scans: total?.scans ?? 0,
    visitors: total?.unique_visitors ?? 0,
    botScans: total?.bot_scans ?? 0,
    devices: new Map(rows.filter(isSeenDevice).map(({ value, scans }) => [value as Device, scans])),
    trend: dates.map((date) => ({
      scans: points.get(date)?.scans ?? 0,
      visitors: points.get(date)?.unique_visitors ?? 0,
    })),
    isEstimated,
  };
}

const isSeenDevice = ({ part, scans }: SummaryRow): boolean => part === 'device' && scans > 0;
