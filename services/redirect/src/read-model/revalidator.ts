import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkerContext } from '@waymark/kernel/process/lifecycle';
import { nextCheck, type Entry, type ReadModelRecord } from './definition.js';
import type { RecordCache } from './record-cache.js';
import type { RecordStore } from './record-store.js';

const ROUND_INTERVAL_MS = 200;
const RECORDS_PER_ROUND = 500;
/** Read and applied at a time: large records take a third of a millisecond each, while visits wait. */
const RECORDS_AT_ONCE = 50;
/** Entries beyond this are checked at their next visit. */
const WAITING_MAX = 100_000;

/** Checks the cache against the database in the background; entries serve until then, and during an outage. */
export class Revalidator<R extends ReadModelRecord, E extends Entry> {
  private readonly waiting = new Set<string>();
  private readonly stopping = new AbortController();
  private running?: Promise<void>;

  constructor(
    private readonly cache: RecordCache<R, E>,
    private readonly store: RecordStore<R>,
    private readonly context: WorkerContext,
  ) {}

  start(): void {
    this.running ??= this.checkUntilStopped();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  scheduleCheck(entry: E): void {
    if (this.waiting.size >= WAITING_MAX) return;
    entry.checkAt = nextCheck();
    this.waiting.add(entry.id);
  }

  scheduleAll(): void {
    for (const id of this.cache.ids()) {
      if (this.waiting.size >= WAITING_MAX) return;
      this.waiting.add(id);
    }
  }

  private async checkUntilStopped(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      await sleep(ROUND_INTERVAL_MS, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      if (this.waiting.size === 0 || !this.store.isReady) continue;
      await this.context.lifecycle.work.run('revalidation', () => this.checkBatch());
    }
  }

  private async checkBatch(): Promise<void> {
    const ids = this.nextIds();
    try {
      for (let start = 0; start < ids.length; start += RECORDS_AT_ONCE)
        await this.checkSome(ids.slice(start, start + RECORDS_AT_ONCE));
    } catch (error) {
      this.context.log.debug({ err: error }, 'records not checked, trying again');
    }
  }

  private async checkSome(ids: string[]): Promise<void> {
    for (const record of await this.store.findByIds(ids)) this.cache.apply(record);
    for (const id of ids) this.waiting.delete(id);
  }

  private nextIds(): string[] {
    const ids: string[] = [];
    for (const id of this.waiting) {
      // An evicted entry is looked up again at its next visit.
      if (!this.cache.has(id)) this.waiting.delete(id);
      else if (ids.push(id) === RECORDS_PER_ROUND) break;
    }
    return ids;
  }
}
