import type { PlanName } from '@waymark/contract/plans';
import type { Database } from '@waymark/kernel/mongo/database';
import type { Caps } from '../limits/limits.js';
import type { WindowCounter } from '../limits/window-counter.js';
import type { LinkedUsers } from '../users/second-factor.js';
import type { UserStore } from '../users/user-store.js';
import type { UsageContext } from './find-usage.js';
import type { GrowthConfig } from './growth.js';
import type { WorkspaceStore } from './workspace-store.js';

/** The dependencies of the workspace routes. */
export interface WorkspaceContext extends UsageContext {
  db: Database;
  config: UsageContext['config'] & GrowthConfig & { DEFAULT_PLAN: PlanName };
  users: Pick<UserStore, 'findUser' | 'lockUser'>;
  workspaces: WorkspaceStore;
  tokens: TokenWorkspaces & UsageContext['tokens'];
  sessions: SignIns;
  identities: LinkedUsers;
  caps: Pick<Caps, 'ownWorkspaces'>;
  limits: WindowCounter;
}

/** Tells how a session began. */
export interface SignIns {
  findSession(id: string): Promise<{ isByProvider?: boolean } | null>;
}

/** Tells to which workspace an access token belongs. */
export interface TokenWorkspaces {
  findToken(id: string): Promise<{ workspace: string } | null>;
}
