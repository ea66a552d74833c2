import type { ClientSession } from 'mongoose';
import type { RowError } from '@waymark/shared/contract/imports';
import { linkStatus, type CreateLinkBody } from '@waymark/shared/contract/links';
import { AppError } from '@waymark/shared/kernel/errors';
import type { FieldProblems } from '@waymark/shared/kernel/http/input';
import type { ResourceContext } from '../context.js';
import { newLink } from '../links/create-link.js';
import { totalLimitOf } from '../quota/count-statuses.js';
import { readNamedOf, type Named } from '../links/references.js';
import { refusedCode, saveLinks, ShortCodeTaken, type Author } from '../links/save-link.js';
import { checkRows } from './check-rows.js';
import { NOTHING_DONE, type ImportJob, type Tally } from './import-job.js';
import type { Progress } from './import-store.js';
import { inTurns } from './in-turns.js';
import { planRow, type ImportState, type Outcome } from './plan-rows.js';
import { problemsIn, type ImportRow, type RowProblem } from './read-row.js';

/**
 * Does the next rows of the job: links, codes, quota, events and the progress are one transaction.
 * @returns the job as it is then, or null where another worker has taken it over
 */
export async function runBatch(ctx: ResourceContext, job: ImportJob): Promise<ImportJob | null> {
  await openQuotas(ctx, job);
  const stored = await ctx.imports.nextRows(job);
  return runRows(ctx, job, await checkRows(ctx, job.workspace, stored));
}

export async function openQuotas(ctx: ResourceContext, job: ImportJob): Promise<void> {
  for (const status of linkStatus.options) await ctx.counts[status].open(job.workspace, null);
  await ctx.counts.total.open(job.workspace, null);
}

/** What is refused as a whole is tried again in halves, down to the one row that is to blame. */
async function runRows(ctx: ResourceContext, job: ImportJob, rows: ImportRow[]): Promise<ImportJob | null> {
  try {
    return await ctx.turns.run(job.workspace, () => commit(ctx, job, rows));
  } catch (error) {
    if (error instanceof TakenOver) return null;
    if (!isRefusal(error)) throw error;
    const fewer = rows.length > 1 ? rows.slice(0, rows.length >> 1) : [{ problems: problemsOf(error) }];
    return runRows(ctx, job, fewer);
  }
}

/** Undoes the transaction of a worker that is not the only one any more. */
class TakenOver extends Error {}

function commit(ctx: ResourceContext, job: ImportJob, rows: ImportRow[]): Promise<ImportJob> {
  return ctx.db.transaction(async (tx) => {
    const state = await loadState(ctx, job, rows, tx.session);
    const outcomes = await planRows(state, rows);
    const changes = outcomes.flatMap((outcome) => ('change' in outcome && outcome.change ? [outcome.change] : []));
    if (changes.length > 0) await saveLinks(ctx, tx, authorOf(job), changes);
    const after = await ctx.imports.advance(job, progressOf(job.nextRow, outcomes), tx.session);
    if (!after) throw new TakenOver();
    return after;
  });
}

/** In order: each row meets what those before it leave. */
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

/** Reads what the rows meet. */
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
    active: await ctx.counts.active.used(job.workspace, session),
    activeMax: job.plan.activeLinks,
    total: await ctx.counts.total.used(job.workspace, session),
    totalMax: totalLimitOf(ctx.counts, authorOf(job).owner),
    onDuplicate: job.onDuplicate,
    make: (input, ofInput) => newLink(ctx, authorOf(job), input, ofInput),
  };
}

const authorOf = ({ workspace, plan: ofPlan, event }: ImportJob): Author => ({
  owner: { slug: workspace, plan: ofPlan },
  event,
});

export function progressOf(firstRow: number, outcomes: Outcome[]): Progress {
  const tally: Tally = { ...NOTHING_DONE };
  const errors: RowError[] = [];
  outcomes.forEach((outcome, index) => {
    tally[outcome.done] += 1;
    if (outcome.done !== 'failed') return;
    const { code, problems } = outcome;
    errors.push(...problems.map(({ field, message }) => ({ row: firstRow + index + 1, field, code, message })));
  });
  return { rows: outcomes.length, tally, errors };
}

const isRefusal = (error: unknown): error is Error =>
  error instanceof ShortCodeTaken || (error instanceof AppError && error.status < 500);

function problemsOf(error: Error): RowProblem[] {
  const { message, details } = error instanceof ShortCodeTaken ? refusedCode(error) : (error as AppError);
  const lists = Object.entries(details ?? {}).filter(([, messages]) => Array.isArray(messages));
  return lists.length > 0 ? problemsIn(Object.fromEntries(lists) as FieldProblems) : [{ field: null, message }];
}
