import type { ImportContext } from './context.js';
import { codeKey, type Link } from '../links/link.js';
import { checkRows } from './check-rows.js';
import { ROWS_PER_CHUNK, type ImportJob } from './import-job.js';
import type { ImportState, Outcome } from './plan-rows.js';
import type { ImportRow } from './read-row.js';
import { recordProgress, resultsOf } from './record-progress.js';
import type { RowResult } from './result-store.js';
import { prepareAllStatusCounts } from '../links/status-counts.js';
import { checkRowDestinations, loadState, planRows } from './run-batch.js';

/** Fields that no plan reads, and that can be the largest: a row has the current code of its link. */
const NOT_PLANNED = { formerCodes: [], codeKeys: [], words: [] };

/** The state that the rows so far would leave for the next ones. */
interface Planned {
  links: Map<string, Link>;
  active?: number;
  total?: number;
}

/**
 * Plans all rows of a dry run, chunk by chunk: only the results and the links that later rows can conflict with stay in
 * memory. It starts again if it is interrupted.
 * @param keepLease renews the lease; false if another worker has it
 * @returns the updated job, or null if another worker has taken it over
 */
export async function dryRun(
  ctx: ImportContext,
  job: ImportJob,
  keepLease: () => Promise<boolean>,
): Promise<ImportJob | null> {
  await prepareAllStatusCounts(ctx.counts, job.workspace);
  const planned: Planned = { links: new Map() };
  const results: RowResult[] = [];
  while (results.length < job.totalRows) {
    if (!(await keepLease())) return null;
    const nextRow = results.length;
    const rows = await checkRows(
      ctx,
      job.workspace,
      await ctx.imports.findNextRows({ ...job, nextRow }, ROWS_PER_CHUNK),
    );
    const outcomes = await planChunk(ctx, { job, rows }, planned);
    results.push(...resultsOf(job, { firstRow: nextRow, rows, outcomes }));
  }
  return ctx.db.transaction(({ session }) => recordProgress(ctx, { job, results }, session));
}

async function planChunk(
  ctx: ImportContext,
  { job, rows }: { job: ImportJob; rows: ImportRow[] },
  planned: Planned,
): Promise<Outcome[]> {
  const verdicts = await checkRowDestinations(ctx, rows);
  const loaded = await ctx.db.transaction(({ session }) => loadState(ctx, { job, rows, verdicts }, session));
  const keys = rows.flatMap((row) => ('input' in row && row.input.short_code ? [codeKey(row.input.short_code)] : []));
  const state = { ...loaded, ...planned, links: withPlanned(loaded, planned, keys) };
  const outcomes = await planRows(state, rows);
  for (const key of keys) {
    const link = state.links.get(key);
    if (link) planned.links.set(key, { ...link, ...NOT_PLANNED });
  }
  Object.assign(planned, { active: state.active, total: state.total });
  return outcomes;
}

function withPlanned({ links }: ImportState, planned: Planned, keys: string[]): Map<string, Link> {
  return new Map([
    ...links,
    ...keys.flatMap((key): [string, Link][] => {
      const link = planned.links.get(key);
      return link ? [[key, link]] : [];
    }),
  ]);
}
