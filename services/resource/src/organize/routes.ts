import { missing } from '@waymark/kernel/errors';
import type { ApiRequest, Handlers } from '@waymark/kernel/http/api';
import type { OptionalPage } from '@waymark/contract/common';
import { created, item as one, listOrPage, mapPage, noContent, type Reply } from '@waymark/kernel/http/reply';
import type { LinkStore } from '../links/link-store.js';
import type { Caps } from './caps.js';
import type { NamedItemContext } from './context.js';
import { createNamedItem } from './create-named-item.js';
import { deleteNamedItem } from './delete-named-item.js';
import { detachBatch } from './detach-links.js';
import { FOLDER, type Folder } from './folder.js';
import type { NamedItem, NamedItemKind } from './named-item.js';
import type { OrganizeStores } from './stores.js';
import { TAG, type Tag } from './tag.js';
import { updateNamedItem } from './update-named-item.js';
import { UTM_TEMPLATE } from './utm-template.js';

type Request<Body> = Omit<ApiRequest, 'body' | 'query'> & { body: Body };
type ListRequest = Omit<ApiRequest, 'body' | 'query'> & { query: OptionalPage };

interface OrganizeContext extends OrganizeStores, Pick<NamedItemContext<NamedItem>, 'db' | 'changes' | 'lists'> {
  links: LinkStore;
  caps: Caps;
}

export function organizeHandlers(ctx: OrganizeContext) {
  const { db, changes, lists, caps } = ctx;
  const shared = { db, changes, lists };
  const detachFolder = (folder: Folder) => detachBatch(ctx, 'folders', folder);
  const detachTag = (tag: Tag) => detachBatch(ctx, 'tags', tag);
  const folders = namedItemHandlers({ ...shared, store: ctx.folders, cap: caps.folders, detach: detachFolder }, FOLDER);
  const tags = namedItemHandlers({ ...shared, store: ctx.tags, cap: caps.tags, detach: detachTag }, TAG);
  const templates = namedItemHandlers({ ...shared, store: ctx.utmTemplates, cap: caps.utmTemplates }, UTM_TEMPLATE);
  return {
    'folders.list': folders.list,
    'folders.create': folders.create,
    'folders.show': folders.show,
    'folders.update': folders.update,
    'folders.delete': folders.delete,
    'tags.list': tags.list,
    'tags.create': tags.create,
    'tags.show': tags.show,
    'tags.update': tags.update,
    'tags.delete': tags.delete,
    'utm_templates.list': templates.list,
    'utm_templates.create': templates.create,
    'utm_templates.show': templates.show,
    'utm_templates.update': templates.update,
    'utm_templates.delete': templates.delete,
  } satisfies Partial<Handlers<'resource'>>;
}

/** The five routes that folders, tags and templates share. */
function namedItemHandlers<Item extends NamedItem, Body extends { name: string }>(
  ctx: NamedItemContext<Item>,
  kind: NamedItemKind<Item, Body>,
) {
  const { store, cap } = ctx;
  return {
    list: ({ workspace: { slug }, query, url, signal }: ListRequest): Promise<Reply> => {
      const read = () =>
        listOrPage({ query, url, max: cap.max }, async (page) =>
          mapPage(await store.findPage(slug, page), kind.present),
        );
      return ctx.lists.run(slug, read, signal);
    },
    create: (request: Request<Body>): Promise<Reply> =>
      request.once(
        () => createNamedItem(ctx, kind, { ...authorOf(request), body: request.body }),
        (item: Item) => created(kind.present(item), new URL(`${request.url.pathname}/${item._id}`, request.url)),
      ),
    show: async ({ params, workspace }: Request<unknown>): Promise<Reply> => {
      const item = await store.findItem(workspace.slug, params['id']!);
      if (!item) throw missing(kind.noun, params['id']!);
      return one(kind.present(item));
    },
    update: async (request: Request<Partial<Body>>): Promise<Reply> => {
      const { params, body, condition } = request;
      const update = { ...authorOf(request), id: params['id']!, body, check: condition(kind.present) };
      return one(kind.present(await updateNamedItem(ctx, kind, update)));
    },
    delete: async (request: Request<unknown>): Promise<Reply> => {
      const { params, condition } = request;
      await deleteNamedItem(ctx, kind, { ...authorOf(request), id: params['id']!, check: condition(kind.present) });
      return noContent();
    },
  };
}

const authorOf = ({ workspace, eventContext, signal }: Request<unknown>) => ({
  workspace: workspace.slug,
  event: eventContext,
  signal,
});
