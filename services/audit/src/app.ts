import type { Server } from 'node:http';
import { createApi } from '@waymark/kernel/http/api';
import { serveHttp } from '@waymark/kernel/http/serve-http';
import type { ProcessContext } from '@waymark/kernel/process/lifecycle';
import { createRuntime, startRuntime } from '@waymark/kernel/process/runtime';
import type { AuditConfig } from './config.js';
import { AnchorKeys } from './entries/anchor.js';
import { collectEntries } from './entries/collect-entries.js';
import { EntryStore } from './entries/entry-store.js';
import { HeadStore } from './entries/head-store.js';
import { auditChecks, auditHandlers } from './entries/routes.js';
import { TallyStore } from './entries/tally-store.js';

export async function startAudit(processParts: ProcessContext<AuditConfig>): Promise<Server> {
  const parts = createRuntime('audit', processParts);
  const { config, log, lifecycle, metrics, db } = parts;
  const keys = new AnchorKeys(config.AUDIT_SIGNING_KEY, config.AUDIT_EARLIER_KEYS);
  const heads = new HeadStore(db, keys, config.AUDIT_SIGN_EXISTING ? { log } : undefined);
  const stores = { db, entries: new EntryStore(db), heads, tallies: new TallyStore(db) };
  collectEntries(parts, stores);

  const app = createApi({
    service: 'audit',
    deployment: config.DEPLOYMENT,
    identityPublicKeys: config.IDENTITY_PUBLIC_KEY,
    apiBaseUrl: config.API_BASE_URL,
    log,
    metrics,
    handlers: auditHandlers(stores, log),
    checks: auditChecks(config.DEPLOYMENT),
  });
  await startRuntime(parts);
  return serveHttp(app, { config, lifecycle, log });
}
