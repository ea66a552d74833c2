/** Bounds the memory and the filter of a claim: beyond it, the keys that were served first have another turn. */
const SERVED_MAX = 1000;

/**
 * Divides the checks of one process among keys, e.g. workspaces: each key runs up to `share` checks at a time, and keys
 * that have had no check in this round come first.
 */
export class CheckTurns {
  private readonly runningCounts = new Map<string, number>();
  private readonly served = new Set<string>();

  constructor(private readonly share: number) {}

  /** Whether any key has had a check in this round. */
  get hasServed(): boolean {
    return this.served.size > 0;
  }

  /** The keys that run as many checks as they may. */
  get busyKeys(): string[] {
    return [...this.runningCounts].filter(([, count]) => count >= this.share).map(([key]) => key);
  }

  get busyOrServedKeys(): string[] {
    return [...new Set([...this.busyKeys, ...this.served])];
  }

  startRound(): void {
    this.served.clear();
  }

  addCheck(key: unknown): void {
    if (!isKey(key)) return;
    this.runningCounts.set(key, (this.runningCounts.get(key) ?? 0) + 1);
    this.served.delete(key);
    if (this.served.size >= SERVED_MAX) this.served.delete(this.served.values().next().value!);
    this.served.add(key);
  }

  removeCheck(key: unknown): void {
    if (!isKey(key)) return;
    const count = this.runningCounts.get(key)! - 1;
    if (count > 0) this.runningCounts.set(key, count);
    else this.runningCounts.delete(key);
  }
}

/** False for a domain without a user, and for a damaged row, whose value would fail the filter of each claim. */
const isKey = (value: unknown): value is string => typeof value === 'string';
