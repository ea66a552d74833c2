import type { SkipItem } from '@waymark/kernel/async/run-periodically';
import { NOTHING_BLOCKED, type BlockedDestinations } from '../destinations/blocked-destinations.js';
import { askChecker } from '../links/admit-destinations.js';
import { destinationsOf } from '../links/destinations.js';
import type { SweptLink } from '../links/link-store.js';
import { applyBlocks, type BlockContext } from './apply-blocks.js';
import type { Pass, SweepStore } from './sweep-store.js';

export interface SweepContext extends BlockContext {
  blocked: BlockedDestinations;
  sweeps: SweepStore;
}

const LINKS_AT_ONCE = 500;
const HOUR_MS = 3600_000;
const DAY_MS = 24 * HOUR_MS;

/** Compares the next links with what is blocked, if a pass is due. @returns true if there are more */
export async function sweepList(ctx: SweepContext, skipItem: SkipItem): Promise<boolean> {
  const { fingerprint } = ctx.blocked;
  const pass = await ctx.sweeps.findPass('list');
  if (!(await isListDue(ctx, pass, fingerprint))) return false;
  const begun = pass.after === null ? { ...pass, after: '', fingerprint } : pass;
  const links = await ctx.links.findSwept(begun.after!, LINKS_AT_ONCE);
  await applyBlocks(ctx, { links, verdicts: null }, skipItem);
  await ctx.sweeps.savePass(await continued(ctx, begun, { links, limit: LINKS_AT_ONCE }));
  return true;
}

/** While nothing is blocked, and nothing was in the last pass, the links need no further one. */
async function isListDue({ sweeps }: SweepContext, pass: Pass, fingerprint: string): Promise<boolean> {
  if (pass.after !== null || pass.fingerprint !== fingerprint) return true;
  if (fingerprint === NOTHING_BLOCKED) return false;
  return isOlderThan(HOUR_MS, pass, await sweeps.now());
}

/** `unanswered`: the checker did not answer. */
export type Progress = 'more' | 'done' | 'unanswered';

/** Asks the checker about the next links, if a pass is due. */
export async function sweepChecks(ctx: SweepContext, limit: number, skipItem: SkipItem): Promise<Progress> {
  const pass = await ctx.sweeps.findPass('check');
  if (pass.after === null && !isOlderThan(DAY_MS, pass, await ctx.sweeps.now())) return 'done';
  const begun = pass.after === null ? { ...pass, after: '' } : pass;
  const links = await ctx.links.findSwept(begun.after!, limit);
  const isAnswered = await review(ctx, links, skipItem);
  // One link may be the reason for which the checker does not answer: the pass leaves it to later reviews.
  if (!isAnswered && limit > 1) return 'unanswered';
  if (!isAnswered) await ctx.links.markPending(links);
  const next = await continued(ctx, begun, { links, limit });
  await ctx.sweeps.savePass(next);
  if (!isAnswered) return 'unanswered';
  return next.after === null ? 'done' : 'more';
}

/** Reviews the links after one that wait for it, e.g. since the checker did not answer. */
export async function reviewPending(
  ctx: SweepContext,
  { after, limit }: { after: string; limit: number },
  skipItem: SkipItem,
): Promise<{ progress: Progress; after: string }> {
  const links = await ctx.links.findPending(after, limit);
  const next = links.length === limit ? links.at(-1)!._id : '';
  if (links.length === 0) return { progress: 'done', after: next };
  const isAnswered = await review(ctx, links, skipItem);
  if (isAnswered) await ctx.links.clearPending(links);
  else return { progress: 'unanswered', after: limit > 1 ? after : next };
  return { progress: next === '' ? 'done' : 'more', after: next };
}

/** @returns false if the checker did not answer */
async function review(ctx: SweepContext, links: readonly SweptLink[], skipItem: SkipItem): Promise<boolean> {
  const destinations = links.flatMap(destinationsOf);
  const verdicts = await askChecker(
    ctx,
    destinations.map(({ field, url }) => ({ [field]: url })),
  );
  await applyBlocks(ctx, { links, verdicts }, skipItem);
  return verdicts === null || destinations.every(({ url }) => verdicts.has(url));
}

async function continued(
  { sweeps }: SweepContext,
  pass: Pass,
  { links, limit }: { links: readonly SweptLink[]; limit: number },
): Promise<Pass> {
  if (links.length === limit) return { ...pass, after: links.at(-1)!._id };
  return { ...pass, after: null, finishedAt: await sweeps.now() };
}

const isOlderThan = (ms: number, { finishedAt }: Pass, now: Date): boolean =>
  finishedAt === null || now.getTime() - finishedAt.getTime() > ms;
