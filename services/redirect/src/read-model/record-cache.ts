import { LRUCache } from 'lru-cache';
import type { Entry, PlacedRecord } from './definition.js';

const MISSES_MAX = 10_000;
const MISS_KEPT_MS = 1000;

/** Records in memory, of bounded size, kept current by events. An older revision never replaces a newer one. */
export class RecordCache<R extends PlacedRecord, E extends Entry<R>> {
  private readonly keyOfId = new Map<string, string>();
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
      dispose: ({ record }, key) => {
        if (this.keyOfId.get(record.id) === key) this.keyOfId.delete(record.id);
      },
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
    return [...this.keyOfId.keys()];
  }

  /** Takes over what an event or the database tells, unless something newer is known. */
  apply(record: R): void {
    const { id, key, revision } = record;
    if (revision < this.revisionOf(id)) return;
    this.revisions.set(id, revision);
    const before = this.keyOfId.get(id);
    if (before !== undefined && (before !== key || record.isGone)) this.entries.delete(before);
    if (record.isGone || this.isTakenByNewer(record)) return;
    this.entries.set(key, this.entryOf(record));
    this.keyOfId.set(id, key);
    this.misses.delete(key);
  }

  private revisionOf(id: string): number {
    const key = this.keyOfId.get(id);
    const cached = key === undefined ? undefined : this.entries.peek(key)?.record.revision;
    return Math.max(cached ?? -1, this.revisions.get(id) ?? -1);
  }

  /** A place that one gave up and another took, told in the wrong order. */
  private isTakenByNewer({ key, id, changedAt }: R): boolean {
    const other = this.entries.peek(key)?.record;
    return other !== undefined && other.id !== id && other.changedAt > changedAt;
  }
}
