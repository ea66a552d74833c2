import type { Database } from '@waymark/kernel/mongo/database';
import { runPeriodically } from '@waymark/kernel/async/run-periodically';
import type { WorkerContext } from '@waymark/kernel/process/lifecycle';
import { Lease } from '@waymark/kernel/mongo/lease';
import { asOutage } from '../warehouse/errors.js';
import { deleteExpiredSql } from '../warehouse/query/scan-query.js';
import type { Warehouse } from '../warehouse/warehouse.js';
import type { ExpiredRetention, RetentionStore } from './retention-store.js';

const INTERVAL_MS = 10 * 60 * 1000;
/** Longer than the server takes to accept the statements of one round. */
const LEASE_MS = 60_000;
const WORKSPACES_AT_ONCE = 500;

export interface ExpiryContext {
  db: Database;
  warehouse: Warehouse;
  retention: RetentionStore;
}

/**
 * Frees the space of expired scans, which queries already exclude: once a day per workspace, in one worker at a time.
 */
export function startWarehouseExpiry(runtime: WorkerContext, ctx: ExpiryContext): void {
  const lease = new Lease(ctx.db, 'expire scans of the warehouse');
  const runOnce = async (): Promise<boolean> => {
    if (!ctx.db.isReady || !ctx.warehouse.isReady || !(await lease.acquire(LEASE_MS))) return false;
    return (await expireWarehouse(ctx)) > 0;
  };
  runPeriodically(runtime, { name: 'expiring scans of the warehouse', intervalMs: INTERVAL_MS, runOnce });
}

/**
 * Starts the deletion of expired scans of some workspaces; the warehouse runs it in the background.
 * @returns the number of workspaces; 0 when none is left
 */
export async function expireWarehouse({ warehouse, retention }: ExpiryContext): Promise<number> {
  const retentions = await retention.retentionsToExpire(WORKSPACES_AT_ONCE);
  for (const [keptFrom, workspaces] of workspacesByTime(retentions)) {
    const query = deleteExpiredSql(workspaces, new Date(keptFrom), warehouse.cluster).render();
    const settings = { lightweight_deletes_sync: '0' } as const;
    await warehouse.client.command({ ...query, clickhouse_settings: settings }).catch((error: unknown) => {
      warehouse.recreateAfter(error);
      throw asOutage(error);
    });
  }
  await retention.recordExpired(retentions);
  return retentions.length;
}

/** All workspaces of a plan have the same time on a given day, so few statements cover many workspaces. */
function workspacesByTime(retentions: readonly ExpiredRetention[]): Map<number, string[]> {
  const groups = new Map<number, string[]>();
  for (const { _id, keptFrom } of retentions) {
    const time = keptFrom.getTime();
    groups.set(time, [...(groups.get(time) ?? []), _id]);
  }
  return groups;
}
