import { LRUCache } from 'lru-cache';
import { keysOf, type Entry, type PlacedRecord } from './definition.js';

const MISSES_MAX = 10_000;
const MISS_KEPT_MS = 1000;

/** Records in memory, of bounded size, kept current by events. An older revision never replaces a newer one. */
export class RecordCache<R extends PlacedRecord, E extends Entry<R>> {
  /** Where each record is in `entries`. */
  private readonly keysOfId = new Map<string, Set<string>>();
  private readonly entries: LRUCache<string, E>;
  /** Of what moved or went: a look-up that began before that must not bring it back. */
  private readonly revisions: LRUCache<string, number>;
  private readonly misses = new LRUCache<string, true>({ max: MISSES_MAX, ttl: MISS_KEPT_MS });

  constructor(
    entriesMax: number,
    private readonly entryOf: (record: R) => E,
  ) {
    this.revisions = new LRUCache({ max: entriesMax });
    this.entries = new LRUCache({
      max: entriesMax,
      dispose: ({ record }, key) => this.leave(record.id, key),
    });
  }

  /** `absent` when nobody had it a moment ago; `undefined` when that is not known. */
  known(key: string): E | 'absent' | undefined {
    return this.entries.get(key) ?? (this.misses.has(key) ? 'absent' : undefined);
  }

  rememberMiss(key: string): void {
    if (!this.entries.has(key)) this.misses.set(key, true);
  }

  ids(): string[] {
    return [...this.keysOfId.keys()];
  }

  /** Takes over what an event or the database tells, unless something newer is known. */
  apply(record: R): void {
    const { id, revision } = record;
    if (revision < this.revisionOf(id)) return;
    this.revisions.set(id, revision);
    const keys = record.isGone ? [] : keysOf(record).filter((key) => !this.isTakenByNewer(key, record));
    for (const key of [...(this.keysOfId.get(id) ?? [])]) if (!keys.includes(key)) this.entries.delete(key);
    if (keys.length > 0) this.place(this.entryOf(record), keys);
  }

  private place(entry: E, keys: string[]): void {
    const { id } = entry.record;
    for (const key of keys) {
      // What has to make room for it, be it another key of the same record, leaves first.
      this.entries.set(key, entry);
      this.keysOfId.set(id, (this.keysOfId.get(id) ?? new Set()).add(key));
      this.misses.delete(key);
    }
  }

  private leave(id: string, key: string): void {
    const keys = this.keysOfId.get(id);
    if (keys?.delete(key) && keys.size === 0) this.keysOfId.delete(id);
  }

  private revisionOf(id: string): number {
    const [key] = this.keysOfId.get(id) ?? [];
    const cached = key === undefined ? undefined : this.entries.peek(key)?.record.revision;
    return Math.max(cached ?? -1, this.revisions.get(id) ?? -1);
  }

  /** A place that one gave up and another took, told in the wrong order. */
  private isTakenByNewer(key: string, { id, changedAt }: R): boolean {
    const other = this.entries.peek(key)?.record;
    return other !== undefined && other.id !== id && other.changedAt > changedAt;
  }
}
