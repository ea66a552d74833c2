import type { Server } from 'node:http';
import type { Express } from 'express';
import { findPlan } from '@waymark/contract/requests';
import { openRequester, serveRequests } from '@waymark/kernel/broker/requests';
import { startErasureWorker } from '@waymark/kernel/erasure/erasure-worker';
import { createApi } from '@waymark/kernel/http/api';
import { Idempotency } from '@waymark/kernel/http/idempotency';
import { serveHttp } from '@waymark/kernel/http/serve-http';
import type { ProcessContext } from '@waymark/kernel/process/lifecycle';
import { SecretBox } from '@waymark/kernel/secret-box';
import { createRuntime, startRuntime, type Runtime } from '@waymark/kernel/runtime';
import { mountAuthorize } from './authorize/route.js';
import type { AuthConfig } from './config.js';
import { CountedEvents } from './activity/counted-events.js';
import { followReports } from './erasure/follow-reports.js';
import { OrderStore, servicesIn } from './erasure/order-store.js';
import { erasureHandlers } from './erasure/routes.js';
import { erasureSteps } from './erasure/steps.js';
import { invitationMailComposer } from './workspaces/invitations/invitation-mail.js';
import { InvitationStore } from './workspaces/invitations/invitation-store.js';
import { invitationHandlers } from './workspaces/invitations/routes.js';
import { CAPS, type Caps, type Maxima } from './limits/limits.js';
import { WindowCounter } from './limits/window-counter.js';
import { RequestLogStore } from './limits/request-log-store.js';
import { SlidingWindowLimiter } from './limits/sliding-window-limiter.js';
import { takeTurns } from './limits/take-turns.js';
import { memberHandlers } from './workspaces/members/routes.js';
import { profileHandlers } from './sign-in/profile/routes.js';
import { startMails } from './mail/mail-worker.js';
import { resetMailComposer } from './sign-in/password-reset/reset-mail.js';
import { MailStore } from './mail/mail-store.js';
import { OneTimeLinkStore } from './secrets/one-time-link-store.js';
import { passwordResetHandlers } from './sign-in/password-reset/routes.js';
import { PasswordChecker } from './secrets/password.js';
import { TotpSecrets } from './secrets/totp.js';
import { failedSignInEvent } from './sign-in/sessions/failed-sign-ins.js';
import { sessionHandlers } from './sign-in/sessions/routes.js';
import { singleSignOnHandlers } from './sign-in/single-sign-on/routes.js';
import { createIdentityProvider } from './sign-in/single-sign-on/create-identity-provider.js';
import { IdentityStore } from './sign-in/single-sign-on/identity-store.js';
import { SessionStore } from './sign-in/sessions/session-store.js';
import { SignInLimits } from './sign-in/sessions/sign-in-limits.js';
import { startLastUseRecorder } from './activity/last-use.js';
import { rejectedUseEvent } from './workspaces/tokens/rejected-use.js';
import { tokenHandlers } from './workspaces/tokens/routes.js';
import { TokenStore } from './workspaces/tokens/token-store.js';
import { MIGRATIONS } from './migrations.js';
import { twoFactorHandlers } from './sign-in/two-factor/routes.js';
import { UserStore } from './users/user-store.js';
import { followAuditHeads } from './workspaces/follow-audit-heads.js';
import { createPlans } from './workspaces/plans.js';
import { workspaceHandlers, workspacePresenter } from './workspaces/routes.js';
import { WorkspaceStore } from './workspaces/workspace-store.js';

const HOUR_MS = 3600_000;

type AuthContext = ReturnType<typeof createContext>;

/** What replaces the numbers of auth, in tests. */
export interface Numbers {
  maxima?: Maxima;
  caps?: Partial<Caps>;
}

