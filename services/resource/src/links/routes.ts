import { notFound } from '@waymark/kernel/errors';
import type { ApiRequest, Checks } from '@waymark/kernel/http/api';
import { created, cursorPage, item, noContent, type Reply } from '@waymark/kernel/http/reply';
import type { ResourceContext } from '../context.js';
import { checkLogo, fitLogo } from '../qr-images/fit-logo.js';
import type { LinkInput } from './apply-input.js';
import { checkDestination } from './check-destination.js';
import { createLink, type CreateInput } from './create-link.js';
import { deleteLink } from './delete-link.js';
import type { TaggedLink } from './link.js';
import { checkSearch, listLinks, type ListQuery } from './list-links.js';
import { referenceProblems, tagged, type NamedIds } from './references.js';
import { updateLink } from './update-link.js';

type Present = (link: TaggedLink, shortBaseUrl: string) => object;
type Request<Query, Body> = Omit<ApiRequest, 'body' | 'query'> & { query: Query; body: Body };

export function linkChecks(ctx: ResourceContext): Checks<'resource'> {
  const check = async ({ body, workspace }: { body: NamedIds & { destination_url?: string }; workspace: string }) => ({
    ...(await checkDestination(ctx, body.destination_url)),
    ...(await referenceProblems(ctx, workspace, body)),
  });
  const checkQrCode = async (input: Parameters<typeof check>[0] & { body: Pick<LinkInput, 'style'> }) => ({
    ...(await check(input)),
    ...(await checkLogo(ctx.logos, input.workspace, input.body.style?.logo_url)),
  });
  return {
    'links.list': ({ query }) => checkSearch(query),
    'qr_codes.list': ({ query }) => checkSearch(query),
    'links.create': check,
    'links.update': check,
    'qr_codes.create': checkQrCode,
    'qr_codes.update': checkQrCode,
  };
}

/** The five routes that links and QR codes share. */
export function linkHandlers(ctx: ResourceContext, presentOne: Present) {
  const present = (link: TaggedLink) => presentOne(link, ctx.config.SHORT_BASE_URL);
  return {
    list: async ({ query, workspace, url }: Request<ListQuery, unknown>): Promise<Reply> => {
      const found = await listLinks(ctx, workspace.slug, query);
      const asked = { page: query.page, perPage: query.per_page, cursor: query.cursor };
      return cursorPage({ ...found, items: found.items.map(present) }, asked, url);
    },
    create: async ({ body, workspace, eventContext, url, once }: Request<unknown, CreateInput>): Promise<Reply> => {
      const input = await withFittedLogo(ctx, workspace.slug, body);
      return once(
        (made: TaggedLink) => created(present(made), `${url.pathname}/${made.link._id}`),
        () => createLink(ctx, eventContext, workspace, input),
      );
    },
    show: async ({ params, workspace }: Request<unknown, unknown>): Promise<Reply> => {
      const link = await ctx.links.byId(workspace.slug, params['id']!);
      if (!link) throw notFound();
      return item(present(await tagged(ctx, workspace.slug, link)));
    },
    update: async ({
      params,
      body,
      workspace,
      eventContext,
      condition,
    }: Request<unknown, LinkInput>): Promise<Reply> => {
      const input = await withFittedLogo(ctx, workspace.slug, body);
      const update = { id: params['id']!, input, check: condition(present) };
      return item(present(await updateLink(ctx, eventContext, workspace, update)));
    },
    delete: async ({ params, workspace, eventContext, condition }: Request<unknown, unknown>): Promise<Reply> => {
      await deleteLink(ctx, eventContext, workspace, params['id']!, condition(present));
      return noContent();
    },
  };
}

async function withFittedLogo<Body extends LinkInput>(
  { logos }: ResourceContext,
  workspace: string,
  body: Body,
): Promise<Body> {
  const logoUrl = body.style?.logo_url;
  return logoUrl ? { ...body, style: { ...body.style, logo_url: await fitLogo(logos, workspace, logoUrl) } } : body;
}
