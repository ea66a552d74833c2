import type { ClientSession } from 'mongoose';
import { changesBetween } from '@waymark/contract/audit-changes';
import { taken, takenBefore } from '@waymark/contract/problems';
import { yieldingToEventLoop } from '@waymark/kernel/async/yielding-to-event-loop';
import { AppError, invalid } from '@waymark/kernel/errors';
import type { Transaction } from '@waymark/kernel/mongo/database';
import type { Author, Change } from './change.js';
import type { Claim } from './code-store.js';
import type { SaveContext } from './context.js';
import { auditedLink } from './content-type.js';
import { addedAddresses, changeTimeAfter, codeKey, fullSnapshotOf, type Link, type TaggedLink } from './link.js';
import { allWithTags, updateLinkCounts } from './references.js';
import { updateStatusCounts } from './status-counts.js';

/** Changes that are saved together, all or none. A later one may update a link that an earlier one creates. */
export interface LinkChanges extends Author {
  changes: readonly Change[];
}

export const CODE_TAKEN = taken('short_code');
export const CODE_OF_ANOTHER_LINK = takenBefore('short_code');

/** Thrown inside the transaction to roll it back: the short code is taken. */
export class ShortCodeTaken extends Error {
  constructor(readonly problem = CODE_TAKEN) {
    super(problem.message);
  }
}

export const invalidCode = ({ problem }: ShortCodeTaken) => invalid({ short_code: [problem] });

/**
 * Every change of a link goes through here: one transaction writes its codes, the quota, the counts of its references,
 * the link itself and its event.
 * @returns the links as they are shown, in the order of the changes; a deleted one as it was
 * @throws ShortCodeTaken
 */
export async function saveLinks(ctx: SaveContext, tx: Transaction, saved: LinkChanges): Promise<TaggedLink[]> {
  const { owner, changes } = saved;
  // All changes of a workspace conflict here first: one that must restart has no other work to repeat.
  await updateStatusCounts(ctx.counts, { owner, changes }, tx.session);
  await updateCodes(ctx, saved, tx.session);
  await updateLinkCounts(ctx, { workspace: owner.slug, changes }, tx.session);
  await writeLinks(ctx, changes, tx.session);
  const shown = await allWithTags(ctx, changes.map(lastStateOf), tx.session);
  tx.emit(...changes.map((change, index) => eventOf(ctx, saved, { ...change, shown: shown[index]! })));
  return shown;
}

async function updateCodes(ctx: SaveContext, { owner, changes }: LinkChanges, session: ClientSession): Promise<void> {
  const workspace = owner.slug;
  const claims: Claim[] = [];
  const released: Claim[] = [];
  for await (const { before, after } of yieldingToEventLoop(changes)) {
    claims.push(...addedAddresses(before, after).map((address) => ({ address, linkId: after!._id })));
    released.push(...addedAddresses(after, before).map((address) => ({ address, linkId: before!._id })));
  }
  await rejectFormerCodes(ctx, { workspace, claims }, session);
  const addresses = claims.map(({ address }) => address);
  const owners = await ctx.codes.findOwners(addresses, session);
  const outcome = await ctx.codes.claimCodes({ workspace, claims, knownKeys: new Set(owners.keys()) }, session);
  if (outcome === 'taken') throw new ShortCodeTaken();
  await ctx.codes.releaseCodes(released, session);
}

/**
 * A former code of another link leads there permanently, since it may be printed. The unique index would refuse it too;
 * this check gives it a message of its own.
 */
async function rejectFormerCodes(
  ctx: SaveContext,
  { workspace, claims }: { workspace: string; claims: readonly Claim[] },
  session: ClientSession,
): Promise<void> {
  const codes = claims.map(({ address }) => address.shortCode);
  for (const { _id, codeKeys } of await ctx.links.findByCodes(workspace, codes, session)) {
    const formerKeys = codeKeys.slice(1);
    const isClaimed = claims.some(
      ({ address, linkId }) => linkId !== _id && formerKeys.includes(codeKey(address.shortCode)),
    );
    if (isClaimed) throw new ShortCodeTaken(CODE_OF_ANOTHER_LINK);
  }
}

async function writeLinks({ links }: SaveContext, changes: readonly Change[], session: ClientSession): Promise<void> {
  const created = changes.flatMap(({ before, after }) => (!before && after ? [after] : []));
  if (created.length > 0 && (await links.insertLinks(created, session)) === 'short_code_taken') {
    throw new ShortCodeTaken();
  }
  for (const { before, after } of changes) if (!after) await links.deleteLink(before!, session);
  const updated = changes.flatMap(({ before, after }) => (before && after ? [{ before, after }] : []));
  const outcome = updated.length > 0 ? await links.updateLinks(updated, session) : 'stored';
  if (outcome === 'short_code_taken') throw new ShortCodeTaken();
  if (outcome === 'changed_meanwhile') {
    throw new AppError('conflict', 'The link is being changed by others. Try again.');
  }
}

/** Returns the link as the event shows it; a deleted one as it was last. */
function lastStateOf({ before, after }: Change): Link {
  return after ?? { ...before!, revision: before!.revision + 1, updatedAt: changeTimeAfter(before!) };
}

function eventOf(
  { contentType, config }: SaveContext,
  { event }: Author,
  { before, after, shown }: Change & { shown: TaggedLink<Link> },
) {
  const { _id: id, title, shortCode } = shown.link;
  const target = { type: contentType.target, id, label: title ?? shortCode };
  const changes = changesBetween(contentType.audited, before && auditedLink(before), after && auditedLink(after));
  const isAudited = !before || !after || Object.keys(changes).length > 0;
  const data = { link: fullSnapshotOf(shown, config.SHORT_BASE_URL) };
  const definition = eventDefinitionOf(contentType, before, after);
  return definition.create(event, data, isAudited ? { target, changes } : undefined);
}

function eventDefinitionOf({ events }: SaveContext['contentType'], before: Link | null, after: Link | null) {
  if (!before) return events.created;
  if (!after) return events.deleted;
  if (before.status === after.status) {
    if (Boolean(before.blocked) !== Boolean(after.blocked)) return after.blocked ? events.blocked : events.unblocked;
    return before.blocked?.at === after.blocked?.at ? events.updated : events.blocked;
  }
  return after.status === 'archived' ? events.archived : events.reactivated;
}
