import { isDeepStrictEqual } from 'node:util';
import { invalid, missing } from '@waymark/kernel/errors';
import type { CheckCurrent } from '@waymark/kernel/http/conditional';
import type { Transaction } from '@waymark/kernel/mongo/database';
import { applyInput, checkFieldRules, keepFormerCode, type LinkInput } from './apply-input.js';
import type { Author } from './change.js';
import { checkDestination } from './check-destination.js';
import type { ChangeContext, DestinationContext } from './context.js';
import { completed, isSameAddress, type Link, type TaggedLink } from './link.js';
import { readReferences, withTags } from './references.js';
import { runChange } from './run-change.js';
import { invalidCode, saveLinks, ShortCodeTaken } from './save-links.js';

interface LinkUpdate extends Author {
  id: string;
  input: LinkInput;
  check: CheckCurrent<TaggedLink> | undefined;
}

/** Changes the fields of the input; one change emits one event, whose type a status change determines. */
export async function updateLink(ctx: ChangeContext, update: LinkUpdate): Promise<TaggedLink> {
  const { owner, input, signal } = update;
  // No limit here: the transaction checks it once it knows that the status changes.
  if (input.status) await ctx.counts[input.status].prepareReservation(owner.slug, null);
  try {
    return await runChange(ctx, { workspace: owner.slug, signal }, (tx) => applyUpdate(ctx, tx, update));
  } catch (error) {
    throw error instanceof ShortCodeTaken ? invalidCode(error) : error;
  }
}

async function applyUpdate(ctx: ChangeContext, tx: Transaction, update: LinkUpdate): Promise<TaggedLink> {
  const { owner, event, id, input, check } = update;
  const before = await ctx.links.findLink(owner.slug, id, tx.session);
  if (!before) throw missing(ctx.contentType.noun, id);
  check?.(await withTags(ctx, before, tx.session));
  const [references] = await readReferences(ctx, { workspace: owner.slug, bodies: [input] }, tx.session);
  const after = keepFormerCode(before, applyInput(before, input, references!));
  const link = isSame(before, after) ? before : after;
  if (link === after) {
    checkFieldRules(before, after);
    if (!isSameAddress(before, after)) await rejectLoop(ctx, after);
    await saveLinks(ctx, tx, { owner, event, changes: [{ before, after }] });
  }
  return withTags(ctx, link, tx.session);
}

/** The destination's host may have become a short host since it was set. */
async function rejectLoop(ctx: DestinationContext, { destinationUrl }: Link): Promise<void> {
  const problems = await checkDestination(ctx, destinationUrl);
  if (Object.keys(problems).length > 0) throw invalid(problems);
}

/** True if the input changed nothing. */
export function isSame(before: Link, after: Link): boolean {
  const { updatedAt, revision, endDueAt } = completed(before);
  return isDeepStrictEqual({ ...after, updatedAt, revision, endDueAt }, completed(before));
}
