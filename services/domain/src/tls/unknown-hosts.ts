const HOSTS_MAX = 10_000;
const TTL_MS = 5000;

/**
 * Caches hosts that recently served no links. Bounded, because clients can invent any number of names: a new host
 * evicts the oldest.
 */
export class UnknownHosts {
  private readonly expiresAt = new Map<string, number>();

  get size(): number {
    return this.expiresAt.size;
  }

  hasHost(hostname: string): boolean {
    const until = this.expiresAt.get(hostname);
    return until !== undefined && performance.now() < until;
  }

  addHost(hostname: string): void {
    // Deleted first, because a map keeps the position of a key that is set again.
    this.expiresAt.delete(hostname);
    if (this.expiresAt.size >= HOSTS_MAX) this.expiresAt.delete(this.expiresAt.keys().next().value!);
    this.expiresAt.set(hostname, performance.now() + TTL_MS);
  }
}
