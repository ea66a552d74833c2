import { UTM_KEYS } from '@waymark/contract/links';
import type { Database } from '@waymark/kernel/mongo/database';
import { ContainerStore } from './container-store.js';
import type { Folder } from './folder.js';
import { NamedItemStore } from './named-item-store.js';
import type { Tag } from './tag.js';
import type { UtmTemplate } from './utm-template.js';

export interface OrganizeStores {
  folders: ContainerStore<Folder>;
  tags: ContainerStore<Tag>;
  utmTemplates: NamedItemStore<UtmTemplate>;
}

/** Opens the collections, for the service and for the operator's commands. */
export function openOrganizeStores(db: Database): OrganizeStores {
  const color = { color: String };
  const utm = Object.fromEntries(UTM_KEYS.map((key) => [key, String]));
  const folder = { model: 'Folder', collection: 'folders', fields: { description: String, ...color } };
  const tag = { model: 'Tag', collection: 'tags', fields: color };
  const template = { model: 'UtmTemplate', collection: 'utm_templates', fields: { description: String, ...utm } };
  return {
    folders: new ContainerStore(db, folder),
    tags: new ContainerStore(db, tag),
    utmTemplates: new NamedItemStore(db, template),
  };
}
