import { isDeepStrictEqual } from 'node:util';
import type { EventContext } from '@waymark/contract/event';
import { invalid, notFound } from '@waymark/kernel/errors';
import type { Transaction } from '@waymark/kernel/mongo/database';
import type { CheckCurrent } from '@waymark/kernel/http/conditional';
import type { ResourceContext } from '../context.js';
import type { Owner } from '../quota/owner.js';
import { applyInput, checkLink, keepPlace, type LinkInput } from './apply-input.js';
import { checkDestination } from './check-destination.js';
import { isAt, type Link, type TaggedLink } from './link.js';
import { readNamed, referenceProblems, tagged } from './references.js';
import { saveLink, refusedCode, ShortCodeTaken } from './save-link.js';

interface LinkUpdate {
  id: string;
  input: LinkInput;
  check: CheckCurrent<TaggedLink> | undefined;
}

/** Changes the fields of the input; one change emits one event, whose type a status change determines. */
export async function updateLink(
  ctx: ResourceContext,
  event: EventContext,
  owner: Owner,
  change: LinkUpdate,
): Promise<TaggedLink> {
  const { input } = change;
  const problems = await referenceProblems(ctx, owner.slug, input);
  if (Object.keys(problems).length > 0) throw invalid(problems);
  // No limit here: the transaction checks it once it knows that the status changes.
  if (input.status) await ctx.counts[input.status].prepareReservation(owner.slug, null);
  try {
    return await ctx.changes.run(owner.slug, () => ctx.db.transaction((tx) => update(ctx, tx, event, owner, change)));
  } catch (error) {
    throw error instanceof ShortCodeTaken ? refusedCode(error) : error;
  }
}

async function update(
  ctx: ResourceContext,
  tx: Transaction,
  event: EventContext,
  owner: Owner,
  { id, input, check }: LinkUpdate,
): Promise<TaggedLink> {
  const before = await ctx.links.byId(owner.slug, id, tx.session);
  if (!before) throw notFound();
  check?.(await tagged(ctx, owner.slug, before, tx.session));
  const named = await readNamed(ctx, owner.slug, input, tx.session);
  const after = keepPlace(before, applyInput(before, input, named));
  const link = isSame(before, after) ? before : after;
  if (link === after) {
    checkLink(before, after);
    if (!isAt(before, after)) await refuseLoop(ctx, after);
    await saveLink(ctx, tx, { owner, event, before, after });
  }
  return tagged(ctx, owner.slug, link, tx.session);
}

/** The destination's host may have become a short host since it was set. */
async function refuseLoop(ctx: ResourceContext, { destinationUrl }: Link): Promise<void> {
  const problems = await checkDestination(ctx, destinationUrl);
  if (Object.keys(problems).length > 0) throw invalid(problems);
}

function isSame(before: Link, after: Link): boolean {
  return isDeepStrictEqual({ ...after, updatedAt: before.updatedAt, revision: before.revision }, before);
}
