import type { Server } from 'node:http';
import { openRequester } from '@waymark/kernel/broker/requests';
import { shortHostTest } from '@waymark/contract/short-hosts';
import { createApi } from '@waymark/kernel/http/api';
import { serveHttp } from '@waymark/kernel/http/serve-http';
import { Idempotency } from '@waymark/kernel/http/idempotency';
import { Inbox } from '@waymark/kernel/mongo/inbox';
import { KeyedSemaphore } from '@waymark/kernel/async/keyed-semaphore';
import type { ProcessContext } from '@waymark/kernel/process/lifecycle';
import { createRuntime, startRuntime } from '@waymark/kernel/process/runtime';
import { Quota } from '@waymark/kernel/mongo/quota';
import type { ResourceConfig } from './config.js';
import type { ResourceContext } from './context.js';
import { followDomains } from './domains/follow-domains.js';
import { keepLeaving } from './domains/keep-leaving.js';
import { ImportPace, notingRequests } from './imports/import-pace.js';
import { keepImporting } from './imports/keep-importing.js';
import { answerQuestions } from './links/answer-questions.js';
import { countScans } from './links/count-scans.js';
import { keepDetaching } from './links/detach-links.js';
import { KINDS } from './links/kind.js';
import { linkChecks } from './links/routes.js';
import { MIGRATIONS } from './migrations.js';
import { qrImageChecks } from './qr-images/routes.js';
import { capsOf, namedQuotas } from './quota/caps.js';
import { countsOf } from './quota/count-statuses.js';
import { resourceHandlers } from './routes.js';
import { openStores } from './stores.js';

/** Drawing the largest picture takes 30 MB. */
const LOGOS = { runningMax: 2, runningPerKeyMax: 1, waitingMax: 50, waitingPerKeyMax: 20 };
/**
 * A search may read a large part of a workspace, and a page of QR codes has up to 9 MB of logos: further lists wait,
 * so that no workspace takes the database connections or the memory of the others.
 */
const LISTS = { runningMax: 8, runningPerKeyMax: 3, waitingMax: 500, waitingPerKeyMax: 50 };
/** All changes of a workspace write its counters, so concurrent ones would only abort and retry. */
const CHANGES = { runningMax: 200, runningPerKeyMax: 1, waitingMax: 4000, waitingPerKeyMax: 1000 };

export async function startResource(processParts: ProcessContext<ResourceConfig>): Promise<Server> {
  const parts = createRuntime('resource', processParts);
  const { config, log, metrics, lifecycle, db, broker } = parts;
  db.migrateBy(MIGRATIONS);
  const stores = openStores(db);
  const ctx: ResourceContext = {
    config,
    db,
    kind: KINDS[config.DEPLOYMENT],
    leadsToShortHost: shortHostTest(config),
    requester: openRequester(broker),
    changes: new KeyedSemaphore(CHANGES),
    lists: new KeyedSemaphore(LISTS),
    logos: new KeyedSemaphore(LOGOS),
    importPace: new ImportPace(config.IMPORT_REST_RATIO),
    unfinishedImports: new Quota(db, 'unfinished_imports', (workspace) => stores.imports.countUnfinished(workspace)),
    counts: countsOf(db, KINDS[config.DEPLOYMENT], stores.links, config.MAX_LINKS_PER_WORKSPACE),
    caps: capsOf(namedQuotas(db, stores), config),
    ...stores,
  };

  countScans(parts, new Inbox(db), ctx.links);
  followDomains(parts, ctx, keepLeaving(ctx, parts));
  answerQuestions(parts, ctx);
  keepDetaching(ctx, parts);
  const wakeImports = keepImporting(ctx, parts);

  const app = createApi({
    service: 'resource',
    deployment: config.DEPLOYMENT,
    identityPublicKeys: config.IDENTITY_PUBLIC_KEY,
    apiBaseUrl: config.API_BASE_URL,
    log,
    metrics,
    idempotency: new Idempotency(db),
    handlers: notingRequests(resourceHandlers(ctx, wakeImports), ctx.importPace),
    checks: { ...linkChecks(ctx), ...qrImageChecks },
  });
  await startRuntime(parts);
  return serveHttp(app, { config, lifecycle, log });
}
