import type { Server } from 'node:http';
import { openRequester } from '@waymark/kernel/broker/requests';
import { shortHostTest } from '@waymark/contract/short-hosts';
import type { ExplainBody } from '@waymark/contract/explain';
import { startErasures } from '@waymark/kernel/erasure/erasure-worker';
import { createApi, type Handlers } from '@waymark/kernel/http/api';
import { item } from '@waymark/kernel/http/reply';
import { serveHttp } from '@waymark/kernel/http/serve-http';
import { Idempotency } from '@waymark/kernel/http/idempotency';
import { Inbox } from '@waymark/kernel/mongo/inbox';
import { KeyedLimit } from '@waymark/kernel/limits/keyed-limit';
import type { ProcessContext } from '@waymark/kernel/process/lifecycle';
import { createRuntime, startRuntime, type Runtime } from '@waymark/kernel/runtime';
import { Quota } from '@waymark/kernel/mongo/quota';
import type { ResourceConfig } from './config.js';
import { startSweep, SWEEP_OPTIONS, type SweepOptions } from './blocking/sweep-worker.js';
import { serveBlockRequests } from './blocking/serve-block-requests.js';
import { SweepStore } from './blocking/sweep-store.js';
import { BlockListFile } from './destinations/block-list-file.js';
import { BlockedDestinations, followHostBlocks } from './destinations/blocked-destinations.js';
import { DestinationChecker } from './destinations/destination-checker.js';
import { HostBlockStore } from './destinations/host-block-store.js';
import { DetachmentStore } from './domains/detachment-store.js';
import { startDomainDetachmentWorker } from './domains/detachment-worker.js';
import { ensureDomainUsable } from './domains/domain-requests.js';
import { DomainStore } from './domains/domain-store.js';
import { followDomains } from './domains/follow-domains.js';
import { explain } from './explain/explain-visit.js';
import { erasureSteps } from './erasure-steps.js';
import { ImportStore } from './imports/import-store.js';
import { startImportWorker } from './imports/import-worker.js';
import { ResultStore } from './imports/result-store.js';
import { importHandlers } from './imports/routes.js';
import { startAnnouncingEnds } from './links/announce-ends.js';
import { CodeStore } from './links/code-store.js';
import { CONTENT_TYPES } from './links/content-type.js';
import { startCountingScans } from './links/count-scans.js';
import { presentLink, presentQrCode } from './links/link.js';
import { LinkStore } from './links/link-store.js';
import { linkChecks, linkHandlers } from './links/routes.js';
import { serveLinkRequests } from './links/serve-link-requests.js';
import { createStatusCounts } from './links/status-counts.js';
import { MIGRATIONS } from './migrations.js';
import { createCaps, createQuotas } from './organize/caps.js';
import { startContainerDetachmentWorker } from './organize/detach-links.js';
import { organizeHandlers } from './organize/routes.js';
import { openOrganizeStores } from './organize/stores.js';
import { serveUsageRequests } from './usage/find-usage.js';
import { createLogos } from './qr-images/fit-logo.js';
import { qrImageChecks, qrImageHandlers } from './qr-images/routes.js';

/** Drawing the largest picture takes 30 MB. */
const LOGOS = { total: 2, perKey: 1 };
/**
 * A search may read a large part of a workspace, and a page of QR codes has up to 9 MB of logos: further lists wait,
 * so that no workspace takes the database connections or the memory of the others.
 */
const LISTS = { total: 8, perKey: 3 };
/** Changes of one workspace write the same documents: concurrent ones would only abort and retry. */
const CHANGES = { total: 200, perKey: 1 };
/**
 * Batches of exports. They wait as long as they must, because an export must not fail after it has started; the number of
 * exports is limited.
 */
const EXPORT_BATCHES = { total: 4, perKey: 2, waitMaxMs: 5 * 60_000 };

