import type { Server } from 'node:http';
import { createApi, serveHttp } from '@waymark/shared/kernel/http/api';
import type { ProcessParts } from '@waymark/shared/kernel/lifecycle';
import { openParts, startParts } from '@waymark/shared/kernel/parts';
import type { AuditConfig } from './config.js';
import { collectEntries } from './entries/collect-entries.js';
import { EntryStore } from './entries/entry-store.js';
import { auditHandlers } from './entries/routes.js';

export async function startAudit(processParts: ProcessParts<AuditConfig>): Promise<Server> {
  const parts = openParts('audit', processParts);
  const { config, log, lifecycle, metrics, db } = parts;
  const entries = new EntryStore(db);
  collectEntries(parts, entries);

  const app = createApi({
    service: 'audit',
    deployment: config.DEPLOYMENT,
    identityPublicKey: config.IDENTITY_PUBLIC_KEY,
    apiBaseUrl: config.API_BASE_URL,
    log,
    metrics,
    handlers: auditHandlers(entries),
  });
  await startParts(parts);
  return serveHttp(app, { host: config.HOST, port: config.PORT, lifecycle });
}
