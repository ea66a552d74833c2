import { folderCreated, folderDeleted, folderUpdated } from '@waymark/contract/events';
import type { CreateFolderBody, FolderBody } from '@waymark/contract/folders';
import { detachSome } from '../links/detach-links.js';
import type { Holder } from '../named-items/holder-store.js';
import { given, presentNamed, type NamedItemKind } from '../named-items/named-item.js';

export interface Folder extends Holder {
  description: string | null;
  color: string | null;
}

export const FOLDER: NamedItemKind<Folder, CreateFolderBody> = {
  target: 'folder',
  idPrefix: 'fld',
  events: { created: folderCreated, updated: folderUpdated, deleted: folderDeleted },
  audited: { name: 'name', description: 'description', color: 'color' },
  blank: { description: null, color: null, linksCount: 0, deletedAt: null },
  apply: (folder, { description, color }) => ({
    ...folder,
    description: given(description, folder.description),
    color: given(color, folder.color),
  }),
  nameKey: (name) => name,
  present: ({ description, color, linksCount, ...named }): FolderBody => ({
    ...presentNamed(named),
    description,
    color,
    links_count: linksCount,
  }),
  storeOf: (ctx) => ctx.folders,
  capOf: (ctx) => ctx.caps.folders,
  detach: (ctx, folder) => detachSome(ctx, 'folders', folder),
};
