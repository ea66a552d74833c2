import { LRUCache } from 'lru-cache';
import { keysOf, type Entry, type ReadModelRecord } from './definition.js';

const MISSES_MAX = 10_000;
const MISS_KEPT_MS = 1000;
const REVISIONS_MAX = 50_000;

/** A key without a record; `gone`: its workspace was erased. */
export type Miss = 'absent' | 'gone';

/** Records in memory, bounded in bytes, kept current by events. An older revision never replaces a newer one. */
export class RecordCache<R extends ReadModelRecord, E extends Entry> {
  /** By id. */
  private readonly entries: LRUCache<string, E>;
  /** Which entry visitors find at each key. */
  private readonly places = new Map<string, E>();
  /** Revisions of removed records: a look-up that began before the removal must not bring one back. */
  private readonly revisions = new LRUCache<string, number>({ max: REVISIONS_MAX });
  private readonly misses = new LRUCache<string, Miss>({ max: MISSES_MAX, ttl: MISS_KEPT_MS });

  constructor(
    bytesMax: number,
    private readonly toEntry: (record: R, before?: E) => E,
  ) {
    this.entries = new LRUCache({
      maxSize: bytesMax,
      sizeCalculation: ({ bytes }) => bytes,
      dispose: (entry) => this.removeKeysOf(entry),
    });
  }

  get bytes(): number {
    return this.entries.calculatedSize;
  }

  get size(): number {
    return this.entries.size;
  }

  /** Returns the entry in memory, the miss of a recent look-up, or `undefined` for an unknown key. */
  known(key: string): E | Miss | undefined {
    const entry = this.places.get(key);
    return entry ? this.entries.get(entry.id) : this.misses.get(key);
  }

  rememberMiss(key: string, miss: Miss): void {
    if (!this.places.has(key)) this.misses.set(key, miss);
  }

  /** Returns the entry without making it a recently visited one. */
  peek(id: string): E | undefined {
    return this.entries.peek(id);
  }

  has(id: string): boolean {
    return this.entries.has(id);
  }

  ids(): IterableIterator<string> {
    return this.entries.keys() as IterableIterator<string>;
  }

  /** Applies a record from an event or the database, unless a newer revision is known. */
  apply(record: R): void {
    const { id, revision } = record;
    if (revision < this.revisionOf(id)) return;
    const before = this.entries.peek(id);
    this.entries.delete(id);
    const keys = record.isGone ? [] : keysOf(record).filter((key) => !this.isTakenByNewer(key, record));
    if (keys.length > 0) this.place(this.toEntry(record, before), keys);
    else this.revisions.set(id, revision);
  }

  private place(entry: E, keys: string[]): void {
    this.entries.set(entry.id, entry);
    for (const key of keys) {
      this.places.set(key, entry);
      this.misses.delete(key);
    }
  }

  private removeKeysOf(entry: E): void {
    for (const key of entry.keys) if (this.places.get(key) === entry) this.places.delete(key);
  }

  private revisionOf(id: string): number {
    return Math.max(this.entries.peek(id)?.revision ?? -1, this.revisions.get(id) ?? -1);
  }

  /** True if another record took over the key and its event arrived first. */
  private isTakenByNewer(key: string, { id, changedAt }: R): boolean {
    const other = this.places.get(key);
    return other !== undefined && other.id !== id && other.changedAt > changedAt.getTime();
  }
}
