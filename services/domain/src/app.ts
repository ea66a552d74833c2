import type { Server } from 'node:http';
import { findDomain, resolveHost } from '@waymark/contract/requests';
import { serveRequests } from '@waymark/kernel/broker/requests';
import { shortHosts } from '@waymark/contract/short-hosts';
import { createApi } from '@waymark/kernel/http/api';
import { serveHttp } from '@waymark/kernel/http/serve-http';
import { Idempotency } from '@waymark/kernel/http/idempotency';
import type { ProcessContext } from '@waymark/kernel/process/lifecycle';
import { createRuntime, startRuntime } from '@waymark/kernel/process/runtime';
import { Quota } from '@waymark/kernel/mongo/quota';
import { Checker } from './checks/checker.js';
import { createLookUp } from './checks/look-up.js';
import { scheduleOf } from './checks/schedule.js';
import type { DomainConfig } from './config.js';
import type { DomainContext } from './context.js';
import { snapshotOf } from './domains/domain.js';
import { domainHandlers } from './domains/routes.js';
import { DomainStore } from './domains/store.js';
import { answerAsk, TLS_ASK_PATH } from './tls/answer-ask.js';

export async function startDomain(
  processParts: ProcessContext<DomainConfig>,
): Promise<{ server: Server; ops: Server }> {
  const parts = createRuntime('domain', processParts);
  const { config, log, metrics, lifecycle, db, broker } = parts;
  const cnameTarget = config.CNAME_TARGET ?? new URL(config.SHORT_BASE_URL).hostname;
  const ourShortHosts = shortHosts(config);
  const ctx: DomainContext = {
    config,
    db,
    domains: new DomainStore(db),
    quota: new Quota(db, 'custom_domains'),
    cnameTarget,
    shortHosts: ourShortHosts,
    ownHosts: new Set([...ourShortHosts, new URL(config.API_BASE_URL).hostname, cnameTarget]),
  };

  serveRequests(broker, findDomain, async ({ workspace, id }) => {
    const domain = await ctx.domains.byId(workspace, id);
    return { domain: domain && snapshotOf(domain) };
  });
  serveRequests(broker, resolveHost, async ({ hostname }) => {
    const domain = await ctx.domains.holderOf(hostname);
    return { owner: domain && { workspace: domain.workspace, domain: snapshotOf(domain) } };
  });

  const lookUp = createLookUp(config.DNS_SERVERS, config.DNS_TIMEOUT_MS);
  new Checker({ ...ctx, lookUp, schedule: scheduleOf(config), log }, metrics, lifecycle);

  const app = createApi({
    service: 'domain',
    deployment: config.DEPLOYMENT,
    identityPublicKeys: config.IDENTITY_PUBLIC_KEY,
    apiBaseUrl: config.API_BASE_URL,
    log,
    metrics,
    idempotency: new Idempotency(db),
    handlers: domainHandlers(ctx),
  });
  const ops = await startRuntime(parts, {}, { [TLS_ASK_PATH]: answerAsk(ctx) });
  const server = await serveHttp(app, { config, lifecycle, log });
  return { server, ops };
}