export async function startAuth(process: ProcessContext<AuthConfig>, numbers: Numbers = {}): Promise<Server> {
  const runtime = createRuntime('auth', process);
  const { config, log, lifecycle, broker, db } = runtime;
  db.migrateBy(MIGRATIONS);
  const ctx = createContext(runtime, numbers);
  serveRequests(broker, findPlan, async ({ workspace: slug }) => {
    const workspace = await ctx.workspaces.findWorkspace(slug);
    return { plan: workspace && (workspace.plan ?? config.DEFAULT_PLAN) };
  });
  followAuditHeads(runtime, ctx.workspaces);
  startErasureWorker(runtime, { service: 'auth', steps: erasureSteps(db) });
  followReports(runtime, ctx.orders);
  const api = createAuthApi(ctx);
  const composers = { password_reset: resetMailComposer(ctx), invitation: invitationMailComposer(ctx) };
  startMails({ ...ctx, lifecycle, composers });
  ctx.countedEvents.start(runtime, {
    'session.failed': failedSignInEvent(ctx),
    'token.refused': rejectedUseEvent(ctx),
  });
  await startRuntime(runtime);
  return serveHttp(api, { config, lifecycle, log, metrics: runtime.metrics });
}

function createContext(runtime: Runtime<AuthConfig>, { maxima, caps }: Numbers) {
  const { config, log, metrics, lifecycle, db, broker, erasures } = runtime;
  const { RATE_LIMIT_WINDOW_MS: windowMs, API_WORKSPACE_REQUESTS_PER_MINUTE: requestsMax } = config;
  const limits = new WindowCounter(db, {
    signInsOfAddress: config.SIGN_INS_PER_ADDRESS,
    newWorkspaces: config.WORKSPACES_PER_USER_AND_DAY,
    ...maxima,
  });
  const users = new UserStore(db);
  const tokens = new TokenStore(db);
  const sessions = new SessionStore(db, config.SESSION_IDLE_HOURS * HOUR_MS);
  return {
    config,
    log,
    metrics,
    db,
    plans: createPlans(config),
    requester: openRequester(broker),
    users,
    workspaces: new WorkspaceStore(db),
    tokens,
    sessions,
    links: new OneTimeLinkStore(db),
    mails: new MailStore(db),
    identities: new IdentityStore(db),
    identityProvider: createIdentityProvider(config, log),
    erasures,
    orders: new OrderStore(db, servicesIn(config.DEPLOYMENT)),
    requestLimit: new SlidingWindowLimiter(
      new RequestLogStore(db, 'accepted_requests', windowMs),
      requestsMax,
      windowMs,
    ),
    passwords: new PasswordChecker(config.PASSWORD_CHECKS_AT_ONCE),
    limits,
    caps: { ...CAPS, ...caps },
    signInLimits: new SignInLimits(limits, metrics),
    countedEvents: new CountedEvents(db, log),
    totpSecrets: config.TOTP_SECRET_KEY
      ? new TotpSecrets(new SecretBox(config.TOTP_SECRET_KEY, 'TOTP_SECRET_KEY'))
      : null,
    invitations: new InvitationStore(db),
    tokenUse: startLastUseRecorder({ name: 'tokens', items: tokens, log, lifecycle }),
    sessionUse: startLastUseRecorder({ name: 'sessions', items: sessions, log, lifecycle }),
  };
}

function createAuthApi(ctx: AuthContext): Express {
  const { config, log, metrics, db } = ctx;
  return createApi({
    service: 'auth',
    deployment: config.DEPLOYMENT,
    identityKeys: config.IDENTITY_KEY,
    apiBaseUrl: config.API_BASE_URL,
    log,
    metrics,
    idempotency: new Idempotency(db),
    internal: (app) => mountAuthorize(app, ctx),
    handlers: takeTurns({
      ...profileHandlers(ctx),
      ...sessionHandlers(ctx),
      ...twoFactorHandlers(ctx),
      ...passwordResetHandlers(ctx),
      ...singleSignOnHandlers(ctx),
      ...tokenHandlers(ctx),
      ...workspaceHandlers(ctx),
      ...memberHandlers(ctx),
      ...invitationHandlers(ctx),
      ...erasureHandlers(ctx, workspacePresenter(config)),
    }),
  });
}
