import { LRUCache } from 'lru-cache';

const VISITORS_MAX = 50_000;
const MINUTE_MS = 60_000;

/**
 * Counts what each visitor asked for that is not there, as a leaky bucket: after the limit one more is allowed whenever
 * one has leaked. Guessing codes costs a look-up each, so guessers are told to wait; visitors of links are not counted.
 */
export class MissLimiter {
  /** When the bucket of a visitor will be empty. The oldest of too many visitors are forgotten. */
  private readonly emptyAt = new LRUCache<string, number>({ max: VISITORS_MAX });
  private readonly leakMs: number;

  constructor(private readonly perMinute: number) {
    this.leakMs = MINUTE_MS / perMinute;
  }

  /** @param visitor `null` where it is not known: then it has no limit */
  isOver(visitor: string | null): boolean {
    return visitor !== null && this.fillOf(visitor) + this.leakMs > this.perMinute * this.leakMs;
  }

  /** Counts a miss, unless the visitor is over the limit. @returns whether it was counted */
  count(visitor: string | null): boolean {
    if (visitor === null) return true;
    if (this.isOver(visitor)) return false;
    this.emptyAt.set(visitor, performance.now() + this.fillOf(visitor) + this.leakMs);
    return true;
  }

  /** In milliseconds until the bucket is empty. */
  private fillOf(visitor: string): number {
    return Math.max(0, (this.emptyAt.get(visitor) ?? 0) - performance.now());
  }
}
