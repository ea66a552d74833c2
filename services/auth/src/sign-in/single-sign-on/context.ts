import type { PasswordChecker } from '../../secrets/password.js';
import type { SessionContext } from '../sessions/context.js';
import type { SignInLimits } from '../sessions/sign-in-limits.js';
import type { ReclaimContext } from '../../workspaces/members/reclaim-account.js';
import type { UserStore } from '../../users/user-store.js';
import type { IdentityProvider } from './identity-provider.js';
import type { IdentityStore } from './identity-store.js';

/** The dependencies of the routes of single sign-on. */
export interface SingleSignOnContext
  extends
    Pick<SessionContext, 'db' | 'caps' | 'limits' | 'sessions' | 'workspaces' | 'countedEvents'>,
    Pick<ReclaimContext, 'tokens' | 'links'> {
  config: SessionContext['config'] & { OIDC_CREATE_USERS: boolean };
  users: UserStore;
  passwords: Pick<PasswordChecker, 'hashPassword'>;
  signInLimits: SignInLimits;
  identities: IdentityStore;
  /** `null` in an installation without single sign-on. */
  identityProvider: IdentityProvider | null;
}
