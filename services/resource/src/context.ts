import type { Requester } from '@waymark/shared/kernel/broker/requests';
import type { Database } from '@waymark/shared/kernel/database';
import type { Quota } from '@waymark/shared/kernel/quota';
import type { ResourceConfig } from './config.js';
import type { Kind } from './links/kind.js';
import type { Caps } from './quota/caps.js';
import type { Counts } from './quota/count-statuses.js';
import type { Stores } from './stores.js';
import type { Turns } from './turns.js';
import type { WorkspaceSemaphore } from './workspace-semaphore.js';

export interface ResourceContext extends Stores {
  config: ResourceConfig;
  db: Database;
  kind: Kind;
  leadsToShortHost: (url: URL) => boolean;
  requester: Requester;
  turns: Turns;
  /** Bounds the drawings with a logo. */
  logos: WorkspaceSemaphore;
  unfinishedImports: Quota;
  counts: Counts;
  caps: Caps;
}
