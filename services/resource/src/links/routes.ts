import { notFound } from '@waymark/shared/kernel/errors';
import type { Checks, Handlers } from '@waymark/shared/kernel/http/api';
import { created, item, noContent, paginated } from '@waymark/shared/kernel/http/reply';
import type { ResourceContext } from '../context.js';
import { checkDestination } from './check-destination.js';
import { createLink } from './create-link.js';
import { deleteLink } from './delete-link.js';
import { presentLink, type Link } from './link.js';
import { updateLink } from './update-link.js';

type LinkRoute = `links.${'list' | 'create' | 'show' | 'update' | 'delete'}`;

export function linkChecks({ shortHosts }: ResourceContext): Checks<'resource'> {
  return {
    'links.create': ({ body }) => checkDestination(body.destination_url, shortHosts),
    'links.update': ({ body }) => checkDestination(body.destination_url, shortHosts),
  };
}

export function linkHandlers(ctx: ResourceContext): Pick<Handlers<'resource'>, LinkRoute> {
  const present = (link: Link) => presentLink(link, ctx.config.SHORT_BASE_URL);
  return {
    'links.list': async ({ query, workspace, url }) => {
      const page = { page: query.page, perPage: query.per_page };
      const { items, total } = await ctx.links.list(workspace.slug, { status: query.status }, page);
      return paginated({ items: items.map(present), total }, page, url);
    },
    'links.create': ({ body, workspace, eventContext, url, once }) =>
      once(
        (link: Link) => created(present(link), `${url.pathname}/${link._id}`),
        () => createLink(ctx, eventContext, workspace.slug, body),
      ),
    'links.show': async ({ params, workspace }) => {
      const link = await ctx.links.byId(workspace.slug, params['id']!);
      if (!link) throw notFound();
      return item(present(link));
    },
    'links.update': async ({ params, body, workspace, eventContext }) =>
      item(present(await updateLink(ctx, eventContext, workspace.slug, params['id']!, body))),
    'links.delete': async ({ params, workspace, eventContext }) => {
      await deleteLink(ctx, eventContext, workspace.slug, params['id']!);
      return noContent();
    },
  };
}
