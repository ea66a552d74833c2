import { networksOf, type Network } from './networks.js';
import { LeakyBuckets } from './leaky-buckets.js';

/**
 * Leaky buckets of clients by address. What one does counts in each network of its address: one customer of a provider has a
 * whole IPv6 /56 or /48, which have a multiple of the limit.
 */
export class NetworkBuckets {
  /** By limit factor: a flood from many small networks evicts no large one. */
  private readonly bucketsByFactor = new Map<number, LeakyBuckets>();

  constructor(private readonly perMinute: number) {}

  /** Returns 0 while one more fits in every network. */
  secondsUntilRoom(address: string): number {
    const seconds = networksOf(address).map((network) => this.bucketsOf(network).secondsUntilRoom(network.name));
    return Math.max(...seconds);
  }

  isFull(address: string): boolean {
    return this.secondsUntilRoom(address) > 0;
  }

  /** @returns false, and counts nothing, when one of the networks has reached its limit */
  add(address: string): boolean {
    if (this.isFull(address)) return false;
    for (const network of networksOf(address)) this.bucketsOf(network).add(network.name);
    return true;
  }

  private bucketsOf({ limitFactor }: Network): LeakyBuckets {
    const buckets = this.bucketsByFactor.get(limitFactor) ?? new LeakyBuckets(limitFactor * this.perMinute);
    this.bucketsByFactor.set(limitFactor, buckets);
    return buckets;
  }
}
