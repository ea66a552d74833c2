import type { Server } from 'node:http';
import { findPlan } from '@waymark/contract/requests';
import { serveRequests } from '@waymark/kernel/broker/requests';
import { createApi } from '@waymark/kernel/http/api';
import { Idempotency } from '@waymark/kernel/http/idempotency';
import { serveHttp } from '@waymark/kernel/http/serve-http';
import { item } from '@waymark/kernel/http/reply';
import type { ProcessContext } from '@waymark/kernel/process/lifecycle';
import { createRuntime, startRuntime } from '@waymark/kernel/process/runtime';
import { mountAuthorize } from './authorize/route.js';
import type { AuthConfig } from './config.js';
import type { AuthContext } from './context.js';
import { memberHandlers } from './members/routes.js';
import { AddressCounts, mountAddressCounts } from './limits/address-counts.js';
import { EntryStore } from './limits/entry-store.js';
import { RollingLimit } from './limits/rolling-limit.js';
import { Slots } from './limits/slots.js';
import { sessionHandlers } from './sessions/routes.js';
import { SignInLimits } from './sessions/sign-in-limits.js';
import { SessionStore } from './sessions/store.js';
import { tokenHandlers } from './tokens/routes.js';
import { LastUse } from './tokens/last-use.js';
import { Refusals } from './tokens/refusals.js';
import { TokenStore } from './tokens/store.js';
import { PasswordChecker } from './users/password.js';
import { showUser } from './users/show-user.js';
import { UserStore } from './users/store.js';
import { plansOf } from './workspaces/plans.js';
import { workspaceHandlers } from './workspaces/routes.js';
import { WorkspaceStore } from './workspaces/store.js';

const QUARTER_HOUR_MS = 15 * 60_000;
const DAY_MS = 24 * 3600_000;

export async function startAuth(processParts: ProcessContext<AuthConfig>): Promise<Server> {
  const parts = createRuntime('auth', processParts);
  const { config, log, metrics, lifecycle, db, broker } = parts;
  const users = new UserStore(db);
  const tokens = new TokenStore(db);
  const ctx: AuthContext = {
    config,
    log,
    db,
    plans: plansOf(config),
    users,
    workspaces: new WorkspaceStore(db),
    tokens,
    sessions: new SessionStore(db),
    limit: new RollingLimit(
      new EntryStore(db, 'accepted_requests', config.RATE_LIMIT_WINDOW_MS),
      config.API_WORKSPACE_REQUESTS_PER_MINUTE,
      config.RATE_LIMIT_WINDOW_MS,
    ),
    passwords: new PasswordChecker(config.PASSWORD_CHECKS_AT_ONCE),
    signInLimits: new SignInLimits(db, config, metrics),
    unknownEmails: new Slots(db, 'unknown_emails', config.UNKNOWN_EMAILS_PER_USER, QUARTER_HOUR_MS),
    newWorkspaces: new Slots(db, 'new_workspaces', config.WORKSPACES_PER_USER_AND_DAY, DAY_MS),
    addressCounts: new AddressCounts(db),
    lastUse: new LastUse(tokens, log, lifecycle),
    refusals: new Refusals(db, tokens, users, log, lifecycle),
  };
  serveRequests(broker, log, findPlan, async ({ workspace: slug }) => {
    const workspace = await ctx.workspaces.bySlug(slug);
    return { plan: workspace && (workspace.plan ?? config.DEFAULT_PLAN) };
  });
  const app = createApi({
    service: 'auth',
    deployment: config.DEPLOYMENT,
    identityPublicKeys: config.IDENTITY_PUBLIC_KEY,
    apiBaseUrl: config.API_BASE_URL,
    log,
    metrics,
    idempotency: new Idempotency(db),
    internal: (internal) => {
      mountAuthorize(internal, ctx);
      mountAddressCounts(internal, ctx);
    },
    handlers: {
      'user.show': async ({ identity, versioned }) => {
        const user = await showUser(ctx, identity);
        return versioned ? item(user) : { body: user };
      },
      ...sessionHandlers(ctx),
      ...tokenHandlers(ctx),
      ...workspaceHandlers(ctx),
      ...memberHandlers(ctx),
    },
  });
  await startRuntime(parts);
  return serveHttp(app, { config, lifecycle, log });
}
