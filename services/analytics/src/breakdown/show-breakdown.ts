import type { BreakdownBody, Dimension } from '@waymark/shared/contract/analytics';
import type { ReportContext } from '../reports/context.js';
import { questionOf } from '../reports/question.js';
import type { Selection } from '../selection/selection.js';

/** The scans and visitors of a selection by the values of one dimension, ranked. */
export async function showBreakdown(
  { reader, retention }: ReportContext,
  selection: Selection,
  { dimension, limit, signal }: { dimension: Dimension; limit: number; signal?: AbortSignal },
): Promise<BreakdownBody> {
  const question = await questionOf(retention, selection);
  // One more tells whether there are more.
  const asked = { dimensions: [dimension], limit: limit + 1 };
  const { rows, isEstimated } = await reader.breakdowns(question, asked, signal);
  const total = rows[0]?.total ?? 0;
  const data = rows.slice(0, limit).map(({ value, scans, unique_visitors }) => ({
    value,
    scans,
    unique_visitors,
    share: scans / total,
  }));
  const truncated = rows.length > limit;
  return { data, meta: { dimension, total, limit, truncated, unique_visitors_estimated: isEstimated } };
}
