import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import type { Log } from '@waymark/kernel/process/log';

const INTERVAL_MS = 60_000;
const FLUSH_MS = 5000;
const PENDING_MAX = 10_000;
/** More at a time would block the event loop, and with it every request, while they are prepared for the database. */
const WRITTEN_AT_ONCE = 500;

/** The store of the items that are used. */
export interface UsedItems {
  /** Skips deleted items, and those marked less than `intervalMs` before. */
  markUsed: (uses: { id: string; at: Date }[], intervalMs: number) => Promise<void>;
}

interface RecorderOptions {
  /** Names the items in the log. */
  name: string;
  items: UsedItems;
  log: Log;
  lifecycle: Lifecycle;
}

/** Starts to write last uses every five seconds; writes the rest when the process stops. */
export function startLastUseRecorder({ name, items, log, lifecycle }: RecorderOptions): LastUseRecorder {
  const recorder = new LastUseRecorder(name, items, log);
  const timer = setInterval(() => void recorder.flushUses(), FLUSH_MS);
  lifecycle.onStop(`last use of ${name}`, () => {
    clearInterval(timer);
    return recorder.flushUses();
  });
  return recorder;
}

/** Records when items were last used: collected in memory, written asynchronously, at most once a minute per item. */
export class LastUseRecorder {
  private readonly pending = new Map<string, Date>();
  private flushing = Promise.resolve();

  constructor(
    private readonly name: string,
    private readonly items: UsedItems,
    private readonly log: Log,
  ) {}

  noteUse(item: { id: string; lastUsedAt: Date | null }, time: Date): void {
    if (item.lastUsedAt && time.getTime() - item.lastUsedAt.getTime() < INTERVAL_MS) return;
    if (this.pending.size < PENDING_MAX) this.pending.set(item.id, time);
  }

  /** Drops times that cannot be written: the next use records a new one. */
  flushUses(): Promise<void> {
    this.flushing = this.flushing.then(async () => {
      // Sorted, so that two replicas cannot deadlock.
      const uses = [...this.pending].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, at]) => ({ id, at }));
      this.pending.clear();
      await this.writeUses(uses).catch((error: unknown) => {
        this.log.warn({ err: error, count: uses.length }, `last use of ${this.name} not written`);
      });
    });
    return this.flushing;
  }

  private async writeUses(uses: { id: string; at: Date }[]): Promise<void> {
    for (let start = 0; start < uses.length; start += WRITTEN_AT_ONCE) {
      await this.items.markUsed(uses.slice(start, start + WRITTEN_AT_ONCE), INTERVAL_MS);
    }
  }
}
