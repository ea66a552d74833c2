import type { ClientSession } from 'mongoose';
import type { CreateLinkBody } from '@waymark/contract/links';
import { yieldingToEventLoop } from '@waymark/kernel/async/yielding-to-event-loop';
import { AppError, isTemporary, isTransactionTooLarge } from '@waymark/kernel/errors';
import { quotaIn } from '@waymark/kernel/mongo/quota';
import type { ImportContext } from './context.js';
import type { Author } from '../links/change.js';
import { newLink } from '../links/create-link.js';
import type { Verdicts } from '../destinations/destination-checker.js';
import { askChecker } from '../links/admit-destinations.js';
import { prepareAllStatusCounts, totalLimitOf } from '../links/status-counts.js';
import { readReferences, type References } from '../links/references.js';
import { invalidCode, saveLinks, ShortCodeTaken } from '../links/save-links.js';
import { checkRows } from './check-rows.js';
import { ROWS_PER_BATCH, type ImportJob } from './import-job.js';
import { planRow, type ImportState, type Outcome } from './plan-rows.js';
import { quotaProblems, rowProblems, type ImportRow, type RowProblem } from './read-row.js';
import { recordProgress, resultsOf } from './record-progress.js';

/**
 * Processes the next rows of the job in one transaction: links, codes, quota, events, results and progress.
 * @returns the updated job, or null if another worker has taken it over
 */
export async function runBatch(ctx: ImportContext, job: ImportJob): Promise<ImportJob | null> {
  await prepareAllStatusCounts(ctx.counts, job.workspace);
  const stored = await ctx.imports.findNextRows(job, ROWS_PER_BATCH);
  const rows = await checkRows(ctx, job.workspace, stored);
  return runRows(ctx, job, { rows, verdicts: await checkRowDestinations(ctx, rows) });
}

interface CheckedRows {
  rows: ImportRow[];
  /** What the checker says of their destinations. */
  verdicts: Verdicts | null;
}

/** Asks the checker about the destinations of the rows. */
export const checkRowDestinations = (ctx: ImportContext, rows: readonly ImportRow[]): Promise<Verdicts | null> =>
  askChecker(
    ctx,
    rows.flatMap((row) => ('input' in row ? [row.input] : [])),
  );

/**
 * Retries refused rows, and those that no transaction can hold together, with the first half of them, down to the one row
 * at fault.
 */
async function runRows(ctx: ImportContext, job: ImportJob, checked: CheckedRows): Promise<ImportJob | null> {
  const { rows } = checked;
  try {
    return await ctx.changes.run(job.workspace, () => commit(ctx, job, checked));
  } catch (error) {
    if (error instanceof TakenOver) return null;
    const isDivisible = rows.length > 1 && (isRefusal(error) || isTransactionTooLarge(error));
    if (isDivisible) return runRows(ctx, job, { ...checked, rows: rows.slice(0, rows.length >> 1) });
    if (!isRefusal(error)) throw error;
    return runRows(ctx, job, { ...checked, rows: [{ problems: problemsOf(error) }] });
  }
}

/** Thrown inside the transaction to roll it back: another worker has taken over the job. */
class TakenOver extends Error {}

function commit(ctx: ImportContext, job: ImportJob, { rows, verdicts }: CheckedRows): Promise<ImportJob> {
  return ctx.db.transaction(async (tx) => {
    const state = await loadState(ctx, { job, rows, verdicts }, tx.session);
    const outcomes = await planRows(state, rows);
    const changes = outcomes.flatMap((outcome) => ('change' in outcome ? [outcome.change] : []));
    if (changes.length > 0) await saveLinks(ctx, tx, { ...authorOf(job), changes });
    const results = resultsOf(job, { firstRow: job.nextRow, rows, outcomes });
    const after = await recordProgress(ctx, { job, results }, tx.session);
    if (!after) throw new TakenOver();
    return after;
  });
}

/** Plans the rows in order: each sees the changes of those before it. */
export async function planRows(state: LoadedState, rows: ImportRow[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for await (const row of yieldingToEventLoop(rows)) {
    outcomes.push(
      'input' in row
        ? planRow(state, row.input, state.references.get(row.input)!)
        : { done: 'failed', code: 'validation_failed', problems: row.problems },
    );
  }
  return outcomes;
}

interface LoadedState extends ImportState {
  references: Map<CreateLinkBody, References>;
}

/** Reads the state before the rows. */
export async function loadState(
  ctx: ImportContext,
  { job, rows, verdicts }: CheckedRows & { job: ImportJob },
  session: ClientSession,
): Promise<LoadedState> {
  const { workspace } = job;
  const inputs = rows.flatMap((row) => ('input' in row ? [row.input] : []));
  const references = await readReferences(ctx, { workspace, bodies: inputs }, session);
  const addresses = inputs.flatMap(({ short_code: shortCode }, index) =>
    shortCode === undefined ? [] : [{ hostname: references[index]!.domain?.hostname ?? null, shortCode }],
  );
  const codes = addresses.map(({ shortCode }) => shortCode);
  const links = await ctx.links.findByCodes(workspace, codes, session);
  return {
    references: new Map(inputs.map((input, index) => [input, references[index]!])),
    links: new Map(links.map((link) => [link.codeKeys[0]!, link])),
    formerKeys: new Set(links.flatMap(({ codeKeys }) => codeKeys.slice(1))),
    codeOwners: await ctx.codes.findOwners(addresses, session),
    workspace,
    active: await ctx.counts.active.countUsed(workspace, session),
    activeMax: job.plan.activeLinks,
    total: await ctx.counts.total.countUsed(workspace, session),
    totalMax: totalLimitOf(ctx.counts, authorOf(job).owner),
    onDuplicate: job.onDuplicate,
    destinationRules: ctx.destinationRules,
    verdicts,
    createLink: (input, ofInput) => newLink(ctx.contentType, authorOf(job), { input, references: ofInput }),
  };
}

const authorOf = ({ workspace, plan, event }: ImportJob): Author => ({
  owner: { slug: workspace, plan },
  event,
});

const isRefusal = (error: unknown): error is Error =>
  error instanceof ShortCodeTaken || (error instanceof AppError && error.status < 500 && !isTemporary(error));

function problemsOf(error: Error): RowProblem[] {
  const refusal = error instanceof ShortCodeTaken ? invalidCode(error) : (error as AppError);
  const quota = quotaIn(refusal);
  if (quota) return quotaProblems(quota);
  const { message, problems } = refusal;
  return problems ? rowProblems(problems) : [{ field: null, message }];
}
