import type { Event, EventContext } from '@waymark/shared/contract/event';
import type { DomainSnapshot } from '@waymark/shared/contract/events';
import type { ResourceContext } from '../context.js';
import { indexed, type Link } from '../links/link.js';
import { saveLink, ShortCodeTaken } from '../links/save-link.js';
import { newShortCode } from '../links/short-code.js';

const LINKS_AT_ONCE = 100;
const CODES_TRIED_MAX = 5;

/**
 * Moves every link of a deleted domain to the default host. A code that is taken there becomes another; the link's own
 * event and audit entry name both, with whoever deleted the domain as the actor.
 */
export async function leaveDomain(ctx: ResourceContext, deleted: Event<{ domain: DomainSnapshot }>): Promise<void> {
  const { id: domainId, hostname } = deleted.data.domain;
  const workspace = deleted.workspace!;
  const event: EventContext = {
    workspace,
    actor: deleted.actor,
    ipAddress: deleted.ip_address,
    requestId: deleted.request_id,
    traceparent: deleted.traceparent,
  };
  for (let after = ''; ;) {
    const found = await ctx.codes.atHost(workspace, hostname, after, LINKS_AT_ONCE);
    for (const { linkId } of found) {
      await ctx.turns.run(workspace, () => leave(ctx, event, { workspace, linkId, domainId, hostname }));
    }
    if (found.length < LINKS_AT_ONCE) return;
    after = found.at(-1)!.key;
  }
}

interface Leaving {
  workspace: string;
  linkId: string;
  domainId: string;
  hostname: string;
}

async function leave(ctx: ResourceContext, event: EventContext, leaving: Leaving): Promise<void> {
  let shortCode: string | undefined;
  for (let tried = 1; tried <= CODES_TRIED_MAX; tried += 1) {
    try {
      return await leaveWith(ctx, event, leaving, shortCode);
    } catch (error) {
      if (!(error instanceof ShortCodeTaken)) throw error;
      shortCode = newShortCode();
    }
  }
  throw new Error(`no free short code among ${CODES_TRIED_MAX}`);
}

function leaveWith(ctx: ResourceContext, event: EventContext, leaving: Leaving, shortCode?: string): Promise<void> {
  const { workspace, linkId, domainId, hostname } = leaving;
  return ctx.db.transaction(async (tx) => {
    const before = await ctx.links.byId(workspace, linkId, tx.session);
    // Served on a later domain of the same name, it stays there.
    if (!before || (before.hostname === hostname && before.domainId !== domainId)) return;
    const owner = { slug: workspace, plan: { activeLinks: null } };
    await saveLink(ctx, tx, { owner, event, before, after: without(before, hostname, shortCode) });
  });
}

/** Nothing of it is left on the host, which may belong to somebody else one day. */
function without(link: Link, hostname: string, shortCode = link.shortCode): Link {
  const formerCodes = link.formerCodes.filter((place) => place.hostname !== hostname);
  const moved = link.hostname === hostname ? { domainId: null, hostname: null, shortCode } : {};
  return indexed({ ...link, ...moved, formerCodes, updatedAt: new Date(), revision: link.revision + 1 });
}
