import type { Database } from '@waymark/kernel/mongo/database';
import { runPeriodically, type SkipItem } from '@waymark/kernel/async/run-periodically';
import type { Signal } from '@waymark/kernel/async/signal';
import type { WorkerContext } from '@waymark/kernel/process/lifecycle';
import { Lease } from '@waymark/kernel/mongo/lease';
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
 * @returns a signal to begin a round
 */
export function startWarehouseExpiry(runtime: WorkerContext, ctx: ExpiryContext): Signal {
  const lease = new Lease(ctx.db, 'expire scans of the warehouse');
  let finished = '';
  const runOnce = async (skipItem: SkipItem): Promise<boolean> => {
    if (!ctx.db.isReady || !ctx.warehouse.isReady || !(await lease.acquire(LEASE_MS))) return false;
    finished = await expireWarehouse(ctx, finished, skipItem);
    return finished !== '';
  };
  return runPeriodically(runtime, { name: 'expiring scans of the warehouse', intervalMs: INTERVAL_MS, runOnce });
}

/**
 * Starts the deletion of expired scans of some workspaces behind one; the warehouse runs it in the background. Skips those
 * whose statement fails: the next pass over all workspaces retries them.
 * @returns the last of the workspaces; '' when none is left
 */
export async function expireWarehouse(ctx: ExpiryContext, after: string, skipItem: SkipItem): Promise<string> {
  const retentions = await ctx.retention.retentionsToExpire(after, WORKSPACES_AT_ONCE);
  for (const group of groupsByTime(retentions)) {
    try {
      await deleteExpired(ctx.warehouse, group);
      await ctx.retention.recordExpired(group);
    } catch (error) {
      const [first] = group;
      const fields = { workspaces: group.length, first: first!._id, kept_from: first!.keptFrom };
      skipItem(error, fields, 'rows of the warehouse not expired');
    }
  }
  return retentions.at(-1)?._id ?? '';
}

async function deleteExpired(warehouse: Warehouse, group: readonly ExpiredRetention[]): Promise<void> {
  const workspaces = group.map(({ _id }) => _id);
  const query = deleteExpiredSql(workspaces, group[0]!.keptFrom, warehouse.cluster).render();
  const settings = { lightweight_deletes_sync: '0' } as const;
  await warehouse.run((client) => client.command({ ...query, clickhouse_settings: settings }));
}

/** All workspaces of a plan have the same time on a given day, so few statements cover many workspaces. */
function groupsByTime(retentions: readonly ExpiredRetention[]): ExpiredRetention[][] {
  const groups = new Map<number, ExpiredRetention[]>();
  for (const retention of retentions) {
    const time = retention.keptFrom.getTime();
    groups.set(time, [...(groups.get(time) ?? []), retention]);
  }
  return [...groups.values()];
}
