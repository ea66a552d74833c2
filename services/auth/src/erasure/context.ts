import type { ErasureStore } from '@waymark/kernel/erasure/erasure-store';
import type { Database } from '@waymark/kernel/mongo/database';
import type { SessionStore } from '../sign-in/sessions/session-store.js';
import type { TokenStore } from '../workspaces/tokens/token-store.js';
import type { UserStore } from '../users/user-store.js';
import type { WorkspaceStore } from '../workspaces/workspace-store.js';
import type { OrderStore } from './order-store.js';

/** The dependencies of deletions. */
export interface ErasureContext {
  db: Database;
  users: UserStore;
  workspaces: WorkspaceStore;
  tokens: Pick<TokenStore, 'deleteTokens'>;
  sessions: Pick<SessionStore, 'deleteOtherSessions'>;
  orders: OrderStore;
  erasures: Pick<ErasureStore, 'insertErasure'>;
}
