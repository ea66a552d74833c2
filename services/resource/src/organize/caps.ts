import type { Database } from '@waymark/kernel/mongo/database';
import { Quota } from '@waymark/kernel/mongo/quota';
import type { ResourceConfig } from '../config.js';
import type { OrganizeStores } from './stores.js';

/** The counter of one kind of item, and the limit of a workspace on every plan. */
export interface Cap {
  quota: Quota;
  max: number;
}

/** Returns the counters behind the caps, by their store. */
export function createQuotas(db: Database, { folders, tags, utmTemplates }: OrganizeStores) {
  return {
    folders: new Quota(db, 'folders', (workspace) => folders.countItems(workspace)),
    tags: new Quota(db, 'tags', (workspace) => tags.countItems(workspace)),
    utmTemplates: new Quota(db, 'utm_templates', (workspace) => utmTemplates.countItems(workspace)),
  };
}
export type Quotas = ReturnType<typeof createQuotas>;

export type Caps = Record<keyof Quotas, Cap>;

export function createCaps(quotas: Quotas, config: ResourceConfig): Caps {
  return {
    folders: { quota: quotas.folders, max: config.MAX_FOLDERS_PER_WORKSPACE },
    tags: { quota: quotas.tags, max: config.MAX_TAGS_PER_WORKSPACE },
    utmTemplates: { quota: quotas.utmTemplates, max: config.MAX_UTM_TEMPLATES_PER_WORKSPACE },
  };
}
