import type { Database } from '@waymark/kernel/mongo/database';
import type { UserStore } from '../../users/user-store.js';
import type { WorkspaceStore } from '../workspace-store.js';
import type { TokenStore } from './token-store.js';

/** The dependencies of the token routes. */
export interface TokenContext {
  db: Database;
  config: { MAX_TOKENS_PER_WORKSPACE: number };
  users: Pick<UserStore, 'findUser' | 'findUsers'>;
  workspaces: Pick<WorkspaceStore, 'lockMembers' | 'findMembership'>;
  tokens: TokenStore;
}
