const HOSTS_MAX = 10_000;
const REMEMBERED_MS = 5000;

/**
 * Caches hosts that recently served no links. Bounded, because clients can invent any number of names: a new host
 * evicts the oldest.
 */
export class UnknownHosts {
  private readonly until = new Map<string, number>();

  get size(): number {
    return this.until.size;
  }

  has(hostname: string): boolean {
    const until = this.until.get(hostname);
    return until !== undefined && performance.now() < until;
  }

  add(hostname: string): void {
    // Deleted first, because a map keeps the position of a key that is set again.
    this.until.delete(hostname);
    if (this.until.size >= HOSTS_MAX) this.until.delete(this.until.keys().next().value!);
    this.until.set(hostname, performance.now() + REMEMBERED_MS);
  }
}
