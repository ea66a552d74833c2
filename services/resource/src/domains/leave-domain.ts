import type { ClientSession } from 'mongoose';
import type { ResourceContext } from '../context.js';
import { placeKey } from '../codes/code-store.js';
import { indexed, isAt, placesOf, type Link } from '../links/link.js';
import { saveLinks, ShortCodeTaken } from '../links/save-link.js';
import { newShortCode } from '../links/short-code.js';
import { askOwner } from './ask-owner.js';
import type { Removal } from './removal-store.js';

/** Codes read, and links moved, in one step. */
const CODES_AT_ONCE = 250;
const ATTEMPTS_MAX = 5;

/**
 * Moves the links at the next codes of a deleted domain to the default host, all of them or none. If another workspace
 * has the host, this frees the codes. A link whose code is taken on the default host gets a new one; its event and
 * audit entry have both codes, with the user who deleted the domain as the actor.
 * @returns the last of these codes, or null if no more links must move
 */
export async function leaveSome(ctx: ResourceContext, removal: Removal): Promise<string | null> {
  const { workspace, hostname, after } = removal;
  const codes = await ctx.codes.pageAtHost(hostname, after, CODES_AT_ONCE);
  // Asked after the read: these codes were there before the workspace could have regained the host.
  if (removal.isLost && !(await isAnothers(ctx, removal))) return null;
  const own = codes.filter((code) => code.workspace === workspace);
  const ids = [...new Set(own.flatMap(({ linkId }) => linkId ?? []))];
  if (ids.length > 0) await ctx.changes.run(workspace, () => leave(ctx, removal, ids));
  if (removal.isLost) {
    const keys = own.map(({ key }) => key);
    await ctx.codes.forget(workspace, keys);
  }
  return codes.length < CODES_AT_ONCE ? null : codes.at(-1)!.key;
}

/** The workspace regains a lost host if the other one loses it in turn. */
async function isAnothers(ctx: ResourceContext, { workspace, hostname }: Removal): Promise<boolean> {
  const owner = await askOwner(ctx, hostname);
  return owner !== null && owner !== workspace;
}

/** Retries with fresh data if a concurrent change takes one of the codes. */
async function leave(ctx: ResourceContext, removal: Removal, ids: string[]): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await tryToLeave(ctx, removal, ids);
    } catch (error) {
      if (!(error instanceof ShortCodeTaken) || attempt === ATTEMPTS_MAX) throw error;
    }
  }
}

function tryToLeave(ctx: ResourceContext, removal: Removal, ids: string[]): Promise<void> {
  const { _id: domainId, workspace, hostname, event } = removal;
  return ctx.db.transaction(async (tx) => {
    const isBack = !removal.isLost && (await ctx.domains.hasOther(workspace, hostname, domainId, tx.session));
    const found = await ctx.links.byIds(workspace, ids, tx.session);
    const links = found.filter((link) => leaves(link, removal, isBack));
    if (links.length === 0) return;
    const taken = await takenAtDefault(ctx, links, tx.session);
    const changes = links.map((before) => ({ before, after: without(before, hostname, taken) }));
    await saveLinks(ctx, tx, { owner: { slug: workspace, plan: { activeLinks: null } }, event }, changes);
  });
}

/** False for a link on a later domain of the same name, or with a former code there once the hostname is back. */
function leaves(link: Link, { _id: domainId, hostname, isLost }: Removal, isBack: boolean): boolean {
  if (link.hostname === hostname) return isLost || link.domainId === domainId;
  return !isBack && placesOf(link).some((place) => place.hostname === hostname);
}

/** Returns those of the links whose code is taken on the default host. */
async function takenAtDefault(ctx: ResourceContext, links: Link[], session: ClientSession): Promise<Set<Link>> {
  const holders = await ctx.codes.holdersOf(links.map(atDefault), session);
  const isTaken = (link: Link) => {
    const holder = holders.get(placeKey(atDefault(link)));
    return holder && (holder.workspace !== link.workspace || (holder.linkId ?? link._id) !== link._id);
  };
  return new Set(links.filter(isTaken));
}

const atDefault = ({ shortCode }: Link) => ({ hostname: null, shortCode });

/** Removes every code of the link on the host, which may belong to another workspace one day. */
function without(link: Link, hostname: string, taken: ReadonlySet<Link>): Link {
  const shortCode = taken.has(link) ? newShortCode() : link.shortCode;
  const moved = link.hostname === hostname ? { ...link, domainId: null, hostname: null, shortCode } : link;
  const formerCodes = link.formerCodes.filter((place) => place.hostname !== hostname && !isAt(place, moved));
  return indexed({ ...moved, formerCodes, updatedAt: new Date(), revision: link.revision + 1 });
}
