import type { BreakdownBody, BreakdownRowBody, Dimension } from '@waymark/contract/analytics';
import type { WorkspaceAccess } from '@waymark/contract/identity';
import type { LinkStore } from '../../links/link-store.js';
import type { ReportContext } from '../selection/report-context.js';
import { scanQueryOf } from '../selection/scan-query-of.js';
import { selectionMeta } from '../selection/selection-meta.js';
import { rowsKeptFrom, type RowsKeptContext } from '../../retention/rows-kept-from.js';
import type { Selection } from '../selection/selection.js';
import type { BreakdownRow } from '../../warehouse/query/figures.js';
import { withLinks } from './with-links.js';

export interface BreakdownContext extends ReportContext, RowsKeptContext {
  links: LinkStore;
}

interface BreakdownOptions {
  dimensions: readonly Dimension[];
  limit: number;
  signal?: AbortSignal;
}

interface BreakdownRequest extends Omit<BreakdownOptions, 'dimensions'> {
  selection: Selection;
  dimension: Dimension;
}

/** Ranks the values of one dimension by the scans and visitors of a selection. */
export async function showBreakdown(
  ctx: BreakdownContext,
  workspace: WorkspaceAccess,
  { selection, dimension, limit, signal }: BreakdownRequest,
): Promise<BreakdownBody> {
  const keptFrom = await rowsKeptFrom(ctx, workspace);
  const { data, ...meta } = await countBreakdowns(ctx, selection, { dimensions: [dimension], limit, signal });
  const { total, truncated, unique_visitors_estimated } = meta;
  return {
    data: data[dimension]!,
    meta: { dimension, total, limit, truncated, rows_kept_from: keptFrom, unique_visitors_estimated },
  };
}

/** Does the same for several dimensions, with one read of the scans. */
export async function showBreakdowns(
  ctx: BreakdownContext,
  workspace: WorkspaceAccess,
  { selection, ...requested }: BreakdownOptions & { selection: Selection },
) {
  const meta = await selectionMeta(ctx, workspace, selection);
  const { data, ...counted } = await countBreakdowns(ctx, selection, requested);
  return { data, meta: { ...meta, limit: requested.limit, ...counted } };
}

async function countBreakdowns(
  ctx: BreakdownContext,
  selection: Selection,
  { dimensions, limit, signal }: BreakdownOptions,
) {
  const { reader, links } = ctx;
  const query = await scanQueryOf(ctx, selection);
  // One extra row shows whether there are more.
  const { rows, isEstimated } = await reader.queryBreakdowns(query, { dimensions, limit: limit + 1 }, signal);
  const byDimension = new Map(dimensions.map((name) => [name, rows.filter(({ dimension }) => dimension === name)]));
  const data: Partial<Record<Dimension, BreakdownRowBody[]>> = {};
  for (const [name, ranked] of byDimension) data[name] = ranked.slice(0, limit).map(presentRow);
  if (data.link) data.link = await withLinks(links, selection.workspace.slug, data.link);
  const truncated = dimensions.filter((name) => byDimension.get(name)!.length > limit);
  return {
    data,
    total: rows[0]?.total ?? 0,
    truncated: truncated.length > 0,
    truncated_dimensions: truncated,
    unique_visitors_estimated: isEstimated,
  };
}

const presentRow = ({ value, scans, unique_visitors, total }: BreakdownRow): BreakdownRowBody => ({
  value,
  scans,
  unique_visitors,
  share: scans / total,
});
