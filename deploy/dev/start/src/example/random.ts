import { createHash } from 'node:crypto';

/** A value and how often it is picked, compared with the others. */
export type Weighted<T> = readonly (readonly [weight: number, value: T])[];

/** The same numbers in each run: a linear congruential generator (Numerical Recipes, 2nd edition, 7.1). */
export class RandomNumbers {
  private state: number;

  constructor(seed: string) {
    this.state = createHash('sha256').update(seed).digest().readUInt32LE();
  }

  /** Returns a number from 0 up to, and without, 1. */
  next(): number {
    this.state = (Math.imul(this.state, 1664525) + 1013904223) >>> 0;
    return this.state / 2 ** 32;
  }

  /** Returns a whole number from 0 up to, and without, the limit. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  pick<T>(choices: Weighted<T>): T {
    let rest = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of choices) {
      rest -= weight;
      if (rest < 0) return value;
    }
    return choices.at(-1)![1];
  }
}
