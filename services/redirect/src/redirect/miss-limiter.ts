import { LeakyBuckets } from '@waymark/kernel/limits/leaky-buckets';
import { networksOf, type Network } from '@waymark/kernel/limits/networks';

/**
 * Limits the requests of a visitor for codes and hosts that do not exist. They count in every network of the visitor:
 * one customer of a provider has a whole IPv6 /56 or /48, with as many visitors as it has /64 networks.
 */
export class MissLimiter {
  /** By limit factor: a flood from many small networks evicts no large one. */
  private readonly bucketsByFactor = new Map<number, LeakyBuckets>();

  constructor(private readonly perMinute: number) {}

  /** @returns false, and counts nothing, when one of the networks has reached its limit */
  add(visitor: string): boolean {
    if (this.isFull(visitor)) return false;
    for (const network of networksOf(visitor)) this.bucketsFor(network).add(network.name);
    return true;
  }

  /** True when one of the networks has reached its limit. */
  isFull(visitor: string): boolean {
    return networksOf(visitor).some((network) => this.bucketsFor(network).isFull(network.name));
  }

  private bucketsFor({ limitFactor }: Network): LeakyBuckets {
    const buckets = this.bucketsByFactor.get(limitFactor) ?? new LeakyBuckets(limitFactor * this.perMinute);
    this.bucketsByFactor.set(limitFactor, buckets);
    return buckets;
  }
}
