import type { Server } from 'node:http';
import { Requester } from '@waymark/kernel/broker/requests';
import { createApi } from '@waymark/kernel/http/api';
import { serveHttp } from '@waymark/kernel/http/serve-http';
import { Idempotency } from '@waymark/kernel/http/idempotency';
import type { ProcessContext } from '@waymark/kernel/process/lifecycle';
import { createRuntime, startRuntime } from '@waymark/kernel/process/runtime';
import type { AnalyticsConfig } from './config.js';
import { completeConversions } from './conversions/complete-conversions.js';
import { ConversionStore } from './conversions/store.js';
import { Languages } from './enrichment/language.js';
import { Locations } from './enrichment/locations.js';
import { Referrers } from './enrichment/referrer.js';
import { UserAgents } from './enrichment/user-agent.js';
import { consumeScans } from './ingest/consume-scans.js';
import { MIGRATIONS } from './ledger/migrations.js';
import { openPending } from './ledger/pending-rows.js';
import { completeLinks } from './links/complete-links.js';
import { LinkCopies } from './links/copies.js';
import { followLinks } from './links/follow-links.js';
import { LinkStore } from './links/store.js';
import { Fill, keepFilled } from './rebuild/keep-filled.js';
import { keepWarehouseExpired } from './retention/expire-warehouse.js';
import { keepExpiring } from './retention/keep-expiring.js';
import { retentionDaysOf } from './retention/retention-days.js';
import { RetentionStore } from './retention/retention-store.js';
import { ScanStore } from './scans/store.js';
import { keepLoading } from './warehouse/load/keep-loading.js';
import { WarehouseReader } from './warehouse/query/reader.js';
import { Warehouse } from './warehouse/warehouse.js';
import { analyticsChecks, analyticsHandlers } from './routes.js';
import { forgetVisitors } from './visitors/forget-visitors.js';
import { Salts } from './visitors/salts.js';
import { SightingStore } from './visitors/sightings.js';

export async function startAnalytics(processParts: ProcessContext<AnalyticsConfig>): Promise<Server> {
  const parts = createRuntime('analytics', processParts);
  const { config, log, metrics, lifecycle, db, broker, outbox } = parts;
  db.migrateBy(MIGRATIONS);
  const warehouse = new Warehouse(config, db, { log, lifecycle });
  const ctx = {
    db,
    log,
    warehouse,
    reader: new WarehouseReader(warehouse),
    fill: new Fill(warehouse),
    publisher: outbox,
    shortBaseUrl: config.SHORT_BASE_URL,
    scans: new ScanStore(db),
    links: new LinkStore(db),
    copies: new LinkCopies(db),
    retention: new RetentionStore(db),
    pending: openPending(db),
    sightings: new SightingStore(db),
    conversions: new ConversionStore(db),
    requester: new Requester(broker),
    retentionDays: retentionDaysOf(config),
    salts: new Salts(db),
    userAgents: new UserAgents(),
    referrers: new Referrers(),
    languages: new Languages(),
    locations: new Locations({ v4: config.GEOIP_CITY_DB_V4, v6: config.GEOIP_CITY_DB_V6 }, log),
  };
  consumeScans(parts, ctx);
  followLinks(parts, ctx.copies);
  completeLinks(parts, ctx);
  forgetVisitors(ctx, parts);
  keepExpiring(parts, ctx);
  completeConversions(parts, ctx);
  keepLoading(parts, ctx);
  keepFilled(parts, ctx);
  keepWarehouseExpired(parts, ctx);
  const app = createApi({
    service: 'analytics',
    deployment: config.DEPLOYMENT,
    identityPublicKeys: config.IDENTITY_PUBLIC_KEY,
    apiBaseUrl: config.API_BASE_URL,
    log,
    metrics,
    idempotency: new Idempotency(db),
    handlers: analyticsHandlers(ctx),
    checks: analyticsChecks,
  });
  await startRuntime(parts);
  void warehouse.start();
  return serveHttp(app, { config, lifecycle, log });
}
