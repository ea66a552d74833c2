import { z } from 'zod';
import { workspaceSlug } from '@waymark/contract/common';
import { dryRun, type Command } from '@waymark/kernel/command-line/command';
import { withDatabase } from '@waymark/kernel/command-line/with-database';
import { databaseConfig, loadConfig } from '@waymark/kernel/process/config';
import { invalidOption } from '@waymark/kernel/errors';
import { createLog } from '@waymark/kernel/process/log';
import { warehouseConfig } from '../config.js';
import { ConversionStore } from '../conversions/conversion-store.js';
import type { PendingRowsStore } from '../ledger/pending-rows.js';
import { LinkCopies } from '../links/link-copies.js';
import { openPendingTables, type PendingTables } from '../loading/pending-tables.js';
import { compareWorkspace } from '../loading/compare-workspace.js';
import { RetentionStore } from '../retention/retention-store.js';
import { ScanStore } from '../ledger/scan-store.js';
import { WarehouseReader } from '../warehouse/query/reader.js';
import { Warehouse } from '../warehouse/warehouse.js';

const LISTED_MAX = 100;

const options = z.object({ workspace: workspaceSlug.describe('slug of the workspace') });
type Compare = Command<NodeJS.ProcessEnv, typeof options>;

/** Sets the exit code to 1 when something differs. */
export const checkWarehouse: Compare = {
  summary: 'Compares the stored scans and conversions of a workspace with the warehouse, day by day',
  options,
  run: async (env, { workspace }) => {
    const report = await compare(env, workspace, false);
    const { scans, conversions } = report;
    if (scans.days_different.length + conversions.days_different.length > 0) process.exitCode = 1;
    return report;
  },
};

const repairOptions = options.extend({ dryRun });

export const repairWarehouse: Command<NodeJS.ProcessEnv, typeof repairOptions> = {
  summary: 'Compares likewise, has missing rows loaded, and removes surplus ones',
  options: repairOptions,
  run: (env, { workspace, dryRun: isDryRun }) => compare(env, workspace, !isDryRun),
};

const none = z.object({});
const retryOptions = z.object({ dryRun });

export const listSetAside: Command<NodeJS.ProcessEnv, typeof none> = {
  summary: 'Lists the latest rows and links that the warehouse refuses, with the error',
  options: none,
  run: (env) =>
    withQueues(env, async ({ scans, conversions, copies }) => ({
      scans: await scans.listSetAside(LISTED_MAX),
      conversions: await conversions.listSetAside(LISTED_MAX),
      links: await copies.listSetAside(LISTED_MAX),
    })),
};

export const retrySetAside: Command<NodeJS.ProcessEnv, typeof retryOptions> = {
  summary: 'Has all refused rows and links loaded again, once the cause is fixed',
  options: retryOptions,
  run: (env, { dryRun: isDryRun }) =>
    withQueues(env, async ({ scans, conversions, copies }) => {
      const retry = (table: PendingRowsStore<never>) => (isDryRun ? table.countSetAside() : retryAll(table));
      const batches = (await retry(scans)) + (await retry(conversions));
      const links = await (isDryRun ? copies.countSetAside() : copies.retrySetAside());
      return { dry_run: isDryRun, batches, links };
    }),
};

async function retryAll(pending: PendingRowsStore<never>): Promise<number> {
  let batches = 0;
  // Stops after the current number of batches: the warehouse may refuse a batch again, and each is retried once.
  for (let rest = await pending.countSetAside(); rest > 0; rest -= 1) {
    if (await pending.retryOneSetAside()) batches += 1;
  }
  return batches;
}

interface Queues extends PendingTables {
  copies: LinkCopies;
}

function withQueues<T>(env: NodeJS.ProcessEnv, work: (queues: Queues) => Promise<T>): Promise<T> {
  const { MONGODB_URI: uri } = loadConfig(databaseConfig, env);
  return withDatabase(uri, (db) => ({ ...openPendingTables(db), copies: new LinkCopies(db) }), work);
}

function compare(env: NodeJS.ProcessEnv, workspace: string, repair: boolean) {
  const { MONGODB_URI: uri } = loadConfig(databaseConfig, env);
  const config = loadConfig(warehouseConfig, env);
  return withDatabase(
    uri,
    (db, lifecycle) => {
      const warehouse = new Warehouse(config, db, { log: createLog('admin', 'silent'), lifecycle });
      const reader = new WarehouseReader(warehouse);
      const ledger = { scans: new ScanStore(db), conversions: new ConversionStore(db), pending: openPendingTables(db) };
      return { db, warehouse, reader, retention: new RetentionStore(db), ...ledger };
    },
    async (ctx) => {
      await ctx.warehouse.start();
      const report = await compareWorkspace(ctx, workspace, repair);
      if (report.scans.days + report.conversions.days > 0) return report;
      throw invalidOption('workspace', `The workspace '${workspace}' has no scans and no conversions.`);
    },
  );
}
