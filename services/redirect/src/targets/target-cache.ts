import { LRUCache } from 'lru-cache';
import type { TargetRecord } from './record.js';
import { toTarget, type Target } from './target.js';

const TARGETS_MAX = 50_000;
const REVISIONS_MAX = 50_000;
const MISSES_MAX = 10_000;
const MISS_KEPT_MS = 1000;

/** Targets in memory, of bounded size, kept current by events. An older revision never replaces a newer one. */
export class TargetCache {
  private readonly keyOfLink = new Map<string, string>();
  private readonly targets = new LRUCache<string, Target>({
    max: TARGETS_MAX,
    dispose: ({ record }, key) => {
      if (this.keyOfLink.get(record.linkId) === key) this.keyOfLink.delete(record.linkId);
    },
  });
  /** Of links that moved or went: a look-up that began before that must not bring them back. */
  private readonly revisions = new LRUCache<string, number>({ max: REVISIONS_MAX });
  private readonly misses = new LRUCache<string, true>({ max: MISSES_MAX, ttl: MISS_KEPT_MS });

  get(key: string): Target | undefined {
    return this.targets.get(key);
  }

  isKnownMiss(key: string): boolean {
    return this.misses.has(key);
  }

  rememberMiss(key: string): void {
    if (!this.targets.has(key)) this.misses.set(key, true);
  }

  linkIds(): string[] {
    return [...this.keyOfLink.keys()];
  }

  /** Takes over what an event or the database tells, unless something newer is known. */
  apply(record: TargetRecord): void {
    const { linkId, key, revision } = record;
    if (revision < this.revisionOf(linkId)) return;
    this.revisions.set(linkId, revision);
    const before = this.keyOfLink.get(linkId);
    if (before !== undefined && (before !== key || record.isDeleted)) this.targets.delete(before);
    if (record.isDeleted || this.isTakenByNewer(record)) return;
    this.targets.set(key, toTarget(record));
    this.keyOfLink.set(linkId, key);
    this.misses.delete(key);
  }

  private revisionOf(linkId: string): number {
    const key = this.keyOfLink.get(linkId);
    const cached = key === undefined ? undefined : this.targets.peek(key)?.record.revision;
    return Math.max(cached ?? -1, this.revisions.get(linkId) ?? -1);
  }

  /** A code that one link gave up and another took, told in the wrong order. */
  private isTakenByNewer({ key, linkId, changedAt }: TargetRecord): boolean {
    const other = this.targets.peek(key)?.record;
    return other !== undefined && other.linkId !== linkId && other.changedAt > changedAt;
  }
}
