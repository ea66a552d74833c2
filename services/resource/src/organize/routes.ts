import { notFound } from '@waymark/kernel/errors';
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
    list: ({ workspace: { slug }, query, url }: ListRequest): Promise<Reply> =>
      ctx.lists.run(slug, () =>
        listOrPage({ query, url, max: cap.max }, async (page) =>
          mapPage(await store.findPage(slug, page), kind.present),
        ),
      ),
    create: ({ body, workspace, eventContext, url, once }: Request<Body>): Promise<Reply> =>
      once(
        (item: Item) => created(kind.present(item), `${url.pathname}/${item._id}`),
        () => createNamedItem(ctx, kind, { workspace: workspace.slug, event: eventContext, body }),
      ),
    show: async ({ params, workspace }: Request<unknown>): Promise<Reply> => {
      const item = await store.findItem(workspace.slug, params['id']!);
      if (!item) throw notFound();
      return one(kind.present(item));
    },
    update: async ({ params, body, workspace, eventContext, condition }: Request<Partial<Body>>): Promise<Reply> => {
      const author = { workspace: workspace.slug, event: eventContext };
      const update = { ...author, id: params['id']!, body, check: condition(kind.present) };
      return one(kind.present(await updateNamedItem(ctx, kind, update)));
    },
    delete: async ({ params, workspace, eventContext, condition }: Request<unknown>): Promise<Reply> => {
      const author = { workspace: workspace.slug, event: eventContext };
      await deleteNamedItem(ctx, kind, { ...author, id: params['id']!, check: condition(kind.present) });
      return noContent();
    },
  };
}
