import type { Database } from '@waymark/shared/kernel/database';
import type { ResourceConfig } from './config.js';
import type { CodeStore } from './links/code-store.js';
import type { LinkStore } from './links/store.js';

export interface ResourceContext {
  config: ResourceConfig;
  db: Database;
  shortHosts: ReadonlySet<string>;
  codes: CodeStore;
  links: LinkStore;
}
