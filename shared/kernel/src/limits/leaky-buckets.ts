const MINUTE_MS = 60_000;
const KEYS_MAX = 50_000;

/**
 * A leaky bucket for each key: `perMinute` items fit at once, and one more whenever one has leaked. With too many keys
 * the least recently used are evicted.
 */
export class LeakyBuckets {
  /** When each bucket will be empty, by this process's steady clock; least recently used first. */
  private readonly emptyAt = new Map<string, number>();
  private readonly leakMs: number;

  constructor(
    perMinute: number,
    private readonly keysMax = KEYS_MAX,
  ) {
    this.leakMs = MINUTE_MS / perMinute;
  }

  isFull(key: string): boolean {
    return this.secondsUntilRoom(key) > 0;
  }

  /** Returns 0 while one more fits. */
  secondsUntilRoom(key: string): number {
    return Math.max(0, this.fillMsOf(key) + this.leakMs - MINUTE_MS) / 1000;
  }

  /** Puts one thing into the bucket. @returns false, and leaves the bucket as it is, when it is full */
  add(key: string): boolean {
    const fillMs = this.fillMsOf(key);
    if (fillMs + this.leakMs > MINUTE_MS) return false;
    this.emptyAt.set(key, performance.now() + fillMs + this.leakMs);
    if (this.emptyAt.size > this.keysMax) this.emptyAt.delete(this.emptyAt.keys().next().value!);
    return true;
  }

  /** How long the bucket takes to be empty. */
  private fillMsOf(key: string): number {
    const emptyAt = this.emptyAt.get(key);
    if (emptyAt === undefined) return 0;
    this.emptyAt.delete(key);
    this.emptyAt.set(key, emptyAt);
    return Math.max(0, emptyAt - performance.now());
  }
}
