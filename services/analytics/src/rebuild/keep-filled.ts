import { randomUUID } from 'node:crypto';
import type { Database } from '@waymark/kernel/mongo/database';
import { unavailable } from '@waymark/kernel/errors';
import { runPeriodically } from '@waymark/kernel/async/run-periodically';
import { Lease } from '@waymark/kernel/mongo/lease';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import type { Log } from '@waymark/kernel/process/log';
import type { LinkCopies } from '../links/copies.js';
import { MIGRATIONS_AFTER_FILL } from '../ledger/migrations.js';
import { asOutage } from '../warehouse/errors.js';
import { loadLinks } from '../warehouse/load/load-links.js';
import type { Warehouse } from '../warehouse/warehouse.js';
import { fillWarehouse, type RebuildContext } from './compare-workspace.js';

const EVERY_MS = 1000;
const LEASE_MS = 30_000;

/** Tracks whether the warehouse has the history of the ledger: a new or emptied one does not. */
export class Fill {
  private doneGeneration?: number;
  /** Shared by all fills of this process: a retry replaces the row of the previous attempt. */
  private readonly id = randomUUID();

  constructor(private readonly warehouse: Warehouse) {}

  async isEnded(): Promise<boolean> {
    const { generation } = this.warehouse;
    if (this.doneGeneration === generation) return true;
    const isDone = await this.hasEnd().catch((error: unknown) => {
      this.warehouse.recreateAfter(error);
      throw asOutage(error);
    });
    if (isDone) this.doneGeneration = generation;
    return isDone;
  }

  private async hasEnd(): Promise<boolean> {
    const { questions, isReady } = this.warehouse;
    if (!isReady) throw unavailable(new Error('the warehouse is not ready'));
    const query = 'SELECT id FROM fills WHERE ended_at IS NOT NULL LIMIT 1';
    return (await (await questions.query({ query, format: 'JSONEachRow' })).json()).length > 0;
  }

  /** Records the start of a fill. */
  async begin(): Promise<void> {
    const values = [{ id: this.id }];
    await this.warehouse.client.insert({ table: 'fills', values, columns: ['id'], format: 'JSONEachRow' });
  }

  /** Records the end of a fill, unless the warehouse has lost its tables, and the start with them, in the meantime. */
  async end(): Promise<void> {
    const query = 'INSERT INTO fills SELECT id, now() FROM fills WHERE id = {id:String} LIMIT 1';
    await this.warehouse.client.command({ query, query_params: { id: this.id } });
  }
}

interface FillParts {
  db: Database;
  log: Log;
  lifecycle: Lifecycle;
}

/** Fills a new warehouse from the ledger, in one process at a time, while loaders load new scans. */
export function keepFilled(
  parts: FillParts,
  ctx: Omit<RebuildContext, 'signal'> & { fill: Fill; copies: LinkCopies },
): void {
  const lease = new Lease(ctx.db, 'fill the warehouse');
  const stopping = new AbortController();

  let isMigrated = false;

  async function fillOnce(): Promise<boolean> {
    if (!parts.db.isReady || !ctx.warehouse.isReady) return false;
    if (await ctx.fill.isEnded()) {
      isMigrated ||= await ctx.db.migrate('documents after the fill', MIGRATIONS_AFTER_FILL);
      return false;
    }
    await lease.run(LEASE_MS, async () => {
      await ctx.fill.begin();
      await fillLinks(ctx, stopping.signal);
      await fillWarehouse({ ...ctx, signal: stopping.signal }, parts.log);
      await ctx.fill.end();
    });
    return false;
  }

  const isExpected = (): boolean => stopping.signal.aborted;
  runPeriodically(parts, { name: 'filling the warehouse', intervalMs: EVERY_MS, runOnce: fillOnce, isExpected });
  // Registered last and so stopped first: it aborts the work that the next hook waits for.
  parts.lifecycle.onStop('fill of the warehouse', () => stopping.abort());
}

/** Loads every link. Checks the signal between batches. */
export async function fillLinks(ctx: { copies: LinkCopies; warehouse: Warehouse }, signal: AbortSignal): Promise<void> {
  await ctx.copies.loadAll();
  for (;;) {
    signal.throwIfAborted();
    if ((await loadLinks(ctx)) === 0) return;
  }
}
