import { UTM_KEYS } from '@waymark/contract/links';
import type { Database } from '@waymark/kernel/mongo/database';
import { CodeStore } from './codes/code-store.js';
import { DomainStore } from './domains/domain-store.js';
import { RemovalStore } from './domains/removal-store.js';
import type { Folder } from './folders/folder.js';
import { ImportStore } from './imports/import-store.js';
import { ResultStore } from './imports/result-store.js';
import { LinkStore } from './links/store.js';
import { HolderStore } from './named-items/holder-store.js';
import { NamedItemStore } from './named-items/store.js';
import type { Tag } from './tags/tag.js';
import type { UtmTemplate } from './utm-templates/utm-template.js';

/** Opens all content collections, for the service and for the operator's commands. */
export function openStores(db: Database) {
  const color = { color: String };
  const utm = Object.fromEntries(UTM_KEYS.map((key) => [key, String]));
  return {
    codes: new CodeStore(db),
    domains: new DomainStore(db),
    folders: new HolderStore<Folder>(db, 'Folder', 'folders', { description: String, ...color }),
    imports: new ImportStore(db),
    importResults: new ResultStore(db),
    links: new LinkStore(db),
    removals: new RemovalStore(db),
    tags: new HolderStore<Tag>(db, 'Tag', 'tags', color),
    utmTemplates: new NamedItemStore<UtmTemplate>(db, 'UtmTemplate', 'utm_templates', { description: String, ...utm }),
  };
}
export type Stores = ReturnType<typeof openStores>;
