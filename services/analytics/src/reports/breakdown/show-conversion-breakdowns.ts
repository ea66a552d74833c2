import type { ConversionBreakdownsBody, ConversionDimension } from '@waymark/contract/analytics';
import type { ConversionBreakdownRow } from '../../warehouse/query/conversion-figures.js';
import { isTruncated, presentSums } from '../conversion-sums.js';
import { dataAsOf } from '../selection/report-context.js';
import { scanQueryOf } from '../selection/scan-query-of.js';
import { appliedConversionFilters, type Selection } from '../selection/selection.js';
import { rangeMeta } from '../selection/selection-meta.js';
import type { BreakdownContext } from './show-breakdown.js';
import { withLinks } from './with-links.js';

interface ConversionBreakdownsRequest {
  selection: Selection;
  dimensions: readonly ConversionDimension[];
  limit: number;
  signal?: AbortSignal;
}

/** Ranks the values of several dimensions by the conversions of a selection, with one read of the conversions. */
export async function showConversionBreakdowns(
  ctx: BreakdownContext,
  { selection, dimensions, limit, signal }: ConversionBreakdownsRequest,
): Promise<ConversionBreakdownsBody> {
  // Read before the figures: `data_as_of` must not include conversions that they miss.
  const asOf = await dataAsOf(ctx);
  const query = await scanQueryOf(ctx, selection);
  // One extra row shows whether there are more.
  const rows = await ctx.reader.queryConversionBreakdowns(query, { dimensions, limit: limit + 1 }, signal);
  const ranked = new Map(dimensions.map((name) => [name, rows.filter(({ dimension }) => dimension === name)]));
  const shown = [...ranked].map(([name, found]) => [name, found.slice(0, limit)] as const);
  const data = Object.fromEntries(shown.map(([name, found]) => [name, found.map(presentRow)]));
  if (data.link) data.link = await withLinks(ctx.links, selection.workspace.slug, data.link);
  const truncated = dimensions.filter((name) => ranked.get(name)!.length > limit);
  return {
    data,
    meta: {
      ...rangeMeta(selection),
      filters: appliedConversionFilters(selection),
      data_as_of: asOf?.toISOString() ?? null,
      total: rows[0]?.total ?? 0,
      limit,
      truncated: truncated.length > 0,
      truncated_dimensions: truncated,
      currencies_truncated: shown.some(([, found]) => found.some(({ amounts }) => isTruncated(amounts))),
    },
  };
}

const presentRow = ({ value, conversions, total, amounts }: ConversionBreakdownRow) => ({
  value,
  conversions,
  share: conversions / total,
  conversion_values: presentSums(amounts),
});
