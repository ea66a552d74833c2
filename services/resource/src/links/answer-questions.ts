import { findLink, findLinks, resolveCode } from '@waymark/contract/requests';
import type { Broker } from '@waymark/kernel/broker/connection';
import { serveRequests } from '@waymark/kernel/broker/requests';
import type { ResourceContext } from '../context.js';
import { snapshotOf, type Link, type TaggedLink } from './link.js';
import { allTagged } from './references.js';

/** Answers other services' requests for links that they do not know (yet). */
export function answerQuestions({ broker }: { broker: Broker }, ctx: ResourceContext): void {
  const { SHORT_BASE_URL } = ctx.config;
  serveRequests(broker, resolveCode, async ({ hostname, short_code: shortCode }) => {
    const holder = await ctx.codes.holderOf({ hostname, shortCode });
    const link = holder?.linkId ? await ctx.links.byId(holder.workspace, holder.linkId) : null;
    return { target: link && { workspace: link.workspace, link: snapshotOf(link, SHORT_BASE_URL) } };
  });
  serveRequests(broker, findLink, async ({ workspace, by, value }) => {
    const link = await (by === 'id' ? ctx.links.byId(workspace, value) : ctx.links.byCode(workspace, value));
    return { link: link && snapshotOf(link, SHORT_BASE_URL) };
  });
  serveRequests(broker, findLinks, async ({ workspace, ids }) => {
    const found = await allTagged(ctx, workspace, await ctx.links.byIds(workspace, ids));
    return { links: found.map(withTags).map((link) => snapshotOf(link, SHORT_BASE_URL)) };
  });
}

/** Omits deleted tags that are not yet detached from the link. */
const withTags = ({ link, tags }: TaggedLink): Link => ({ ...link, tagIds: tags.map(({ _id }) => _id) });
