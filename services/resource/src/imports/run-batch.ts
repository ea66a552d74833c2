import type { ClientSession } from 'mongoose';
import { linkStatus, type CreateLinkBody } from '@waymark/contract/links';
import { AppError, isTemporary } from '@waymark/kernel/errors';
import type { FieldProblems } from '@waymark/kernel/http/input';
import { quotaIn } from '@waymark/kernel/mongo/quota';
import type { ResourceContext } from '../context.js';
import { newLink } from '../links/create-link.js';
import { totalLimitOf } from '../quota/count-statuses.js';
import { readNamedOf, type Named } from '../links/references.js';
import { refusedCode, saveLinks, ShortCodeTaken, type Author } from '../links/save-link.js';
import { checkRows } from './check-rows.js';
import type { ImportJob } from './import-job.js';
import { inTurns } from './in-turns.js';
import { planRow, type ImportState, type Outcome } from './plan-rows.js';
import { problemsIn, quotaProblems, type ImportRow, type RowProblem } from './read-row.js';
import { recordProgress, resultsOf } from './record-progress.js';

/**
 * Processes the next rows of the job in one transaction: links, codes, quota, events, results and progress.
 * @returns the updated job, or null if another worker has taken it over
 */
export async function runBatch(ctx: ResourceContext, job: ImportJob): Promise<ImportJob | null> {
  await openQuotas(ctx, job);
  const stored = await ctx.imports.nextRows(job, ctx.importPace.rowsFor(job.workspace));
  return runRows(ctx, job, await checkRows(ctx, job.workspace, stored));
}

export async function openQuotas(ctx: ResourceContext, job: ImportJob): Promise<void> {
  for (const status of linkStatus.options) await ctx.counts[status].prepareReservation(job.workspace, null);
  await ctx.counts.total.prepareReservation(job.workspace, null);
}

/** Retries refused rows with the first half of them, down to the one row at fault. */
async function runRows(ctx: ResourceContext, job: ImportJob, rows: ImportRow[]): Promise<ImportJob | null> {
  try {
    return await ctx.changes.run(job.workspace, () => commit(ctx, job, rows));
  } catch (error) {
    if (error instanceof TakenOver) return null;
    if (!isRefusal(error)) throw error;
    const fewer = rows.length > 1 ? rows.slice(0, rows.length >> 1) : [{ problems: problemsOf(error) }];
    return runRows(ctx, job, fewer);
  }
}

/** Thrown inside the transaction to roll it back: another worker has taken over the job. */
class TakenOver extends Error {}

function commit(ctx: ResourceContext, job: ImportJob, rows: ImportRow[]): Promise<ImportJob> {
  return ctx.db.transaction(async (tx) => {
    const state = await loadState(ctx, job, rows, tx.session);
    const outcomes = await planRows(state, rows);
    const changes = outcomes.flatMap((outcome) => ('change' in outcome ? [outcome.change] : []));
    if (changes.length > 0) await saveLinks(ctx, tx, authorOf(job), changes);
    const after = await recordProgress(ctx, job, resultsOf(job, job.nextRow, rows, outcomes), tx.session);
    if (!after) throw new TakenOver();
    return after;
  });
}

/** Plans the rows in order: each sees the changes of those before it. */
export async function planRows(state: LoadedState, rows: ImportRow[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for await (const row of inTurns(rows)) {
    outcomes.push(
      'input' in row
        ? planRow(state, row.input, state.named.get(row.input)!)
        : { done: 'failed', code: 'validation_failed', problems: row.problems },
    );
  }
  return outcomes;
}

interface LoadedState extends ImportState {
  named: Map<CreateLinkBody, Named>;
}

/** Reads the state before the rows. */
export async function loadState(
  ctx: ResourceContext,
  job: ImportJob,
  rows: ImportRow[],
  session: ClientSession,
): Promise<LoadedState> {
  const inputs = rows.flatMap((row) => ('input' in row ? [row.input] : []));
  const named = await readNamedOf(ctx, job.workspace, inputs, session);
  const places = inputs.flatMap(({ short_code: shortCode }, index) =>
    shortCode === undefined ? [] : [{ hostname: named[index]!.domain?.hostname ?? null, shortCode }],
  );
  const codes = places.map(({ shortCode }) => shortCode);
  const links = await ctx.links.byCodes(job.workspace, codes, session);
  return {
    named: new Map(inputs.map((input, index) => [input, named[index]!])),
    links: new Map(links.map((link) => [link.codeKeys[0]!, link])),
    formerKeys: new Set(links.flatMap(({ codeKeys }) => codeKeys.slice(1))),
    holders: await ctx.codes.holdersOf(places, session),
    workspace: job.workspace,
    active: await ctx.counts.active.countUsed(job.workspace, session),
    activeMax: job.plan.activeLinks,
    total: await ctx.counts.total.countUsed(job.workspace, session),
    totalMax: totalLimitOf(ctx.counts, authorOf(job).owner),
    onDuplicate: job.onDuplicate,
    make: (input, ofInput) => newLink(ctx, authorOf(job), input, ofInput),
  };
}

const authorOf = ({ workspace, plan: ofPlan, event }: ImportJob): Author => ({
  owner: { slug: workspace, plan: ofPlan },
  event,
});

const isRefusal = (error: unknown): error is Error =>
  error instanceof ShortCodeTaken || (error instanceof AppError && error.status < 500 && !isTemporary(error));

function problemsOf(error: Error): RowProblem[] {
  const refusal = error instanceof ShortCodeTaken ? refusedCode(error) : (error as AppError);
  const quota = quotaIn(refusal);
  if (quota) return quotaProblems(quota);
  const { message, details } = refusal;
  const lists = Object.entries(details ?? {}).filter(([, messages]) => Array.isArray(messages));
  return lists.length > 0 ? problemsIn(Object.fromEntries(lists) as FieldProblems) : [{ field: null, message }];
}
