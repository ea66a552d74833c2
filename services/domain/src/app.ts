import type { Server } from 'node:http';
import { findDomain, findDomainUsage, resolveHost } from '@waymark/contract/requests';
import { serveRequests } from '@waymark/kernel/broker/requests';
import { shortHosts } from '@waymark/contract/short-hosts';
import { startErasures } from '@waymark/kernel/erasure/erasure-worker';
import { createApi } from '@waymark/kernel/http/api';
import { serveHttp } from '@waymark/kernel/http/serve-http';
import { Idempotency } from '@waymark/kernel/http/idempotency';
import type { ProcessContext } from '@waymark/kernel/process/lifecycle';
import { createRuntime, startRuntime } from '@waymark/kernel/runtime';
import { Quota } from '@waymark/kernel/mongo/quota';
import { CHECKER_LIMITS, startChecker } from './checks/checker.js';
import { SCHEDULE } from './checks/schedule.js';
import { createLookUp, LOOK_UP_TIMEOUT_MS } from './dns/look-up.js';
import type { DomainConfig } from './config.js';
import { domainSnapshot } from './domains/domain.js';
import { DOMAINS_MAX, domainLimitOf } from './domains/register-domain.js';
import { CHECK_INTERVAL_MS } from './domains/request-check.js';
import { erasureSteps } from './erasure-steps.js';
import { MIGRATIONS } from './migrations.js';
import { domainChecks, domainHandlers } from './domains/routes.js';
import { DomainStore } from './domains/domain-store.js';
import { HostnameLocks } from './domains/hostname-locks.js';
import { RetiredHostStore } from './domains/retired-host-store.js';
import { tlsAskHandler } from './tls/tls-ask.js';

const DEFAULTS = {
  ...SCHEDULE,
  ...CHECKER_LIMITS,
  lookUpTimeoutMs: LOOK_UP_TIMEOUT_MS,
  domainsMax: DOMAINS_MAX,
  checkIntervalMs: CHECK_INTERVAL_MS,
};
export type DomainOptions = typeof DEFAULTS;

/** @param options for tests, in place of the documented times and limits */
export async function startDomain(
  processContext: ProcessContext<DomainConfig>,
  options: Partial<DomainOptions> = {},
): Promise<{ server: Server; ops: Server; tlsAskServer: Server }> {
  const runtime = createRuntime('domain', processContext);
  const { config, log, metrics, lifecycle, db, broker } = runtime;
  const { domainsMax, checkIntervalMs, lookUpTimeoutMs, ...checking } = { ...DEFAULTS, ...options };
  const cnameTarget = config.CNAME_TARGET ?? new URL(config.SHORT_BASE_URL).hostname;
  db.migrateBy(MIGRATIONS);
  const ourShortHosts = shortHosts(config);
  const ctx = {
    db,
    domains: new DomainStore(db),
    hostnameLocks: new HostnameLocks(db),
    quota: new Quota(db, 'custom_domains'),
    cnameTarget,
    domainsMax,
    checkIntervalMs,
    shortHosts: ourShortHosts,
    ownHosts: new Set([...ourShortHosts, new URL(config.API_BASE_URL).hostname, cnameTarget]),
  };

  const retiredHosts = new RetiredHostStore(db);

  serveRequests(broker, findDomain, async ({ workspace, id }) => {
    const domain = await ctx.domains.domainById(workspace, id);
    return { domain: domain && domainSnapshot(domain) };
  });
  serveRequests(broker, resolveHost, async ({ hostname }) => {
    const domain = await ctx.domains.servingDomain(hostname);
    if (domain) return { owner: { workspace: domain.workspace, domain: domainSnapshot(domain) } };
    return { owner: null, is_gone: await retiredHosts.hasHost(hostname) };
  });

  serveRequests(broker, findDomainUsage, async ({ workspace, plan }) => ({
    usage: { domains: { used: await ctx.quota.countUsed(workspace), limit: domainLimitOf(ctx, plan) } },
  }));

  const lookUp = createLookUp(config.DNS_SERVERS, lookUpTimeoutMs);
  startChecker({ ...ctx, ...checking, lookUp, schedule: checking }, runtime);

  startErasures(runtime, { service: 'domain', steps: erasureSteps(db, retiredHosts) });

  const app = createApi({
    service: 'domain',
    deployment: config.DEPLOYMENT,
    identityKeys: config.IDENTITY_KEY,
    apiBaseUrl: config.API_BASE_URL,
    log,
    metrics,
    idempotency: new Idempotency(db),
    handlers: domainHandlers(ctx),
    checks: domainChecks({ allowsPrivate: config.ALLOW_PRIVATE_DESTINATIONS }),
  });
  const ops = await startRuntime(runtime);
  // A port of its own: TLS handshakes of visitors must not take the connections of probes or of the API.
  const tlsAskServer = await serveHttp(tlsAskHandler(ctx), {
    config: { ...config, PORT: config.TLS_ASK_PORT },
    lifecycle,
    log,
    metrics,
  });
  const server = await serveHttp(app, { config, lifecycle, log, metrics });
  return { server, ops, tlsAskServer };
}
