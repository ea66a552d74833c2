import type { Comparison, Interval, SummaryBody } from '@waymark/contract/analytics';
import type { WorkspaceAccess } from '@waymark/contract/identity';
import type { LinkStore } from '../../links/link-store.js';
import type { ReportContext } from '../selection/report-context.js';
import { selectionMeta } from '../selection/selection-meta.js';
import type { RowsKeptContext } from '../../retention/rows-kept-from.js';
import type { Selection } from '../selection/selection.js';
import { dateOfDay } from '../../time/local-days.js';
import { isTruncated, presentSums } from '../conversion-sums.js';
import { comparedSelection, pairPoints } from './compare.js';
import { countSummary, type PointCounts, type SummaryCounts } from './count-summary.js';

export interface SummaryContext extends ReportContext, RowsKeptContext {
  links: LinkStore;
}

interface SummaryRequest {
  selection: Selection;
  interval: Interval;
  compare?: Comparison;
  signal?: AbortSignal;
}

export async function showSummary(
  ctx: SummaryContext,
  workspace: WorkspaceAccess,
  { selection, interval, compare, signal }: SummaryRequest,
): Promise<SummaryBody> {
  const earlier = compare && comparedSelection(selection, compare);
  // Read before the figures: `data_as_of` must not include scans that they miss.
  const meta = await selectionMeta(ctx, workspace, selection);
  const [counts, previous, activeLinks] = await Promise.all([
    countSummary(ctx, { selection, interval }, signal),
    earlier && countSummary(ctx, { selection: earlier, interval }, signal),
    ctx.links.countActiveLinks({ workspace: workspace.slug, filters: selection.filters }),
  ]);
  const comparison = compare && previous && { comparison: compare, interval, trend: previous.trend };
  return {
    data: {
      kpis: {
        ...presentKpis(counts),
        active_links: activeLinks,
        ...(previous && { previous: presentKpis(previous) }),
      },
      trend: presentTrend(counts.trend, comparison),
      devices: rankedDevices(counts),
    },
    meta: {
      ...meta,
      interval,
      compared_with: compare && earlier ? { compare, ...rangeOf(earlier) } : null,
      unique_visitors_estimated: counts.isEstimated || previous?.isEstimated === true,
      currencies_truncated: [counts, previous].some((each) => each?.sums && isTruncated(each.sums)),
    },
  };
}

const rangeOf = ({ days }: Selection) => ({ start_date: dateOfDay(days.firstDay), end_date: dateOfDay(days.lastDay) });

const presentKpis = ({ scans, visitors, conversions, sums, botScans }: SummaryCounts) => ({
  total_scans: scans,
  unique_visitors: visitors,
  conversions,
  conversion_rate: conversions === null ? null : scans === 0 ? 0 : conversions / scans,
  conversion_values: sums && presentSums(sums),
  bot_scans: botScans,
});

function presentTrend(
  trend: readonly PointCounts[],
  compared?: { comparison: Comparison; interval: Interval; trend: readonly PointCounts[] },
): SummaryBody['data']['trend'] {
  if (!compared) return trend.map(presentPoint);
  const pairs = pairPoints(trend, compared.trend, compared);
  return trend.map((point, index) => {
    const previous = pairs[index];
    return { ...presentPoint(point), previous: previous ? presentPoint(previous) : null };
  });
}

const presentPoint = ({ date, startsAt, scans, visitors, conversions }: PointCounts) => ({
  date,
  starts_at: startsAt.toISOString(),
  scans,
  unique_visitors: visitors,
  conversions,
});

function rankedDevices({ devices, scans: total }: SummaryCounts): SummaryBody['data']['devices'] {
  return [...devices]
    .map(([device, scans]) => ({ device, scans, share: scans / total }))
    .sort((a, b) => b.scans - a.scans || a.device.localeCompare(b.device));
}
