import { networksOf } from '@waymark/kernel/http/networks';

/** A holder of a share, with its maximum. */
export interface Holder {
  key: string;
  max: number;
}

/** Returns the networks of an address as holders, each with its maximum. */
export const holdersOfAddress = (address: string, max: number): Holder[] =>
  networksOf(address).map(({ name, shareFactor }) => ({ key: `address ${name}`, max: max * shareFactor }));

/** Divides an amount among holders: together they have at most `max`, each at most its own maximum. */
export class Shares {
  private total = 0;
  private readonly held = new Map<string, number>();

  constructor(private readonly max: number) {}

  /** Takes the amount for every holder, or for none. */
  tryTake(holders: readonly Holder[], amount = 1): 'taken' | 'full' | 'holder_full' {
    if (holders.some(({ key, max }) => this.heldBy(key) + amount > max)) return 'holder_full';
    if (this.total + amount > this.max) return 'full';
    this.total += amount;
    for (const { key } of holders) this.held.set(key, this.heldBy(key) + amount);
    return 'taken';
  }

  /** Call it once per successful `tryTake`. */
  release(holders: readonly Holder[], amount = 1): void {
    this.total -= amount;
    for (const { key } of holders) {
      const rest = this.heldBy(key) - amount;
      if (rest > 0) this.held.set(key, rest);
      else this.held.delete(key);
    }
  }

  /** The amount that all holders have taken. */
  get used(): number {
    return this.total;
  }

  private heldBy(key: string): number {
    return this.held.get(key) ?? 0;
  }
}
