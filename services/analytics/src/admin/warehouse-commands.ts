import { z } from 'zod';
import { workspaceSlug } from '@waymark/shared/contract/common';
import { withDatabase, type Command } from '@waymark/shared/kernel/command-line';
import { databaseConfig, loadConfig } from '@waymark/shared/kernel/config';
import { createLog } from '@waymark/shared/kernel/log';
import { warehouseConfig } from '../config.js';
import { PendingScansStore } from '../ledger/pending-scans.js';
import { compareWorkspace } from '../rebuild/compare-workspace.js';
import { ScanStore } from '../scans/store.js';
import { WarehouseReader } from '../warehouse/query/reader.js';
import { Warehouse } from '../warehouse/warehouse.js';

const options = z.object({ workspace: workspaceSlug });
type Compare = Command<NodeJS.ProcessEnv, typeof options>;

/** Ends with 1 where something differs. */
export const checkWarehouse: Compare = {
  usage: '--workspace S  (compares the stored scans of a workspace with the warehouse, day by day)',
  options,
  run: async (env, { workspace }) => {
    const report = await compare(env, workspace, false);
    if (report.days_different.length > 0) process.exitCode = 1;
    return report;
  },
};

export const repairWarehouse: Compare = {
  usage: '--workspace S  (the same; the service loads what is missing, and surplus rows are removed)',
  options,
  run: (env, { workspace }) => compare(env, workspace, true),
};

function compare(env: NodeJS.ProcessEnv, workspace: string, repair: boolean) {
  const { MONGODB_URI: uri } = loadConfig(databaseConfig, env);
  const config = loadConfig(warehouseConfig, env);
  return withDatabase(
    uri,
    (db, lifecycle) => {
      const warehouse = new Warehouse(config, db, { log: createLog('admin', 'silent'), lifecycle });
      const reader = new WarehouseReader(warehouse);
      return { db, warehouse, reader, scans: new ScanStore(db), pending: new PendingScansStore(db) };
    },
    async (ctx) => {
      await ctx.warehouse.start();
      return compareWorkspace(ctx, workspace, repair);
    },
  );
}
