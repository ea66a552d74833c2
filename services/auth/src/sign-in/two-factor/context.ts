import type { WindowCounter } from '../../limits/window-counter.js';
import type { PasswordChecker } from '../../secrets/password.js';
import type { TotpSecrets } from '../../secrets/totp.js';
import type { Database } from '@waymark/kernel/mongo/database';
import type { SessionStore } from '../sessions/session-store.js';
import type { SignInLimits } from '../sessions/sign-in-limits.js';
import type { UserStore } from '../../users/user-store.js';
import type { WorkspaceStore } from '../../workspaces/workspace-store.js';

/** The dependencies of the routes of two-factor sign-in. */
export interface TwoFactorContext {
  config: { API_BASE_URL: string };
  db: Database;
  users: UserStore;
  sessions: Pick<SessionStore, 'findSession'>;
  workspaces: Pick<WorkspaceStore, 'findEnteredWorkspaces'>;
  passwords: PasswordChecker;
  signInLimits: SignInLimits;
  limits: WindowCounter;
  totpSecrets: TotpSecrets | null;
}
