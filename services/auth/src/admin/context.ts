import { withDatabase } from '@waymark/kernel/process/command-line';
import { brokerConfig, databaseConfig, loadConfig, processConfig } from '@waymark/kernel/process/config';
import type { Database } from '@waymark/kernel/mongo/database';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { storeEvents } from '@waymark/kernel/mongo/store-events';
import { authConfig } from '../config.js';
import type { AuthContext } from '../context.js';
import type { AdminTargets } from './commands.js';
import { TokenStore } from '../tokens/store.js';
import { UserStore } from '../users/store.js';
import { WorkspaceStore } from '../workspaces/store.js';

export type AdminContext = Pick<AuthContext, 'db' | 'config' | 'users' | 'workspaces' | 'tokens'>;

/** The part of the configuration that the commands use; they need neither the API's keys nor its addresses. */
const adminConfig = authConfig
  .omit({ IDENTITY_PUBLIC_KEY: true, API_BASE_URL: true, PORT: true })
  .extend({ ...processConfig.shape, ...databaseConfig.shape })
  .omit({ AMQP_URL: true, AMQP_NAMESPACE: true });

function withAdminContext<T>(env: NodeJS.ProcessEnv, work: (ctx: AdminContext) => Promise<T>): Promise<T> {
  const config = loadConfig(adminConfig, env);
  const open = (db: Database, lifecycle: Lifecycle): AdminContext => {
    storeEvents(db, lifecycle);
    return {
      db,
      config: config as AuthContext['config'],
      users: new UserStore(db),
      workspaces: new WorkspaceStore(db),
      tokens: new TokenStore(db),
    };
  };
  return withDatabase(config.MONGODB_URI, open, work);
}

export function adminTargets(env: NodeJS.ProcessEnv): AdminTargets {
  return {
    database: (work) => withAdminContext(env, work),
    broker: () => {
      const { AMQP_URL: url, AMQP_NAMESPACE: namespace } = loadConfig(brokerConfig, env);
      return { url, namespace };
    },
  };
}
