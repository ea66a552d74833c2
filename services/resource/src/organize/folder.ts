import { folderCreated, folderDeleted, folderUpdated } from '@waymark/contract/events';
import type { CreateFolderBody, FolderBody } from '@waymark/contract/folders';
import type { LinkContainer } from './container-store.js';
import { valueOr, presentNamed, type NamedItemKind } from './named-item.js';

export interface Folder extends LinkContainer {
  description: string | null;
  color: string | null;
}

export const FOLDER: NamedItemKind<Folder, CreateFolderBody> = {
  target: 'folder',
  noun: 'folder',
  idPrefix: 'fld',
  events: { created: folderCreated, updated: folderUpdated, deleted: folderDeleted },
  audited: { name: 'name', description: 'description', color: 'color' },
  blank: { description: null, color: null, linksCount: 0, deletedAt: null },
  apply: (folder, { description, color }) => ({
    ...folder,
    description: valueOr(description, folder.description),
    color: valueOr(color, folder.color),
  }),
  nameKey: (name) => name,
  present: ({ description, color, linksCount, ...named }): FolderBody => ({
    ...presentNamed(named),
    description,
    color,
    links_count: linksCount,
  }),
};
