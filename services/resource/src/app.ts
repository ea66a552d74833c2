import type { Server } from 'node:http';
import { findLink, resolveCode } from '@waymark/shared/contract/requests';
import { answerRequests } from '@waymark/shared/kernel/broker/requests';
import { shortHosts } from '@waymark/shared/kernel/config';
import { createApi, serveHttp } from '@waymark/shared/kernel/http/api';
import { Idempotency } from '@waymark/shared/kernel/http/idempotency';
import { Inbox } from '@waymark/shared/kernel/inbox';
import type { ProcessParts } from '@waymark/shared/kernel/lifecycle';
import { openParts, startParts } from '@waymark/shared/kernel/parts';
import type { ResourceConfig } from './config.js';
import type { ResourceContext } from './context.js';
import { CodeStore } from './links/code-store.js';
import { countScans } from './links/count-scans.js';
import { snapshotOf } from './links/link.js';
import { linkChecks, linkHandlers } from './links/routes.js';
import { LinkStore } from './links/store.js';
import { qrImageChecks, qrImageHandlers } from './qr-images/routes.js';

export async function startResource(processParts: ProcessParts<ResourceConfig>): Promise<Server> {
  const parts = openParts('resource', processParts);
  const { config, log, metrics, lifecycle, db, broker } = parts;
  const ctx: ResourceContext = {
    config,
    db,
    shortHosts: shortHosts(config),
    codes: new CodeStore(db),
    links: new LinkStore(db),
  };

  countScans(parts, new Inbox(db), ctx.links);
  answerRequests(broker, log, resolveCode, async ({ hostname, short_code: shortCode }) => {
    const link = await ctx.links.byCode(hostname, shortCode);
    return { target: link && { workspace: link.workspace, link: snapshotOf(link, config.SHORT_BASE_URL) } };
  });

  answerRequests(broker, log, findLink, async ({ workspace, by, value }) => {
    const link = await (by === 'id' ? ctx.links.byId(workspace, value) : ctx.links.byCodeIn(workspace, value));
    return { link: link && snapshotOf(link, config.SHORT_BASE_URL) };
  });

  const app = createApi({
    service: 'resource',
    deployment: config.DEPLOYMENT,
    identityPublicKey: config.IDENTITY_PUBLIC_KEY,
    apiBaseUrl: config.API_BASE_URL,
    log,
    metrics,
    idempotency: new Idempotency(db),
    handlers: { ...linkHandlers(ctx), ...qrImageHandlers(ctx) },
    checks: { ...linkChecks(ctx), ...qrImageChecks },
  });
  await startParts(parts);
  return serveHttp(app, { host: config.HOST, port: config.PORT, lifecycle });
}
