import type { ClientSession } from 'mongoose';
import { changesBetween } from '@waymark/contract/audit-changes';
import type { EventContext } from '@waymark/contract/event';
import type { Transaction } from '@waymark/kernel/mongo/database';
import { AppError, invalid } from '@waymark/kernel/errors';
import type { ResourceContext } from '../context.js';
import type { Claim, Place } from '../codes/code-store.js';
import { countStatuses } from '../quota/count-statuses.js';
import type { Owner } from '../quota/owner.js';
import { auditable } from './kind.js';
import { codeKey, isAt, placesOf, snapshotOf, type Link } from './link.js';
import { moveReferences } from './references.js';

/** The owner of the changed links with its plan, and the context of the change. */
export interface Author {
  owner: Owner;
  event: EventContext;
}

export interface Change {
  /** `null` if the link is created. */
  before: Link | null;
  /** `null` if the link is deleted. */
  after: Link | null;
}

export const TAKEN = 'The short_code is already taken.';
export const EARLIER = 'The short_code is an earlier code of another link.';

/** Thrown inside the transaction to roll it back: the short code is taken. */
export class ShortCodeTaken extends Error {
  constructor(message = TAKEN) {
    super(message);
  }
}

export const refusedCode = ({ message }: ShortCodeTaken) => invalid({ short_code: [message] });

/**
 * Every change of a link goes through here: one transaction writes its codes, the quota, the counts of its references,
 * the link itself and its event.
 * @throws ShortCodeTaken
 */
export function saveLink(ctx: ResourceContext, tx: Transaction, change: Author & Change): Promise<void> {
  return saveLinks(ctx, tx, change, [change]);
}

/** The same for several changes, all or none. A later change may update a link that an earlier one creates. */
export async function saveLinks(
  ctx: ResourceContext,
  tx: Transaction,
  author: Author,
  changes: readonly Change[],
): Promise<void> {
  // All changes of a workspace conflict here first: one that must restart has no other work to repeat.
  await countStatuses(ctx.counts, author.owner, changes, tx.session);
  await moveCodes(ctx, tx, author.owner.slug, changes);
  await moveReferences(ctx, author.owner.slug, changes, tx.session);
  await store(ctx, tx, changes);
  tx.emit(...changes.map((change) => eventOf(ctx, author, change)));
}

async function moveCodes(
  ctx: ResourceContext,
  { session }: Transaction,
  workspace: string,
  changes: readonly Change[],
): Promise<void> {
  const claims = changes.flatMap(({ before, after }) =>
    placesBeside(after, before).map((place) => ({ place, linkId: after!._id })),
  );
  await refuseEarlierCodes(ctx, workspace, claims, session);
  const holders = await ctx.codes.holdersOf(
    claims.map(({ place }) => place),
    session,
  );
  const outcome = await ctx.codes.claim(workspace, claims, new Set(holders.keys()), session);
  if (outcome === 'taken') throw new ShortCodeTaken();
  const left = changes.flatMap(({ before, after }) =>
    placesBeside(before, after).map((place) => ({ place, linkId: before!._id })),
  );
  await ctx.codes.release(left, session);
}

/**
 * A former code of another link leads there permanently, since it may be printed. The unique index would refuse it too;
 * this check gives it a message of its own.
 */
async function refuseEarlierCodes(
  ctx: ResourceContext,
  workspace: string,
  claims: readonly Claim[],
  session: ClientSession,
): Promise<void> {
  const codes = claims.map(({ place }) => place.shortCode);
  for (const { _id, codeKeys } of await ctx.links.byCodes(workspace, codes, session)) {
    const formerKeys = codeKeys.slice(1);
    const isWanted = claims.some(
      ({ place, linkId }) => linkId !== _id && formerKeys.includes(codeKey(place.shortCode)),
    );
    if (isWanted) throw new ShortCodeTaken(EARLIER);
  }
}

/** Returns the places of `one` that `other` does not have. */
function placesBeside(one: Link | null, other: Link | null): Place[] {
  const known = other ? placesOf(other) : [];
  return one ? placesOf(one).filter((place) => !known.some((each) => isAt(place, each))) : [];
}

async function store(ctx: ResourceContext, { session }: Transaction, changes: readonly Change[]): Promise<void> {
  const made = changes.flatMap(({ before, after }) => (!before && after ? [after] : []));
  if (made.length > 0 && (await ctx.links.insert(made, session)) === 'short_code_taken') throw new ShortCodeTaken();
  for (const { before, after } of changes) if (!after) await ctx.links.delete(before!, session);
  const changed = changes.flatMap(({ before, after }) => (before && after ? [{ before, after }] : []));
  if (changed.length > 0) await replace(ctx, changed, session);
}

async function replace(
  ctx: ResourceContext,
  changed: { before: Link; after: Link }[],
  session: ClientSession,
): Promise<void> {
  const outcome = await ctx.links.update(changed, session);
  if (outcome === 'short_code_taken') throw new ShortCodeTaken();
  if (outcome === 'changed_meanwhile') {
    throw new AppError('conflict', 'The link is being changed by others. Try again.');
  }
}

function eventOf(ctx: ResourceContext, { event }: Author, { before, after }: Change) {
  const last = after ?? { ...before!, revision: before!.revision + 1 };
  const target = { type: ctx.kind.target, id: last._id, label: last.title ?? last.shortCode };
  const changes = changesBetween(ctx.kind.audited, before && auditable(before), after && auditable(after));
  const isTold = !before || !after || Object.keys(changes).length > 0;
  const data = { link: snapshotOf(last, ctx.config.SHORT_BASE_URL) };
  return definitionOf(ctx, before, after).create(event, data, isTold ? { target, changes } : undefined);
}

function definitionOf({ kind: { events } }: ResourceContext, before: Link | null, after: Link | null) {
  if (!before) return events.created;
  if (!after) return events.deleted;
  if (before.status === after.status) return events.updated;
  return after.status === 'archived' ? events.archived : events.reactivated;
}
