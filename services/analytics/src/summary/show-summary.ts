import type { SummaryBody } from '@waymark/shared/contract/analytics';
import type { WorkspaceAccess } from '@waymark/shared/contract/identity';
import type { LinkStore } from '../links/store.js';
import { dataAsOf, type ReportContext } from '../reports/context.js';
import { questionOf } from '../reports/question.js';
import { rowsKeptFrom, type RowsKeptContext } from '../retention/rows-kept-from.js';
import { appliedFilters, type Selection } from '../selection/selection.js';
import { dateOf } from '../time/local-days.js';
import { isConversionFilter } from '../warehouse/query/conversions.js';
import type { Question } from '../warehouse/query/question.js';
import type { WarehouseReader } from '../warehouse/query/reader.js';
import { countSummary, type SummaryCounts } from './count-summary.js';

export interface SummaryContext extends ReportContext, RowsKeptContext {
  links: LinkStore;
}

export async function showSummary(
  ctx: SummaryContext,
  workspace: WorkspaceAccess,
  { selection, signal }: { selection: Selection; signal?: AbortSignal },
): Promise<SummaryBody> {
  const [question, asOf] = await Promise.all([questionOf(ctx.retention, selection), dataAsOf(ctx)]);
  const [counts, conversions, activeLinks, keptFrom] = await Promise.all([
    countSummary(ctx.reader, { question, days: selection.days }, signal),
    conversionsByDate(ctx.reader, question, signal),
    ctx.links.countActive(selection),
    rowsKeptFrom(ctx, workspace),
  ]);
  const { firstDay, lastDay } = selection.days;
  return {
    data: {
      kpis: {
        total_scans: counts.scans,
        unique_visitors: counts.visitors,
        ...conversionFigures(conversions, counts.scans),
        active_links: activeLinks,
        bot_scans: counts.botScans,
      },
      trend: counts.trend.map(({ scans, visitors }, index) => ({
        date: dateOf(firstDay + index),
        scans,
        unique_visitors: visitors,
        conversions: conversions && (conversions.get(dateOf(firstDay + index)) ?? 0),
      })),
      devices: rankedDevices(counts),
    },
    meta: {
      start_date: dateOf(firstDay),
      end_date: dateOf(lastDay),
      timezone: selection.timeZone,
      filters: appliedFilters(selection),
      data_as_of: asOf?.toISOString() ?? null,
      rows_kept_from: keptFrom,
      unique_visitors_estimated: counts.isEstimated,
    },
  };
}

/** A conversion has a link and a campaign. Under other filters there is no figure. */
async function conversionsByDate(
  reader: WarehouseReader,
  question: Question,
  signal?: AbortSignal,
): Promise<Map<string, number> | null> {
  if (!question.filters.every(isConversionFilter)) return null;
  const rows = await reader.conversionsByDate(question, signal);
  return new Map(rows.map(({ date, conversions }) => [date, conversions]));
}

function conversionFigures(conversions: Map<string, number> | null, scans: number) {
  if (!conversions) return { conversions: null, conversion_rate: null };
  const total = [...conversions.values()].reduce((sum, count) => sum + count, 0);
  return { conversions: total, conversion_rate: scans === 0 ? 0 : total / scans };
}

function rankedDevices({ devices, scans: total }: SummaryCounts): SummaryBody['data']['devices'] {
  return [...devices]
    .map(([device, scans]) => ({ device, scans, share: scans / total }))
    .sort((a, b) => b.scans - a.scans || a.device.localeCompare(b.device));
}
