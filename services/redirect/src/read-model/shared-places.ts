/**
 * Divides a number of places: neither a visitor nor a network has more than its share, so none of them can block the
 * others. A network is an IPv4 /24, or an IPv6 /48 of visitors that are a /64 each.
 */
export class SharedPlaces {
  private readonly takenBy = new Map<string, number>();
  private takenCount = 0;

  constructor(private readonly max: { places: number; visitor: number; network: number }) {}

  /** @param visitor `null` if unknown: no share applies. @returns `taken` for a place that the caller must release */
  acquire(visitor: string | null): 'taken' | 'full' | 'visitor_full' {
    const network = networkOfVisitor(visitor);
    if (this.has(visitor, this.max.visitor) || this.has(network, this.max.network)) return 'visitor_full';
    if (this.takenCount >= this.max.places) return 'full';
    this.count(visitor, network, 1);
    return 'taken';
  }

  release(visitor: string | null): void {
    this.count(visitor, networkOfVisitor(visitor), -1);
  }

  private has(holder: string | null, share: number): boolean {
    return holder !== null && (this.takenBy.get(holder) ?? 0) >= share;
  }

  private count(visitor: string | null, network: string | null, change: 1 | -1): void {
    this.takenCount += change;
    for (const holder of [visitor, network]) {
      if (holder === null) continue;
      const held = (this.takenBy.get(holder) ?? 0) + change;
      if (held > 0) this.takenBy.set(holder, held);
      else this.takenBy.delete(holder);
    }
  }
}

/** Never equals a visitor, since it ends in a separator. */
const networkOfVisitor = (visitor: string | null): string | null => visitor && visitor.replace(/[^.:]*$/, '');
