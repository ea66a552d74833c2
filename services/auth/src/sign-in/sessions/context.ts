import type { Database } from '@waymark/kernel/mongo/database';
import type { CountedEvents } from '../../activity/counted-events.js';
import type { Caps } from '../../limits/limits.js';
import type { WindowCounter } from '../../limits/window-counter.js';
import type { OneTimeLinkStore } from '../../secrets/one-time-link-store.js';
import type { ProfileContext } from '../profile/present-user.js';
import type { PasswordChecker } from '../../secrets/password.js';
import type { TotpSecrets } from '../../secrets/totp.js';
import type { TokenStore } from '../../workspaces/tokens/token-store.js';
import type { UserStore } from '../../users/user-store.js';
import type { WorkspaceStore } from '../../workspaces/workspace-store.js';
import type { SessionStore } from './session-store.js';
import type { SignInLimits } from './sign-in-limits.js';

/** The dependencies of the session routes. */
export interface SessionContext extends ProfileContext {
  db: Database;
  config: ProfileContext['config'] & { SESSION_LIFETIME_HOURS: number };
  caps: Caps;
  users: Pick<UserStore, 'findUser' | 'findUsers' | 'findUserByEmail' | 'markSignedIn' | 'setPassword'>;
  workspaces: WorkspaceStore;
  sessions: SessionStore;
  links: OneTimeLinkStore;
  tokens: Pick<TokenStore, 'revokeEveryTokenOfUser' | 'countLiveTokens'>;
  passwords: PasswordChecker;
  signInLimits: SignInLimits;
  countedEvents: CountedEvents;
  limits: WindowCounter;
  /** `null` without a key to seal secrets with: two-factor sign-in cannot be enabled. */
  totpSecrets: TotpSecrets | null;
}
