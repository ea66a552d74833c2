import type { Server } from 'node:http';
import type { Signal } from '@waymark/kernel/async/signal';
import { openRequester } from '@waymark/kernel/broker/requests';
import { startErasures } from '@waymark/kernel/erasure/erasure-worker';
import { createApi } from '@waymark/kernel/http/api';
import type { Database } from '@waymark/kernel/mongo/database';
import { serveHttp } from '@waymark/kernel/http/serve-http';
import { Idempotency } from '@waymark/kernel/http/idempotency';
import type { ProcessContext } from '@waymark/kernel/process/lifecycle';
import { createRuntime, startRuntime } from '@waymark/kernel/runtime';
import { retentionDaysByPlan, type AnalyticsConfig } from './config.js';
import { startConversionCompletion } from './conversions/complete-conversions.js';
import { ConversionStore } from './conversions/conversion-store.js';
import { Languages } from '@waymark/visitors/language';
import { Locations } from './enrichment/locations.js';
import { Referrers } from './enrichment/referrer.js';
import { UserAgents } from '@waymark/visitors/user-agent';
import { erasureSteps } from './erasure-steps.js';
import { consumeScans } from './ingest/consume-scans.js';
import { MIGRATIONS } from './ledger/migrations.js';
import { openPendingTables } from './loading/pending-tables.js';
import { startLinkCompletion } from './links/complete-links.js';
import { LinkCopies } from './links/link-copies.js';
import { LinkDescriptions, NO_DESCRIPTIONS } from './links/link-descriptions.js';
import { TagStore } from './links/tag-store.js';
import { followLinks } from './links/follow-links.js';
import { LinkStore } from './links/link-store.js';
import { FillState } from './warehouse/fill.js';
import { startWarehouseFill } from './loading/fill-warehouse.js';
import { startWarehouseExpiry } from './retention/expire-warehouse.js';
import { startScanExpiry } from './retention/expiry-worker.js';
import { RetentionStore } from './retention/retention-store.js';
import { ScanStore } from './ledger/scan-store.js';
import { startLoaders } from './loading/loaders.js';
import { WarehouseReader } from './warehouse/query/reader.js';
import { Warehouse } from './warehouse/warehouse.js';
import { conversionChecks, conversionHandlers } from './conversions/routes.js';
import { reportChecks, reportHandlers } from './reports/routes.js';
import { FirstVisitStore, startFirstVisitExpiry } from './ledger/first-visits.js';
import { Salts } from './ledger/salts.js';

export async function startAnalytics(processContext: ProcessContext<AnalyticsConfig>): Promise<Server> {
  const runtime = createRuntime('analytics', processContext);
  const { config, log, metrics, lifecycle, db, broker, outbox } = runtime;
  db.migrateBy(MIGRATIONS);
  const warehouse = new Warehouse(config, db, { log, lifecycle });
  const requester = openRequester(broker);
  const copies = new LinkCopies(db);
  const tags = new TagStore(db);
  const ctx = {
    db,
    log,
    warehouse,
    reader: new WarehouseReader(warehouse),
    fill: new FillState(warehouse),
    publisher: outbox,
    shortBaseUrl: config.SHORT_BASE_URL,
    scans: new ScanStore(db),
    links: new LinkStore(db),
    copies,
    tags,
    descriptions: config.DEPLOYMENT === 'links' ? new LinkDescriptions(copies, tags, requester) : NO_DESCRIPTIONS,
    retention: new RetentionStore(db),
    pending: openPendingTables(db),
    firstVisits: new FirstVisitStore(db),
    conversions: new ConversionStore(db),
    requester,
    retentionDays: retentionDaysByPlan(config),
    ledgerDays: config.SCAN_LEDGER_DAYS,
    salts: new Salts(db),
    userAgents: new UserAgents(),
    referrers: new Referrers(),
    languages: new Languages(),
    locations: new Locations({ v4: config.GEOIP_CITY_DB_V4, v6: config.GEOIP_CITY_DB_V6 }, log),
  };
  consumeScans(runtime, ctx);
  followLinks(runtime, ctx);
  startLinkCompletion(runtime, ctx);
  startErasures(runtime, { service: 'analytics', steps: erasureSteps(ctx) });
  const expiries = [startFirstVisitExpiry(runtime, ctx), startScanExpiry(runtime, ctx)];
  startConversionCompletion(runtime, ctx);
  startLoaders(runtime, ctx);
  startWarehouseFill(runtime, ctx);
  const warehouseExpiry = startWarehouseExpiry(runtime, ctx);
  const app = createApi({
    service: 'analytics',
    deployment: config.DEPLOYMENT,
    identityKeys: config.IDENTITY_KEY,
    apiBaseUrl: config.API_BASE_URL,
    log,
    metrics,
    idempotency: new Idempotency(db),
    handlers: { ...reportHandlers(ctx), ...conversionHandlers(ctx) },
    checks: { ...reportChecks, ...conversionChecks },
  });
  await startRuntime(runtime);
  void startStores(ctx, { expiries, warehouseExpiry });
  return serveHttp(app, { config, lifecycle, log, metrics });
}

interface ExpirySignals {
  expiries: readonly Signal[];
  warehouseExpiry: Signal;
}

/** Each expiry begins its first round once its store is ready: a later one may come after the end of the process. */
async function startStores(
  { db, warehouse }: { db: Database; warehouse: Warehouse },
  { expiries, warehouseExpiry }: ExpirySignals,
): Promise<void> {
  await db.start();
  for (const expiry of expiries) expiry.notify();
  // The lease of its migrations is in the database.
  await warehouse.start();
  warehouseExpiry.notify();
}
