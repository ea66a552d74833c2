import { changesBetween } from '@waymark/shared/contract/audit-changes';
import type { EventContext } from '@waymark/shared/contract/event';
import type { Transaction } from '@waymark/shared/kernel/database';
import { AppError, invalid } from '@waymark/shared/kernel/errors';
import type { ResourceContext } from '../context.js';
import { placeKey, type Place } from '../codes/code-store.js';
import type { Counts } from '../quota/counter-store.js';
import { quotaReached, type Owner } from '../quota/quota.js';
import { auditable } from './kind.js';
import { isAt, placesOf, snapshotOf, type Link } from './link.js';
import { moveReferences } from './references.js';

export interface Change {
  owner: Owner;
  event: EventContext;
  /** `null` where the link comes to be. */
  before: Link | null;
  /** `null` where it ceases to be. */
  after: Link | null;
}

/** Undoes the transaction of a code that is not to be had. */
export class ShortCodeTaken extends Error {}

export const shortCodeTaken = () => invalid({ short_code: ['The short_code is already taken.'] });

/**
 * Every change of a link goes through here: its codes, the quota, the counts of what it refers to, the link itself and
 * the event that tells of it are one transaction.
 * @throws ShortCodeTaken
 */
export async function saveLink(ctx: ResourceContext, tx: Transaction, change: Change): Promise<void> {
  await countInQuota(ctx, tx, change);
  await moveCodes(ctx, tx, change);
  await moveReferences(ctx, change.owner.slug, change.before, change.after, tx.session);
  await store(ctx, tx, change);
  tx.emit(eventOf(ctx, change));
}

async function countInQuota(ctx: ResourceContext, tx: Transaction, { owner, before, after }: Change): Promise<void> {
  if (before?.status === after?.status) return;
  const counts: Counts = { active: 0, archived: 0 };
  if (before) counts[before.status] -= 1;
  if (after) counts[after.status] += 1;
  const { activeLinks: limit } = owner.plan;
  if ((await ctx.counters.add(owner.slug, counts, limit, tx.session)) === 'counted') return;
  const { active } = await ctx.counters.of(owner.slug, tx.session);
  throw quotaReached(ctx.kind.quota, limit!, active);
}

async function moveCodes(ctx: ResourceContext, tx: Transaction, change: Change): Promise<void> {
  const from = change.before ? placesOf(change.before) : [];
  const to = change.after ? placesOf(change.after) : [];
  for (const place of to.filter((one) => !from.some((other) => isAt(one, other)))) {
    await takeCode(ctx, tx, change, place);
  }
  for (const place of from.filter((one) => !to.some((other) => isAt(one, other)))) {
    await ctx.codes.release(place, change.before!._id, tx.session);
  }
}

async function takeCode(ctx: ResourceContext, tx: Transaction, change: Change, place: Place): Promise<void> {
  const holder = await ctx.codes.holderOf(place, tx.session);
  if (holder?.linkId) await giveUp(ctx, tx, change, holder.workspace, holder.linkId, place);
  const claim = { workspace: change.owner.slug, linkId: change.after!._id };
  if ((await ctx.codes.claim(place, claim, tx.session)) === 'taken') throw new ShortCodeTaken();
}

/** Another link of the workspace gives up a code that it had before, unless somebody may have scanned it there. */
async function giveUp(
  ctx: ResourceContext,
  tx: Transaction,
  { owner, event }: Change,
  workspace: string,
  linkId: string,
  place: Place,
): Promise<void> {
  const holder = workspace === owner.slug ? await ctx.links.byId(workspace, linkId, tx.session) : null;
  if (!holder || isAt(holder, place) || holder.scansCount > 0) throw new ShortCodeTaken();
  const formerCodes = holder.formerCodes.filter((one) => placeKey(one) !== placeKey(place));
  const after = { ...holder, formerCodes, revision: holder.revision + 1 };
  await saveLink(ctx, tx, { owner, event, before: holder, after });
}

async function store(ctx: ResourceContext, { session }: Transaction, { before, after }: Change): Promise<void> {
  if (!after) return ctx.links.delete(before!, session);
  const outcome = before ? await ctx.links.update(before, after, session) : await ctx.links.insert(after, session);
  if (outcome === 'short_code_taken') throw new ShortCodeTaken();
  if (outcome === 'changed_meanwhile') {
    throw new AppError('conflict', 'The link is being changed by others. Try again.');
  }
}

function eventOf(ctx: ResourceContext, { event, before, after }: Change) {
  const last = after ?? { ...before!, revision: before!.revision + 1 };
  const target = { type: ctx.kind.target, id: last._id, label: last.title ?? last.shortCode };
  const changes = after ? changesBetween(ctx.kind.audited, before && auditable(before), auditable(after)) : {};
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
