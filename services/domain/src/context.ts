import type { Database } from '@waymark/kernel/mongo/database';
import type { Quota } from '@waymark/kernel/mongo/quota';
import type { DomainConfig } from './config.js';
import type { DomainStore } from './domains/store.js';

export interface DomainContext {
  config: DomainConfig;
  db: Database;
  domains: DomainStore;
  quota: Quota;
  cnameTarget: string;
  /** Every name of the default short host. */
  shortHosts: ReadonlySet<string>;
  /** Those and the other host names of this installation; workspaces cannot register them. */
  ownHosts: ReadonlySet<string>;
}
