import type { BulkBody, BulkResult } from '@waymark/contract/bulk-changes';
import { ROUTES } from '@waymark/contract/routes';
import { missing } from '@waymark/kernel/errors';
import { checkAccess } from '@waymark/kernel/http/access';
import type { ApiRequest, Checks } from '@waymark/kernel/http/api';
import { withMark } from '@waymark/kernel/http/csv';
import { created, cursorPage, item, noContent, type Reply } from '@waymark/kernel/http/reply';
import type { LinkInput } from './apply-input.js';
import { bodyProblems } from './admit-destinations.js';
import { changeMany } from './change-many.js';
import type { Author } from './change.js';
import { checkDestinations } from './check-destination.js';
import type { LinkContext } from './context.js';
import { createLink, type CreateInput } from './create-link.js';
import type { DestinationInput } from './destinations.js';
import { deleteLink } from './delete-link.js';
import type { TaggedLink } from './link.js';
import { checkSearch, listLinks, type Filters, type ListQuery } from './list-links.js';
import { referenceProblems, withTags, type ReferenceIds } from './references.js';
import { exportLinks } from './export-links.js';
import { updateLink } from './update-link.js';

type Present = (link: TaggedLink, shortBaseUrl: string) => object;
type Request<Query, Body> = Omit<ApiRequest, 'body' | 'query'> & { query: Query; body: Body };
interface CheckedRequest {
  body: ReferenceIds & DestinationInput;
  workspace: string;
}

export function linkChecks(ctx: LinkContext): Checks<'resource'> {
  const checkLink = async ({ body, workspace }: CheckedRequest) => {
    const [loops] = await checkDestinations(ctx, [body]);
    const [references] = await referenceProblems(ctx, workspace, [body]);
    return { ...loops, ...references };
  };
  const checkNewLink = async (request: CheckedRequest) => ({
    ...bodyProblems(ctx, request.body),
    ...(await checkLink(request)),
  });
  const checkQrCode = async (request: CheckedRequest & { body: Pick<LinkInput, 'style'> }) => ({
    ...(await checkLink(request)),
    ...(await ctx.logos.checkLogo(request.workspace, request.body.style?.logo_url)),
  });
  const checkNewQrCode = async (request: Parameters<typeof checkQrCode>[0]) => ({
    ...bodyProblems(ctx, request.body),
    ...(await checkQrCode(request)),
  });
  return {
    'links.list': ({ query }) => checkSearch(query),
    'links.export': ({ query }) => checkSearch(query),
    'qr_codes.list': ({ query }) => checkSearch(query),
    'qr_codes.export': ({ query }) => checkSearch(query),
    'links.create': checkNewLink,
    'links.update': checkLink,
    'links.bulk': checkLink,
    'qr_codes.create': checkNewQrCode,
    'qr_codes.update': checkQrCode,
  };
}

/** The routes that links and QR codes share. */
export function linkHandlers(ctx: LinkContext, presentOne: Present) {
  const deleteRoute = ctx.contentType.target === 'link' ? 'links.delete' : 'qr_codes.delete';
  const present = (link: TaggedLink) => presentOne(link, ctx.config.SHORT_BASE_URL);
  return {
    list: async ({ query, workspace, url, signal }: Request<ListQuery, unknown>): Promise<Reply> => {
      const found = await listLinks(ctx, { workspace: workspace.slug, signal }, query);
      const requested = { page: query.page, perPage: query.per_page, cursor: query.cursor };
      return cursorPage({ ...found, items: found.items.map(present) }, requested, url);
    },
    export: ({
      query: { bom, ...filters },
      workspace,
      eventContext,
      signal,
    }: Request<Filters & { bom: boolean }, unknown>): Promise<Reply> => {
      const reply = exportLinks(ctx, { workspace: workspace.slug, event: eventContext, signal, filters });
      return Promise.resolve(withMark(reply, bom));
    },
    create: async (request: Request<unknown, CreateInput>): Promise<Reply> => {
      const { body, workspace, url, once } = request;
      const input = await withFittedLogo(ctx, workspace.slug, body);
      return once(
        () => createLink(ctx, authorOf(request), input),
        (tagged: TaggedLink) => created(present(tagged), new URL(`${url.pathname}/${tagged.link._id}`, url)),
      );
    },
    show: async ({ params, workspace }: Request<unknown, unknown>): Promise<Reply> => {
      const link = await ctx.links.findLink(workspace.slug, params['id']!);
      if (!link) throw missing(ctx.contentType.noun, params['id']!);
      return item(present(await withTags(ctx, link)));
    },
    update: async (request: Request<unknown, LinkInput>): Promise<Reply> => {
      const { params, workspace, condition } = request;
      const input = await withFittedLogo(ctx, workspace.slug, request.body);
      const update = { ...authorOf(request), id: params['id']!, input, check: condition(present) };
      return item(present(await updateLink(ctx, update)));
    },
    delete: async (request: Request<unknown, unknown>): Promise<Reply> => {
      const { params, condition } = request;
      await deleteLink(ctx, { ...authorOf(request), id: params['id']!, check: condition(present) });
      return noContent();
    },
    bulk: async (request: Request<unknown, BulkBody>): Promise<Reply> => {
      const { body, workspace, identity, once } = request;
      if (body.action === 'delete') checkAccess(ROUTES[deleteRoute], identity, workspace.slug);
      return once(
        () => changeMany(ctx, { ...authorOf(request), input: body }),
        (results: BulkResult[]) => item(results),
      );
    },
  };
}

const authorOf = ({ workspace, eventContext, signal }: Request<unknown, unknown>): Author => ({
  owner: workspace,
  event: eventContext,
  signal,
});

async function withFittedLogo<Body extends LinkInput>(
  { logos }: Pick<LinkContext, 'logos'>,
  workspace: string,
  body: Body,
): Promise<Body> {
  const logoUrl = body.style?.logo_url;
  return logoUrl ? { ...body, style: { ...body.style, logo_url: await logos.fitLogo(workspace, logoUrl) } } : body;
}
