import { notFound } from '@waymark/kernel/errors';
import type { ApiRequest } from '@waymark/kernel/http/api';
import type { OptionalPage } from '@waymark/contract/common';
import { created, item as one, listOrPage, mapPage, noContent, type Reply } from '@waymark/kernel/http/reply';
import type { ResourceContext } from '../context.js';
import { createNamedItem } from './create-named-item.js';
import { deleteNamedItem } from './delete-named-item.js';
import type { NamedItem, NamedItemKind } from './named-item.js';
import { updateNamedItem } from './update-named-item.js';

type Request<Body> = Omit<ApiRequest, 'body' | 'query'> & { body: Body };
type ListRequest = Omit<ApiRequest, 'body' | 'query'> & { query: OptionalPage };

/** The five routes that folders, tags and templates share. */
export function namedItemHandlers<Item extends NamedItem, Body extends { name: string }>(
  ctx: ResourceContext,
  kind: NamedItemKind<Item, Body>,
) {
  const store = kind.storeOf(ctx);
  return {
    list: ({ workspace: { slug }, query, url }: ListRequest): Promise<Reply> =>
      ctx.lists.run(slug, () =>
        listOrPage({ query, url, max: kind.capOf(ctx).max }, async (page) =>
          mapPage(await store.page(slug, page), kind.present),
        ),
      ),
    create: ({ body, workspace, eventContext, url, once }: Request<Body>): Promise<Reply> =>
      once(
        (item: Item) => created(kind.present(item), `${url.pathname}/${item._id}`),
        () => createNamedItem(ctx, kind, eventContext, workspace.slug, body),
      ),
    show: async ({ params, workspace }: Request<unknown>): Promise<Reply> => {
      const item = await store.byId(workspace.slug, params['id']!);
      if (!item) throw notFound();
      return one(kind.present(item));
    },
    update: async ({ params, body, workspace, eventContext, condition }: Request<Partial<Body>>): Promise<Reply> => {
      const update = { id: params['id']!, body, check: condition(kind.present) };
      return one(kind.present(await updateNamedItem(ctx, kind, eventContext, workspace.slug, update)));
    },
    delete: async ({ params, workspace, eventContext, condition }: Request<unknown>): Promise<Reply> => {
      const deletion = { id: params['id']!, check: condition(kind.present) };
      await deleteNamedItem(ctx, kind, eventContext, workspace.slug, deletion);
      return noContent();
    },
  };
}
