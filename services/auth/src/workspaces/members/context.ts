import type { Database } from '@waymark/kernel/mongo/database';
import type { Caps } from '../../limits/limits.js';
import type { TokenStore } from '../tokens/token-store.js';
import type { UserStore } from '../../users/user-store.js';
import type { WorkspaceStore } from '../workspace-store.js';

/** The dependencies of the member routes. */
export interface MemberContext {
  db: Database;
  config: { MAX_MEMBERS_PER_WORKSPACE: number };
  caps: Pick<Caps, 'memberships'>;
  users: UserStore;
  workspaces: WorkspaceStore;
  tokens: Pick<TokenStore, 'revokeTokensOfUser'>;
}
