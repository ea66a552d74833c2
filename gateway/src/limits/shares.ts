import { networksOf } from '@waymark/shared/kernel/network-of';

/** Something that has a part of what is shared, and how much of it that may be. */
export interface Holder {
  key: string;
  max: number;
}

/** The networks of an address, each with its part. */
export const holdersOfAddress = (address: string, max: number): Holder[] =>
  networksOf(address).map(({ name, shareFactor }) => ({ key: `address ${name}`, max: max * shareFactor }));

/** Divides an amount among holders: all of them together have at most `max`, each at most its own maximum. */
export class Shares {
  private total = 0;
  private readonly held = new Map<string, number>();

  constructor(private readonly max: number) {}

  /** Takes for every holder at once, or for none. */
  tryTake(holders: readonly Holder[], amount = 1): 'taken' | 'full' | 'holder_full' {
    if (holders.some(({ key, max }) => this.heldBy(key) + amount > max)) return 'holder_full';
    if (this.total + amount > this.max) return 'full';
    this.total += amount;
    for (const { key } of holders) this.held.set(key, this.heldBy(key) + amount);
    return 'taken';
  }

  /** To be called once for what was taken. */
  release(holders: readonly Holder[], amount = 1): void {
    this.total -= amount;
    for (const { key } of holders) {
      const rest = this.heldBy(key) - amount;
      if (rest > 0) this.held.set(key, rest);
      else this.held.delete(key);
    }
  }

  /** Of all holders. */
  get used(): number {
    return this.total;
  }

  private heldBy(key: string): number {
    return this.held.get(key) ?? 0;
  }
}
