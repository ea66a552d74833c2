import { networksOf } from '@waymark/kernel/http/networks';

/** A user, workspace or network that has a part of a budget, up to its own maximum. */
export interface BudgetOwner {
  key: string;
  max: number;
}

/** Returns the networks of an address as owners, each with its maximum. */
export const ownersOfAddress = (address: string, max: number): BudgetOwner[] =>
  networksOf(address).map(({ name, shareFactor }) => ({ key: `address ${name}`, max: max * shareFactor }));

/** A budget that several owners share: together they reserve at most `max`, each at most its own maximum. */
export class Budget {
  private total = 0;
  private readonly amounts = new Map<string, number>();

  constructor(private readonly max: number) {}

  /** Reserves the amount for every owner, or for none. */
  tryReserve(owners: readonly BudgetOwner[], amount = 1): 'reserved' | 'full' | 'owner_full' {
    if (owners.some(({ key, max }) => this.amountOf(key) + amount > max)) return 'owner_full';
    if (this.total + amount > this.max) return 'full';
    this.total += amount;
    for (const { key } of owners) this.amounts.set(key, this.amountOf(key) + amount);
    return 'reserved';
  }

  /** Call it once per successful `tryReserve`. */
  releaseAmount(owners: readonly BudgetOwner[], amount = 1): void {
    this.total -= amount;
    for (const { key } of owners) {
      const rest = this.amountOf(key) - amount;
      if (rest > 0) this.amounts.set(key, rest);
      else this.amounts.delete(key);
    }
  }

  /** The amount that all owners have reserved. */
  get reservedAmount(): number {
    return this.total;
  }

  private amountOf(key: string): number {
    return this.amounts.get(key) ?? 0;
  }
}
