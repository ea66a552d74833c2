import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { getHeapStatistics } from 'node:v8';
import { openBroker } from '@waymark/kernel/broker/connection';
import { openPublisher, type Publisher } from '@waymark/kernel/broker/publisher';
import { openRequester, serveRequests } from '@waymark/kernel/broker/requests';
import { explainVisit } from '@waymark/contract/requests';
import { shortHosts } from '@waymark/contract/short-hosts';
import { ErasureStore } from '@waymark/kernel/erasure/erasure-store';
import { startErasures, type ErasureRuntime } from '@waymark/kernel/erasure/erasure-worker';
import { Database } from '@waymark/kernel/mongo/database';
import { EDGE_HEADERS, serveHttp } from '@waymark/kernel/http/serve-http';
import type { Lifecycle, ProcessContext } from '@waymark/kernel/process/lifecycle';
import { Metrics } from '@waymark/kernel/process/metrics';
import { startOpsServer } from '@waymark/kernel/process/ops-server';
import { startDestinationBlocks } from './blocks/destination-blocks.js';
import type { RedirectConfig } from './config.js';
import { erasureSteps } from './erasure-steps.js';
import { toHostSettings } from './hosts/host.js';
import { hostModel } from './hosts/host-model.js';
import { RefusalPages } from './pages/refusal-pages.js';
import { openReadModel, type ReadModelContext } from './read-model/read-model.js';
import { VisitExplainer } from './redirect/explain-visit.js';
import { RedirectHandler } from './redirect/redirect-handler.js';
import { ShortHosts } from './redirect/short-hosts.js';
import { noteArrivals } from './redirect/visit-times.js';
import { VisitorAddress } from './redirect/visitor-address.js';
import { ReportForm } from './reports/report-form.js';
import { ReportRecorder } from './reports/report-recorder.js';
import { ReportStore } from './reports/report-store.js';
import { Shipper } from './spool/shipper.js';
import { Spool } from './spool/spool.js';
import { ScanCounter } from './targets/scan-counter.js';
import { targetModelWith } from './targets/target-model.js';
import { startWorkspaceStates } from './workspaces/workspace-states.js';

/** The timeout of a connection that neither sends nor receives; longer than the keep-alive timeout. */
const SILENCE_MAX_MS = 70_000;

const HOST_CACHE_MAX_BYTES = 16 * 1024 * 1024;
/** The rest of the heap is for requests, events and batches. */
const TARGET_CACHE_MAX_BYTES = Math.floor(getHeapStatistics().heap_size_limit / 4);

export interface Redirect {
  server: Server;
  ops: Server;
}

/** Serves at once, even without database and broker. The part registered last stops first. */
export async function start(processContext: ProcessContext<RedirectConfig>): Promise<Redirect> {
  const { config, log, lifecycle } = processContext;
  const metrics = new Metrics('redirect');
  const db = new Database(config.MONGODB_URI, { log, lifecycle });
  const broker = openBroker('redirect', { config, log, lifecycle });
  const publisher = openPublisher(broker);
  const requester = openRequester(broker);
  broker.reportTo(metrics);
  db.reportTo(metrics);

  const { spool, shipper } = openSpool(processContext, publisher, metrics);
  const erasures = new ErasureStore(db);
  const modelContext = { db, broker, publisher, requester, erasures, log, metrics, lifecycle };
  const { handler, pages, start: startVisits } = openVisits(processContext, { ...modelContext, spool });

  void db.start();
  broker.start();
  shipper.start();
  startVisits();
  const ops = await startOpsServer({ host: config.HOST, port: config.OPS_PORT, metrics, lifecycle, checks: {} });
  const handle = (request: IncomingMessage, response: ServerResponse) => handler.handle(request, response);
  const server = await serveHttp(handle, {
    ...{ config, lifecycle, log, metrics, headers: EDGE_HEADERS, stalledTimeoutMs: SILENCE_MAX_MS },
    renderRefusal: pages.renderUnreadable,
  });
  noteArrivals(server);
  metrics.gauge('connections', 'Open connections of visitors and proxies', () => countOpen(server));
  return { server, ops };
}

type VisitContext = ErasureRuntime & ReadModelContext & { spool: Spool; metrics: Metrics; lifecycle: Lifecycle };

/** Opens what answers visitors. */
function openVisits({ config }: ProcessContext<RedirectConfig>, ctx: VisitContext) {
  const { broker, db, spool, log, metrics, lifecycle } = ctx;
  const blocks = startDestinationBlocks(ctx);
  const targetModel = targetModelWith((block) => blocks.apply(block));
  const targets = openReadModel(ctx, targetModel, TARGET_CACHE_MAX_BYTES);
  const hosts = openReadModel(ctx, hostModel, HOST_CACHE_MAX_BYTES);
  const workspaces = startWorkspaceStates(ctx);
  startErasures(ctx, { service: 'redirect', steps: erasureSteps(db) });
  const addresses = new VisitorAddress(config.TRUSTED_PROXIES);
  const scanCounter = new ScanCounter(targets.cache, targets.store);
  const hostNames = new ShortHosts(shortHosts(config), config.DEPLOYMENT === 'links');
  const recorder = new ReportRecorder({
    ...{ shortHosts: hostNames, shortBaseUrl: config.SHORT_BASE_URL, targets: targets.store, workspaces },
    ...{ store: new ReportStore(db), log, metrics },
  });
  const pages = new RefusalPages(config.PAGE_NAME);
  const lookingUp = {
    shortHosts: hostNames,
    hosts,
    targets,
    defaultHost: defaultHostOf(config),
    workspaces,
    blocks,
  };
  const explainer = new VisitExplainer(lookingUp);
  serveRequests(broker, explainVisit, (question) => explainer.explain(question));
  const handler = new RedirectHandler({
    ...lookingUp,
    isHttps: config.SHORT_BASE_URL.startsWith('https:'),
    addresses,
    pages,
    scanCounter,
    spool,
    reportForm: new ReportForm({ addresses, recorder, pageName: config.PAGE_NAME, log }),
    missesPerMinute: config.VISITOR_MISSES_PER_MINUTE,
    log,
    metrics,
    lifecycle,
  });

  const startWorkers = () => {
    scanCounter.start({ log, lifecycle });
    targets.revalidator.start();
    hosts.revalidator.start();
  };
  return { handler, pages, start: startWorkers };
}

const defaultHostOf = ({ ROOT_URL, NOT_FOUND_URL, EXPIRED_URL }: RedirectConfig) =>
  toHostSettings({ rootUrl: ROOT_URL, notFoundUrl: NOT_FOUND_URL, expiredUrl: EXPIRED_URL });

function openSpool({ config, log, lifecycle }: ProcessContext<RedirectConfig>, publisher: Publisher, metrics: Metrics) {
  const spool = new Spool({ directory: config.SPOOL_DIR, maxBytes: config.SPOOL_MAX_BYTES }, log, metrics);
  lifecycle.onStop('spool', () => spool.close());
  const shipper = new Shipper(spool, publisher, { log, metrics });
  lifecycle.onStop('shipper', () => shipper.stop());
  return { spool, shipper };
}

const countOpen = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count))));
