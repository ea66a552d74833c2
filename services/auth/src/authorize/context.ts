import type { Plan, PlanName } from '@waymark/contract/plans';
import type { Log } from '@waymark/kernel/process/log';
import type { CountedEvents } from '../activity/counted-events.js';
import type { SlidingWindowLimiter } from '../limits/sliding-window-limiter.js';
import type { SessionStore } from '../sign-in/sessions/session-store.js';
import type { LastUseRecorder } from '../activity/last-use.js';
import type { TokenStore } from '../workspaces/tokens/token-store.js';
import type { LinkedUsers } from '../users/second-factor.js';
import type { UserStore } from '../users/user-store.js';
import type { WorkspaceStore } from '../workspaces/workspace-store.js';

/** The dependencies of the route that authorizes the gateway's requests. */
export interface AuthorizeContext {
  config: { DEFAULT_PLAN: PlanName };
  log: Log;
  plans: Readonly<Record<PlanName, Plan>>;
  users: Pick<UserStore, 'findUsers'>;
  workspaces: Pick<WorkspaceStore, 'findMemberships' | 'findWorkspaces'>;
  tokens: Pick<TokenStore, 'findTokensByHash'>;
  sessions: Pick<SessionStore, 'findSessionsByHash'>;
  identities: LinkedUsers;
  requestLimit: SlidingWindowLimiter;
  tokenUse: LastUseRecorder;
  sessionUse: LastUseRecorder;
  countedEvents: Pick<CountedEvents, 'note'>;
}
