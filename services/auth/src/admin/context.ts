import { ErasureStore } from '@waymark/kernel/erasure/erasure-store';
import type { z } from 'zod';
import { publishEvents } from '@waymark/kernel/command-line/publish-events';
import { withDatabase } from '@waymark/kernel/command-line/with-database';
import { apiConfig, databaseConfig, loadConfig, processConfig } from '@waymark/kernel/process/config';
import type { Database } from '@waymark/kernel/mongo/database';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { storeEvents } from '@waymark/kernel/broker/store-events';
import { authConfig } from '../config.js';
import { MailStore } from '../mail/mail-store.js';
import { OneTimeLinkStore } from '../secrets/one-time-link-store.js';
import { CAPS, type Caps } from '../limits/limits.js';
import { InvitationStore } from '../workspaces/invitations/invitation-store.js';
import { OrderStore, servicesIn } from '../erasure/order-store.js';
import { PasswordChecker } from '../secrets/password.js';
import { SessionStore } from '../sign-in/sessions/session-store.js';
import { TokenStore } from '../workspaces/tokens/token-store.js';
import { UserStore } from '../users/user-store.js';
import { WorkspaceStore } from '../workspaces/workspace-store.js';

const HOUR_MS = 3600_000;

/** The part of the configuration that the commands use; they need neither the API's keys nor its addresses. */
const adminConfig = authConfig
  .omit({ IDENTITY_KEY: true, API_BASE_URL: true, PORT: true })
  .extend({
    ...processConfig.shape,
    ...databaseConfig.shape,
    /** Only the commands that print links need it. */
    API_BASE_URL: apiConfig.shape.API_BASE_URL.optional(),
  })
  .omit({ AMQP_URL: true, AMQP_NAMESPACE: true });

export interface AdminContext {
  db: Database;
  config: z.output<typeof adminConfig>;
  caps: Caps;
  users: UserStore;
  invitations: InvitationStore;
  workspaces: WorkspaceStore;
  tokens: TokenStore;
  sessions: SessionStore;
  links: OneTimeLinkStore;
  mails: MailStore;
  passwords: PasswordChecker;
  orders: OrderStore;
  erasures: ErasureStore;
}

/** Opens the database only for the command that runs. */
export interface AdminTargets {
  database: <T>(work: (ctx: AdminContext) => Promise<T>) => Promise<T>;
}

/** @param isPublishing whether a command publishes its events itself; otherwise the running service does, seconds later */
export function adminTargets(env: NodeJS.ProcessEnv, isPublishing = false): AdminTargets {
  return { database: (work) => withAdminContext(env, isPublishing, work) };
}

function withAdminContext<T>(
  env: NodeJS.ProcessEnv,
  isPublishing: boolean,
  work: (ctx: AdminContext) => Promise<T>,
): Promise<T> {
  const config = loadConfig(adminConfig, env);
  const open = (db: Database, lifecycle: Lifecycle): AdminContext => {
    if (isPublishing) publishEvents('auth', env, { db, lifecycle });
    else storeEvents(db, lifecycle);
    return {
      db,
      config,
      caps: CAPS,
      users: new UserStore(db),
      invitations: new InvitationStore(db),
      workspaces: new WorkspaceStore(db),
      tokens: new TokenStore(db),
      sessions: new SessionStore(db, config.SESSION_IDLE_HOURS * HOUR_MS),
      links: new OneTimeLinkStore(db),
      mails: new MailStore(db),
      passwords: new PasswordChecker(1),
      orders: new OrderStore(db, servicesIn(config.DEPLOYMENT)),
      erasures: new ErasureStore(db),
    };
  };
  return withDatabase(config.MONGODB_URI, open, work);
}
