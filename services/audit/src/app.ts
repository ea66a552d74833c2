import type { Server } from 'node:http';
import { startErasures } from '@waymark/kernel/erasure/erasure-worker';
import { openRequester } from '@waymark/kernel/broker/requests';
import { createApi } from '@waymark/kernel/http/api';
import { serveHttp } from '@waymark/kernel/http/serve-http';
import type { ProcessContext } from '@waymark/kernel/process/lifecycle';
import { createRuntime, startRuntime } from '@waymark/kernel/runtime';
import type { AuditConfig } from './config.js';
import { AnchorKeys } from './chain/anchor-keys.js';
import { collectEntries } from './collecting/collect-entries.js';
import { erasureSteps } from './erasure-steps.js';
import { EntryStore } from './entries/entry-store.js';
import { WaitingStore } from './entries/waiting-store.js';
import { HeadStore } from './chain/head-store.js';
import { readingChecks, readingHandlers } from './reading/routes.js';
import { askForKeptHead } from './verifying/ask-auth.js';
import { verifyingHandlers } from './verifying/routes.js';
import { DayCountStore } from './entries/day-count-store.js';

export async function startAudit(processContext: ProcessContext<AuditConfig>): Promise<Server> {
  const runtime = createRuntime('audit', processContext);
  const { config, log, lifecycle, metrics, db, broker } = runtime;
  const requester = openRequester(broker);
  const keys = new AnchorKeys(config.AUDIT_SIGNING_KEY, config.AUDIT_EARLIER_KEYS);
  const heads = new HeadStore(db, keys, config.AUDIT_SIGN_EXISTING ? { log } : undefined);
  const stores = {
    db,
    keys,
    heads,
    entries: new EntryStore(db),
    waiting: new WaitingStore(db, keys),
    dayCounts: new DayCountStore(db),
  };
  collectEntries(runtime, stores);
  startErasures(runtime, { service: 'audit', steps: erasureSteps({ ...stores, log, lifecycle }), needsEmail: true });

  const app = createApi({
    service: 'audit',
    deployment: config.DEPLOYMENT,
    identityKeys: config.IDENTITY_KEY,
    apiBaseUrl: config.API_BASE_URL,
    log,
    metrics,
    handlers: {
      ...readingHandlers(stores, log),
      ...verifyingHandlers({ ...stores, findKeptHead: (workspace) => askForKeptHead(requester, workspace) }),
    },
    checks: readingChecks(config.DEPLOYMENT),
  });
  await startRuntime(runtime);
  return serveHttp(app, { config, lifecycle, log, metrics });
}
