import type { Database } from '@waymark/kernel/mongo/database';
import { Quota } from '@waymark/kernel/mongo/quota';
import type { ResourceConfig } from '../config.js';
import type { Stores } from '../stores.js';

/** The counter of one kind of item, and the limit of a workspace on every plan. */
export interface Cap {
  quota: Quota;
  max: number;
}

/** Returns the counters behind the caps, by their store. */
export function namedQuotas(db: Database, { folders, tags, utmTemplates }: Stores) {
  return {
    folders: new Quota(db, 'folders', (workspace) => folders.count(workspace)),
    tags: new Quota(db, 'tags', (workspace) => tags.count(workspace)),
    utmTemplates: new Quota(db, 'utm_templates', (workspace) => utmTemplates.count(workspace)),
  };
}
export type NamedQuotas = ReturnType<typeof namedQuotas>;

export type Caps = Record<keyof NamedQuotas, Cap>;

export function capsOf(quotas: NamedQuotas, config: ResourceConfig): Caps {
  return {
    folders: { quota: quotas.folders, max: config.MAX_FOLDERS_PER_WORKSPACE },
    tags: { quota: quotas.tags, max: config.MAX_TAGS_PER_WORKSPACE },
    utmTemplates: { quota: quotas.utmTemplates, max: config.MAX_UTM_TEMPLATES_PER_WORKSPACE },
  };
}
