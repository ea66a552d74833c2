import { runPeriodically } from '@waymark/kernel/async/run-periodically';
import type { WorkerContext } from '@waymark/kernel/process/lifecycle';
import type { RecordCache } from '../read-model/record-cache.js';
import type { RecordStore } from '../read-model/record-store.js';
import type { RedirectTarget } from './target.js';
import type { TargetRecord } from './target-record.js';

/** Redirects learn of each other's scans within a second. */
const SHARE_INTERVAL_MS = 500;
/** While the database is away, the scans of further links are counted in this process alone. */
const UNSHARED_MAX = 100_000;

/**
 * Counts the scans of links with a limit: in this process at once, and in the database that all redirects share a moment
 * later.
 */
export class ScanCounter {
  /** By link: what the database does not have yet. */
  private unshared = new Map<string, number>();

  constructor(
    private readonly cache: Pick<RecordCache<TargetRecord, RedirectTarget>, 'peek'>,
    private readonly store: Pick<RecordStore<TargetRecord>, 'isReady' | 'raiseCounts' | 'findCounts'>,
  ) {}

  start(runtime: WorkerContext): void {
    runtime.lifecycle.onStop('last scans of links with a limit', () => this.share().then(() => undefined));
    runPeriodically(runtime, {
      name: 'scans of links with a limit',
      intervalMs: SHARE_INTERVAL_MS,
      runOnce: () => this.share(),
    });
  }

  /** Counts a scan by a person. */
  countScan({ id, opening }: RedirectTarget): void {
    opening!.scansCount += 1;
    this.addUnshared(id, 1);
  }

  private addUnshared(id: string, scans: number): void {
    const known = this.unshared.get(id);
    if (known !== undefined || this.unshared.size < UNSHARED_MAX) this.unshared.set(id, (known ?? 0) + scans);
  }

  private async share(): Promise<boolean> {
    if (this.unshared.size === 0 || !this.store.isReady) return false;
    const sharing = this.unshared;
    this.unshared = new Map();
    try {
      await this.store.raiseCounts(sharing);
    } catch (error) {
      for (const [id, scans] of sharing) this.addUnshared(id, scans);
      throw error;
    }
    const totals = await this.store.findCounts([...sharing.keys()]);
    for (const [id, scans] of sharing) this.applyTotal(id, totals.get(id), scans);
    return false;
  }

  private applyTotal(id: string, total: number | undefined, scans: number): void {
    const opening = this.cache.peek(id)?.opening;
    if (!opening) return;
    // Its record is still on its way into the database.
    if (total === undefined) this.addUnshared(id, scans);
    else opening.scansCount = Math.max(opening.scansCount, total + (this.unshared.get(id) ?? 0));
  }
}
