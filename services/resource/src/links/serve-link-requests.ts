import { findLink, findLinks, resolveCode } from '@waymark/contract/requests';
import type { Broker } from '@waymark/kernel/broker/connection';
import { serveRequests } from '@waymark/kernel/broker/requests';
import type { BlockedDestinations } from '../destinations/blocked-destinations.js';
import { toDestinationBlock } from '../destinations/host-block-store.js';
import type { SaveContext } from './context.js';
import { destinationsOf } from './destinations.js';
import { fullSnapshotOf, snapshotOf, type Link, type TaggedLink } from './link.js';
import { ERASED_WORKSPACE } from './code-store.js';
import { allWithTags, withTags } from './references.js';

interface ServedContext extends Pick<SaveContext, 'config' | 'codes' | 'links' | 'folders' | 'tags'> {
  blocked: Pick<BlockedDestinations, 'hostBlocksFor'>;
}

/** Answers other services' requests for links that they do not know (yet). */
export function serveLinkRequests({ broker }: { broker: Broker }, ctx: ServedContext): void {
  const { SHORT_BASE_URL } = ctx.config;
  serveRequests(broker, resolveCode, async ({ hostname, short_code: shortCode }) => {
    const owner = await ctx.codes.findOwner({ hostname, shortCode });
    const link = owner?.linkId ? await ctx.links.findLink(owner.workspace, owner.linkId) : null;
    const hostBlocks = link ? destinationsOf(link).flatMap(({ url }) => ctx.blocked.hostBlocksFor(url)) : [];
    const target = link && { workspace: link.workspace, link: snapshotOf(link, SHORT_BASE_URL) };
    return {
      target,
      is_gone: owner?.workspace === ERASED_WORKSPACE,
      ...(hostBlocks.length > 0 && { destination_blocks: hostBlocks.map(toDestinationBlock) }),
    };
  });
  serveRequests(broker, findLink, async ({ workspace, by, value }) => {
    const link = await (by === 'id' ? ctx.links.findLink(workspace, value) : ctx.links.findByCode(workspace, value));
    return { link: link && fullSnapshotOf(await withTags(ctx, link), SHORT_BASE_URL) };
  });
  serveRequests(broker, findLinks, async ({ workspace, ids }) => {
    const found = await allWithTags(ctx, await ctx.links.findLinks(workspace, ids));
    return { links: found.map((tagged) => fullSnapshotOf(withoutDeletedTags(tagged), SHORT_BASE_URL)) };
  });
}

/** Omits deleted tags that are not yet detached from the link. */
const withoutDeletedTags = ({ link, tags }: TaggedLink<Link>): TaggedLink<Link> => ({
  link: { ...link, tagIds: tags.map(({ _id }) => _id) },
  tags,
});
