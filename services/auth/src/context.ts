import type { Database } from '@waymark/kernel/mongo/database';
import type { Log } from '@waymark/kernel/process/log';
import type { AuthConfig } from './config.js';
import type { AddressCounts } from './limits/address-counts.js';
import type { RollingLimit } from './limits/rolling-limit.js';
import type { Slots } from './limits/slots.js';
import type { SignInLimits } from './sessions/sign-in-limits.js';
import type { SessionStore } from './sessions/store.js';
import type { LastUse } from './tokens/last-use.js';
import type { Refusals } from './tokens/refusals.js';
import type { TokenStore } from './tokens/store.js';
import type { PasswordChecker } from './users/password.js';
import type { UserStore } from './users/store.js';
import type { Plans } from './workspaces/plans.js';
import type { WorkspaceStore } from './workspaces/store.js';

/** The dependencies of this service's use cases. */
export interface AuthContext {
  config: AuthConfig;
  log: Log;
  db: Database;
  plans: Plans;
  users: UserStore;
  workspaces: WorkspaceStore;
  tokens: TokenStore;
  sessions: SessionStore;
  limit: RollingLimit;
  passwords: PasswordChecker;
  signInLimits: SignInLimits;
  unknownEmails: Slots;
  newWorkspaces: Slots;
  addressCounts: AddressCounts;
  lastUse: LastUse;
  refusals: Refusals;
}
