import type { Comparison, Interval, SummaryBody } from '@waymark/contract/analytics';
import type { WorkspaceAccess } from '@waymark/contract/identity';
import type { LinkStore } from '../../links/link-store.js';
import type { ReportContext } from '../selection/report-context.js';
import { selectionMeta } from '../selection/selection-meta.js';
import type { RowsKeptContext } from '../../retention/rows-kept-from.js';
import type { Selection } from '../selection/selection.js';
import { dateOfDay } from '../../time/local-days.js';
import { isTruncated, presentSums } from '../conversion-sums.js';
import { comparedRange, type ComparedRange } from './compare.js';
import { countSummary, type PointCounts, type SummaryCounts } from './count-summary.js';
import { comparedPoints, trendPoints, type ComparedPoint } from './points.js';

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
  // Read before the figures: `data_as_of` must not include scans that they miss.
  const meta = await selectionMeta(ctx, workspace, selection);
  const asOf = meta.data_as_of === null ? new Date() : new Date(meta.data_as_of);
  const earlier = compare && comparedRange(selection, compare, asOf);
  const [counts, previous, activeLinks] = await Promise.all([
    countSummary(ctx, { selection, interval }, signal),
    earlier && countSummary(ctx, { ...earlier, interval }, signal),
    ctx.links.countActiveLinks({ workspace: workspace.slug, filters: selection.filters }),
  ]);
  return {
    data: {
      kpis: {
        ...presentKpis(counts),
        active_links: activeLinks,
        ...(previous && { previous: presentKpis(previous) }),
      },
      trend: presentTrend(
        { selection, interval, counts, asOf },
        previous && earlier && { ...earlier, counts: previous },
      ),
      devices: rankedDevices(counts),
    },
    meta: {
      ...meta,
      interval,
      compared_with: compare && earlier ? { compare, ...rangeOf(earlier.selection) } : null,
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
  {
    selection,
    interval,
    counts,
    asOf,
  }: { selection: Selection; interval: Interval; counts: SummaryCounts; asOf: Date },
  earlier?: ComparedRange & { counts: SummaryCounts },
): SummaryBody['data']['trend'] {
  const points = trendPoints(interval, selection.days, selection.timeZone);
  const present = points.map((point) =>
    presentPoint(point, point.startsAt > asOf ? NOT_YET : counts.countsOf(point.key)),
  );
  if (!earlier) return present;
  const compared = comparedPoints(interval, earlier.selection.days, earlier.shift);
  return points.map(({ comparedKey: key }, index) => {
    const point = compared.get(key);
    // The second of two repeated hours has no counterpart.
    compared.delete(key);
    const isCompared = point && !(earlier.before && point.startsAt >= earlier.before);
    return { ...present[index]!, previous: isCompared ? presentPoint(point, earlier.counts.countsOf(key)) : null };
  });
}

/** The counts of a point that begins after `data_as_of`. */
const NOT_YET = { scans: null, visitors: null, conversions: null };

const presentPoint = <T extends PointCounts | typeof NOT_YET>(
  { date, startsAt }: ComparedPoint,
  { scans, visitors, conversions }: T,
) => ({
  date,
  starts_at: startsAt.toISOString(),
  scans: scans as T['scans'],
  unique_visitors: visitors as T['visitors'],
  conversions,
});

function rankedDevices({ devices, scans: total }: SummaryCounts): SummaryBody['data']['devices'] {
  return [...devices]
    .map(([device, scans]) => ({ device, scans, share: scans / total }))
    .sort((a, b) => b.scans - a.scans || a.device.localeCompare(b.device));
}
