import type { ClientSession } from 'mongoose';
import type { DetachmentContext } from './context.js';
import { yieldingToEventLoop } from '@waymark/kernel/async/yielding-to-event-loop';
import type { Change } from '../links/change.js';
import { addressKey } from '../links/code-store.js';
import { addressesOf, changeTimeAfter, isSameAddress, withDerivedFields, type Link } from '../links/link.js';
import { saveLinks, ShortCodeTaken } from '../links/save-links.js';
import { newShortCode } from '../links/short-code.js';
import { fetchHostOwner } from './domain-requests.js';
import type { Detachment } from './detachment-store.js';

/** Codes read, and links moved, in one step: a link with a hundred former codes has 20 kB and more. */
const CODES_AT_ONCE = 50;
const ATTEMPTS_MAX = 5;

/**
 * Moves the links at the next codes of a deleted domain to the default host, all of them or none. If another workspace
 * has the host, this frees the codes. A link whose code is taken on the default host gets a new one; its event and
 * audit entry have both codes, with the user who deleted the domain as the actor.
 * @returns the last of these codes, or null if no more links must move
 */
export async function detachBatch(ctx: DetachmentContext, detachment: Detachment): Promise<string | null> {
  const { workspace, hostname, after } = detachment;
  const codes = await ctx.codes.findCodesOnHost(hostname, after, CODES_AT_ONCE);
  // Asked after the read: these codes were there before the workspace could have regained the host.
  if (detachment.isLost && !(await isOwnedByAnother(ctx, detachment))) return null;
  const own = codes.filter((code) => code.workspace === workspace);
  const ids = [...new Set(own.flatMap(({ linkId }) => linkId ?? []))];
  if (ids.length > 0) await ctx.changes.run(workspace, () => detachWithRetries(ctx, detachment, ids));
  if (detachment.isLost) {
    const keys = own.map(({ key }) => key);
    await ctx.codes.freeCodes(workspace, keys);
  }
  return codes.length < CODES_AT_ONCE ? null : codes.at(-1)!.key;
}

/** The workspace regains a lost host if the other one loses it in turn. */
async function isOwnedByAnother(ctx: DetachmentContext, { workspace, hostname }: Detachment): Promise<boolean> {
  const owner = await fetchHostOwner(ctx, hostname);
  return owner !== null && owner !== workspace;
}

/** Retries with fresh data if a concurrent change takes one of the codes. */
async function detachWithRetries(ctx: DetachmentContext, detachment: Detachment, ids: string[]): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await detachLinks(ctx, detachment, ids);
    } catch (error) {
      if (!(error instanceof ShortCodeTaken) || attempt === ATTEMPTS_MAX) throw error;
    }
  }
}

function detachLinks(ctx: DetachmentContext, detachment: Detachment, ids: string[]): Promise<void> {
  const { workspace, hostname, event } = detachment;
  return ctx.db.transaction(async (tx) => {
    const isHostBack = !detachment.isLost && (await ctx.domains.hasOtherDomain(detachment, tx.session));
    const found = await ctx.links.findLinks(workspace, ids, tx.session);
    const links = found.filter((link) => mustDetach(link, detachment, isHostBack));
    if (links.length === 0) return;
    const taken = await takenOnDefaultHost(ctx, links, tx.session);
    const changes: Change[] = [];
    for await (const before of yieldingToEventLoop(links))
      changes.push({ before, after: withoutHost(before, hostname, taken) });
    const owner = { slug: workspace, plan: { activeLinks: null } };
    await saveLinks(ctx, tx, { owner, event, changes });
  });
}

/** False for a link on a later domain of the same name, or with a former code there once the hostname is back. */
function mustDetach(link: Link, { _id: domainId, hostname, isLost }: Detachment, isHostBack: boolean): boolean {
  if (link.hostname === hostname) return isLost || link.domainId === domainId;
  return !isHostBack && addressesOf(link).some((address) => address.hostname === hostname);
}

/** Returns those of the links whose code is taken on the default host. */
async function takenOnDefaultHost(ctx: DetachmentContext, links: Link[], session: ClientSession): Promise<Set<Link>> {
  const owners = await ctx.codes.findOwners(links.map(onDefaultHost), session);
  const isTaken = (link: Link) => {
    const owner = owners.get(addressKey(onDefaultHost(link)));
    return owner && (owner.workspace !== link.workspace || (owner.linkId ?? link._id) !== link._id);
  };
  return new Set(links.filter(isTaken));
}

const onDefaultHost = ({ shortCode }: Link) => ({ hostname: null, shortCode });

/** Removes every code of the link on the host, which may belong to another workspace one day. */
function withoutHost(link: Link, hostname: string, taken: ReadonlySet<Link>): Link {
  const shortCode = taken.has(link) ? newShortCode() : link.shortCode;
  const moved = link.hostname === hostname ? { ...link, domainId: null, hostname: null, shortCode } : link;
  const formerCodes = link.formerCodes.filter(
    (address) => address.hostname !== hostname && !isSameAddress(address, moved),
  );
  return withDerivedFields({ ...moved, formerCodes, updatedAt: changeTimeAfter(link), revision: link.revision + 1 });
}
