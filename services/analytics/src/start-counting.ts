import { Database } from '@waymark/shared/kernel/database';
import type { ProcessParts } from '@waymark/shared/kernel/lifecycle';
import type { AnalyticsConfig } from './config.js';
import { keepCounting } from './rollups/keep-counting.js';
import { rollupStores } from './rollups/stores.js';

/** Counting stands beside the service and shares nothing with it but the database. */
export function startCounting({ config, log, lifecycle }: ProcessParts<AnalyticsConfig>): void {
  const db = new Database(config.MONGODB_URI, log, lifecycle);
  keepCounting({ db, log, lifecycle }, rollupStores(db));
  void db.start();
}
