const HOSTS_MAX = 10_000;
const REMEMBERED_MS = 5000;

/** Hosts that served nothing a moment ago. The oldest is forgotten for a new one: names are invented without end. */
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
    // Deleted first: a map keeps the place of a key that is set again.
    this.until.delete(hostname);
    if (this.until.size >= HOSTS_MAX) this.until.delete(this.until.keys().next().value!);
    this.until.set(hostname, performance.now() + REMEMBERED_MS);
  }
}
