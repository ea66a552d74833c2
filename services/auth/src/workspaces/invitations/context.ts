import type { Database } from '@waymark/kernel/mongo/database';
import type { Caps } from '../../limits/limits.js';
import type { WindowCounter } from '../../limits/window-counter.js';
import type { MailStore } from '../../mail/mail-store.js';
import type { OneTimeLinkStore } from '../../secrets/one-time-link-store.js';
import type { PasswordChecker } from '../../secrets/password.js';
import type { ReclaimContext } from '../members/reclaim-account.js';
import type { UserStore } from '../../users/user-store.js';
import type { GrowthConfig } from '../growth.js';
import type { WorkspaceStore } from '../workspace-store.js';
import type { InvitationStore } from './invitation-store.js';

/** The dependencies of the invitation routes. */
export interface InvitationContext extends Pick<ReclaimContext, 'tokens' | 'sessions'> {
  db: Database;
  config: Pick<GrowthConfig, 'INVITE_NEW_PEOPLE'> & {
    API_BASE_URL: string;
    SMTP_URL?: string | undefined;
    MAX_INVITATIONS_PER_WORKSPACE: number;
    MAX_MEMBERS_PER_WORKSPACE: number;
  };
  caps: Pick<Caps, 'memberships'>;
  users: UserStore;
  workspaces: WorkspaceStore;
  invitations: InvitationStore;
  links: OneTimeLinkStore;
  mails: MailStore;
  passwords: Pick<PasswordChecker, 'hashPassword'>;
  limits: WindowCounter;
}
