import { isDeepStrictEqual } from 'node:util';
import { invalid, missing } from '@waymark/kernel/errors';
import type { CheckCurrent } from '@waymark/kernel/http/conditional';
import type { Transaction } from '@waymark/kernel/mongo/database';
import type { Verdicts } from '../destinations/destination-checker.js';
import { admitDestinations, askChecker } from './admit-destinations.js';
import { applyInput, checkFieldRules, keepFormerCode, type LinkInput } from './apply-input.js';
import type { Author } from './change.js';
import { checkDestinations } from './check-destination.js';
import type { ChangeContext, DestinationContext } from './context.js';
import { destinationsIn, destinationsOf } from './destinations.js';
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
  const verdicts = await checkChanged(ctx, update);
  try {
    const apply = (tx: Transaction) => applyUpdate(ctx, tx, { ...update, verdicts });
    return await runChange(ctx, { workspace: owner.slug, signal }, apply);
  } catch (error) {
    throw error instanceof ShortCodeTaken ? invalidCode(error) : error;
  }
}

/** Asks the checker only about destinations that change: clients may send all fields of a link. */
async function checkChanged(ctx: ChangeContext, { owner, id, input }: LinkUpdate): Promise<Verdicts | null> {
  if (!ctx.destinationRules.checker || destinationsIn(input).length === 0) return askChecker(ctx, []);
  const before = await ctx.links.findLink(owner.slug, id);
  const known = new Set(before && destinationsOf(before).map(({ url }) => url));
  return askChecker(
    ctx,
    destinationsIn(input).flatMap(({ field, url }) => (known.has(url) ? [] : [{ [field]: url }])),
  );
}

async function applyUpdate(
  ctx: ChangeContext,
  tx: Transaction,
  update: LinkUpdate & { verdicts: Verdicts | null },
): Promise<TaggedLink> {
  const { owner, event, id, input, check, verdicts } = update;
  const before = await ctx.links.findLink(owner.slug, id, tx.session);
  if (!before) throw missing(ctx.contentType.noun, id);
  check?.(await withTags(ctx, before, tx.session));
  const [references] = await readReferences(ctx, { workspace: owner.slug, bodies: [input] }, tx.session);
  const after = keepFormerCode(before, applyInput(before, input, references!));
  if (isSame(before, after)) return withTags(ctx, before, tx.session);
  checkFieldRules(before, after);
  const admitted = admitDestinations(ctx, { before, after }, verdicts);
  if (!isSameAddress(before, after)) await rejectLoop(ctx, after);
  await saveLinks(ctx, tx, { owner, event, changes: [{ before, after: admitted }] });
  return withTags(ctx, admitted, tx.session);
}

/** The destination's host may have become a short host since it was set. */
async function rejectLoop(ctx: DestinationContext, link: Link): Promise<void> {
  const body = Object.fromEntries(destinationsOf(link).map(({ field, url }) => [field, url]));
  const [problems] = await checkDestinations(ctx, [body]);
  if (Object.keys(problems!).length > 0) throw invalid(problems!);
}

/** True if the input changed nothing. */
export function isSame(before: Link, after: Link): boolean {
  const { updatedAt, revision, endDueAt } = completed(before);
  return isDeepStrictEqual({ ...after, updatedAt, revision, endDueAt }, completed(before));
}
