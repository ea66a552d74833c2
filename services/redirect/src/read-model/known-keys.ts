import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@waymark/kernel/process/log';
import { keysOf, type ReadModelRecord } from './definition.js';
import { KeyFilter } from './key-filter.js';
import type { RecordStore } from './record-store.js';

/** Bounds how long a key is missing here after its change was lost unnoticed. */
const REFRESH_AFTER_MS = 600_000;
const RETRY_AFTER_MS = 1000;
const ROWS_PER_ROUND = 250;
const PAUSE_MS = 25;

export interface KnownKeysParts {
  store: Pick<RecordStore<ReadModelRecord>, 'keysAfter'>;
  /** Up while no change can be missed. */
  broker: { isUp: boolean };
  log: Log;
  filterBytes: number;
  /** Within this time, events published before this process followed the changes reach the collection. */
  lagMaxMs: number;
}

/**
 * Recognizes keys that do not exist without a look-up: a filter of every key of the collection, kept current by
 * events. Until the collection has been read, and while changes may be missed, every key may exist.
 */
export class KnownKeys {
  private complete?: KeyFilter;
  /** False while `complete` may lack keys of changes that were missed. */
  private isCurrent = false;
  /** Follows the changes too, and replaces `complete` once the collection has been read into it. */
  private next?: KeyFilter;
  private readingStop = new AbortController();
  private reading: Promise<void> = Promise.resolve();

  constructor(private readonly parts: KnownKeysParts) {}

  /** For the metrics; 1 while every key may exist. */
  get falsePositiveRatio(): number {
    return this.isTrusted ? this.complete!.falsePositiveRatio : 1;
  }

  mayExist(key: string): boolean {
    return !this.isTrusted || this.complete!.has(key);
  }

  /** True if a filter contains the key, also one that may lack keys; false until the collection has been read once. */
  isKnown(key: string): boolean {
    return this.complete?.has(key) ?? false;
  }

  add(record: Pick<ReadModelRecord, 'key' | 'aliases' | 'isGone'>): void {
    if (record.isGone) return;
    for (const key of keysOf(record)) {
      this.complete?.add(key);
      this.next?.add(key);
    }
  }

  /** From now on this filter gets every change; it missed the earlier ones. */
  onFollowing(): void {
    this.readingStop.abort();
    this.isCurrent = false;
    this.readingStop = new AbortController();
    this.reading = this.keepReading(this.readingStop.signal);
  }

  async stop(): Promise<void> {
    this.readingStop.abort();
    await this.reading;
  }

  private get isTrusted(): boolean {
    return this.isCurrent && this.parts.broker.isUp;
  }

  private async keepReading(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const filter = (this.next = new KeyFilter(this.parts.filterBytes));
      await pause(this.parts.lagMaxMs, signal);
      while (!signal.aborted && !(await this.readInto(filter, signal))) await pause(RETRY_AFTER_MS, signal);
      if (signal.aborted) return;
      this.complete = filter;
      this.isCurrent = true;
      this.next = undefined;
      await pause(REFRESH_AFTER_MS, signal);
    }
  }

  /** @returns false if it must be retried */
  private async readInto(filter: KeyFilter, signal: AbortSignal): Promise<boolean> {
    const { store, log } = this.parts;
    const damagedIds: string[] = [];
    try {
      for (let after: string | undefined = ''; after !== undefined && !signal.aborted;) {
        const rows = await store.keysAfter(after, ROWS_PER_ROUND);
        for (const row of rows) if (!addKeys(filter, row)) damagedIds.push(row.id);
        after = rows.length < ROWS_PER_ROUND ? undefined : rows.at(-1)!.id;
        await pause(PAUSE_MS, signal);
      }
      if (damagedIds.length > 0)
        log.warn({ count: damagedIds.length, id: damagedIds[0] }, 'rows without a key skipped');
      return true;
    } catch (error) {
      log.debug({ err: error }, 'keys not read, trying again');
      return false;
    }
  }
}

/** @returns false if the row is damaged; it must not keep the filter from becoming complete */
function addKeys(filter: KeyFilter, row: Pick<ReadModelRecord, 'key' | 'aliases'>): boolean {
  try {
    for (const key of keysOf(row)) filter.add(key);
    return true;
  } catch {
    return false;
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
