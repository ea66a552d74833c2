/** How many permits a visitor and its network may hold. */
export interface PermitShares {
  visitor: number;
  network: number;
}

/**
 * A bounded number of permits: neither a visitor nor a network has more than its share, so none of them can block the
 * others. A network is an IPv4 /24, or an IPv6 /48 of visitors that are a /64 each.
 */
export class LookupPermits {
  private readonly acquiredBy = new Map<string, number>();
  private acquiredCount = 0;

  constructor(private readonly max: number) {}

  /** @param visitor `null` if unknown: no share applies. @returns `acquired` for a permit that the caller must release */
  acquire(visitor: string | null, shares: PermitShares): 'acquired' | 'full' | 'visitor_full' {
    const network = networkOfVisitor(visitor);
    if (this.hasShare(visitor, shares.visitor) || this.hasShare(network, shares.network)) return 'visitor_full';
    if (this.acquiredCount >= this.max) return 'full';
    this.changeCount(visitor, network, 1);
    return 'acquired';
  }

  release(visitor: string | null): void {
    this.changeCount(visitor, networkOfVisitor(visitor), -1);
  }

  private hasShare(holder: string | null, share: number): boolean {
    return holder !== null && (this.acquiredBy.get(holder) ?? 0) >= share;
  }

  private changeCount(visitor: string | null, network: string | null, change: 1 | -1): void {
    this.acquiredCount += change;
    for (const holder of [visitor, network]) {
      if (holder === null) continue;
      const held = (this.acquiredBy.get(holder) ?? 0) + change;
      if (held > 0) this.acquiredBy.set(holder, held);
      else this.acquiredBy.delete(holder);
    }
  }
}

/** Never equals a visitor, since it ends in a separator. */
const networkOfVisitor = (visitor: string | null): string | null => visitor && visitor.replace(/[^.:]*$/, '');
