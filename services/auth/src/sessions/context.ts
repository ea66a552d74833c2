import type { Database } from '@waymark/kernel/mongo/database';
import type { AccountLimits } from '../limits/account-limits.js';
import type { OneTimeLinkStore } from '../one-time-links/one-time-link-store.js';
import type { ProfileContext } from '../profile/present-user.js';
import type { PasswordChecker } from '../secrets/password.js';
import type { TotpSecrets } from '../secrets/totp.js';
import type { TokenStore } from '../tokens/token-store.js';
import type { UserStore } from '../users/user-store.js';
import type { WorkspaceStore } from '../workspaces/workspace-store.js';
import type { FailedSignInStore } from './failed-sign-in-store.js';
import type { SessionStore } from './session-store.js';
import type { SignInLimits } from './sign-in-limits.js';

/** The dependencies of the session routes. */
export interface SessionContext extends ProfileContext {
  db: Database;
  config: ProfileContext['config'] & { MAX_SESSIONS_PER_USER: number; SESSION_LIFETIME_HOURS: number };
  users: Pick<UserStore, 'findUser' | 'findUsers' | 'findUserByEmail' | 'markSignedIn' | 'setPassword'>;
  workspaces: WorkspaceStore;
  sessions: SessionStore;
  links: OneTimeLinkStore;
  tokens: Pick<TokenStore, 'revokeEveryTokenOfUser' | 'countLiveTokens'>;
  passwords: PasswordChecker;
  signInLimits: SignInLimits;
  failedSignIns: FailedSignInStore;
  accountLimits: AccountLimits;
  /** `null` without a key to seal secrets with: two-factor sign-in cannot be enabled. */
  totpSecrets: TotpSecrets | null;
}
