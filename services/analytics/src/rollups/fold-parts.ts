import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@waymark/shared/kernel/database';
import { isOutage } from '@waymark/shared/kernel/errors';
import { Lease } from '@waymark/shared/kernel/lease';
import type { Lifecycle } from '@waymark/shared/kernel/lifecycle';
import type { Log } from '@waymark/shared/kernel/log';
import type { RollupStore } from './store.js';

const EVERY_MS = 5000;
const PARTS_AT_ONCE = 2000;
const LEASE_MS = 30_000;

/**
 * Keeps the rollups small. One worker at a time folds, so that none waits for another; the lease is only for that:
 * two that fold the same parts would conflict, and one would begin again.
 */
export class PartFolder {
  private readonly lease: Lease;
  private readonly stopping = new AbortController();
  private running?: Promise<void>;

  constructor(
    private readonly db: Database,
    private readonly rollups: RollupStore,
    private readonly log: Log,
    lifecycle: Lifecycle,
  ) {
    this.lease = new Lease(db, 'fold rollups');
    lifecycle.onStop('folding', () => this.stop());
  }

  start(): void {
    this.running ??= this.foldUntilStopped();
  }

  private async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async foldUntilStopped(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await sleep(EVERY_MS, undefined, { signal }).catch(() => undefined);
      try {
        while (!signal.aborted && this.db.isReady && (await this.foldSome())) continue;
      } catch (error) {
        this.log[isOutage(error) ? 'debug' : 'error']({ err: error }, 'rollups not folded');
      }
    }
  }

  /** @returns true when there may be more. */
  private async foldSome(): Promise<boolean> {
    if (!(await this.lease.take(LEASE_MS))) return false;
    const folded = await this.db.transaction(({ session }) => this.rollups.fold(PARTS_AT_ONCE, session));
    return folded === PARTS_AT_ONCE;
  }
}