/** @param options for tests, in place of the documented times */
export async function startResource(
  processContext: ProcessContext<ResourceConfig>,
  options: Partial<SweepOptions> = {},
): Promise<Server> {
  const runtime = createRuntime('resource', processContext);
  const { config, log, metrics, lifecycle, db } = runtime;
  db.migrateBy(MIGRATIONS);
  const ctx = createContext(runtime);
  await ctx.blockListFile?.start();
  followHostBlocks(runtime, ctx.hostBlocks, ctx.blocked);
  startSweep(ctx, runtime, { ...SWEEP_OPTIONS, ...options });

  startCountingScans(runtime, new Inbox(db), ctx.links);
  followDomains(runtime, ctx, startDomainDetachmentWorker(ctx, runtime));
  startAnnouncingEnds(ctx, runtime);
  serveLinkRequests(runtime, ctx);
  serveBlockRequests(runtime, ctx.hostBlocks);
  serveUsageRequests(runtime, ctx);
  startContainerDetachmentWorker(ctx, runtime);
  startErasures(runtime, { service: 'resource', steps: erasureSteps(db) });
  const notifyImportWorkers = startImportWorker(ctx, runtime);

  const app = createApi({
    service: 'resource',
    deployment: config.DEPLOYMENT,
    identityKeys: config.IDENTITY_KEY,
    apiBaseUrl: config.API_BASE_URL,
    log,
    metrics,
    idempotency: new Idempotency(db),
    handlers: resourceHandlers(ctx, notifyImportWorkers),
    checks: { ...linkChecks(ctx), ...qrImageChecks },
  });
  await startRuntime(runtime);
  return serveHttp(app, { config, lifecycle, log, metrics });
}

type ResourceContext = ReturnType<typeof createContext>;

/** Everything that the features use; each declares the part that it needs. */
function createContext(runtime: Runtime<ResourceConfig>) {
  const { config, db, broker } = runtime;
  const contentType = CONTENT_TYPES[config.DEPLOYMENT];
  const links = new LinkStore(db);
  const imports = new ImportStore(db);
  const organizeStores = openOrganizeStores(db);
  const domainContext = { domains: new DomainStore(db), requester: openRequester(broker) };
  const logoDrawings = new KeyedLimit(LOGOS);
  return {
    ...{ config, db, contentType, links, imports, logoDrawings },
    ...organizeStores,
    ...domainContext,
    ...createDestinationContext(runtime),
    codes: new CodeStore(db),
    detachments: new DetachmentStore(db),
    importResults: new ResultStore(db),
    leadsToShortHost: shortHostTest(config),
    ensureDomainUsable: (workspace: string, id: string) => ensureDomainUsable(domainContext, workspace, id),
    changes: new KeyedLimit(CHANGES),
    lists: new KeyedLimit(LISTS),
    exportBatches: new KeyedLimit(EXPORT_BATCHES),
    logos: createLogos(logoDrawings),
    unfinishedImports: new Quota(db, 'unfinished_imports', (workspace) => imports.countUnfinished(workspace)),
    counts: createStatusCounts({ db, contentType, links }, config.MAX_LINKS_PER_WORKSPACE),
    caps: createCaps(createQuotas(db, organizeStores), config),
  };
}

/** What decides where links may lead. */
function createDestinationContext(runtime: Runtime<ResourceConfig>) {
  const { config, db } = runtime;
  const { DESTINATION_BLOCKLIST: path, DESTINATION_CHECK_URL: checkUrl } = config;
  const blockListFile = path === undefined ? null : new BlockListFile(path, runtime);
  const blocked = new BlockedDestinations(blockListFile);
  const checker = checkUrl === undefined ? null : new DestinationChecker(checkUrl, runtime);
  const destinationRules = { blocked, checker, allowsPrivate: config.ALLOW_PRIVATE_DESTINATIONS };
  return { blockListFile, blocked, destinationRules, hostBlocks: new HostBlockStore(db), sweeps: new SweepStore(db) };
}

function resourceHandlers(ctx: ResourceContext, notifyImportWorkers: () => void): Handlers<'resource'> {
  const links = linkHandlers(ctx, presentLink);
  const qrCodes = linkHandlers(ctx, presentQrCode);
  const explainHandler = async ({ body, workspace }: { body: ExplainBody; workspace: { slug: string } }) =>
    item(await explain(ctx, workspace.slug, body));
  return {
    'links.list': links.list,
    'links.export': links.export,
    'links.create': links.create,
    'links.show': links.show,
    'links.update': links.update,
    'links.delete': links.delete,
    'links.bulk': links.bulk,
    'qr_codes.list': qrCodes.list,
    'qr_codes.export': qrCodes.export,
    'qr_codes.create': qrCodes.create,
    'qr_codes.show': qrCodes.show,
    'qr_codes.update': qrCodes.update,
    'qr_codes.delete': qrCodes.delete,
    'qr_codes.bulk': qrCodes.bulk,
    'links.explain': explainHandler,
    'qr_codes.explain': explainHandler,
    ...organizeHandlers(ctx),
    ...importHandlers(ctx, notifyImportWorkers),
    ...qrImageHandlers(ctx),
  };
}
