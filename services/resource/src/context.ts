import type { Requester } from '@waymark/kernel/broker/requests';
import type { Database } from '@waymark/kernel/mongo/database';
import type { KeyedSemaphore } from '@waymark/kernel/async/keyed-semaphore';
import type { Quota } from '@waymark/kernel/mongo/quota';
import type { ResourceConfig } from './config.js';
import type { ImportPace } from './imports/import-pace.js';
import type { Kind } from './links/kind.js';
import type { Caps } from './quota/caps.js';
import type { Counts } from './quota/count-statuses.js';
import type { Stores } from './stores.js';

export interface ResourceContext extends Stores {
  config: ResourceConfig;
  db: Database;
  kind: Kind;
  leadsToShortHost: (url: URL) => boolean;
  requester: Requester;
  /** Runs the changes of one workspace's content one after the other. */
  changes: KeyedSemaphore;
  /** Bounds the lists that are read at the same time. */
  lists: KeyedSemaphore;
  /** Bounds the drawings with a logo. */
  logos: KeyedSemaphore;
  importPace: ImportPace;
  unfinishedImports: Quota;
  counts: Counts;
  caps: Caps;
}
