import type { KeyedLimit } from '@waymark/kernel/limits/keyed-limit';
import type { Requester } from '@waymark/kernel/broker/requests';
import type { Database } from '@waymark/kernel/mongo/database';
import type { SaveContext } from '../links/context.js';
import type { DetachmentStore } from './detachment-store.js';
import type { DomainStore } from './domain-store.js';

export interface DomainContext {
  domains: DomainStore;
  requester: Requester;
}

export interface DetachmentContext extends SaveContext, DomainContext {
  db: Database;
  domains: DomainStore;
  detachments: DetachmentStore;
  /** Runs the changes of one workspace's content one after the other. */
  changes: KeyedLimit;
}
