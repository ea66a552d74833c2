import type { AddressCount } from '@waymark/shared/contract/address-counts';
import { tooManyRequests } from '@waymark/shared/kernel/errors';
import { networksOf, type Network } from '@waymark/shared/kernel/network-of';

const MINUTE_MS = 60_000;
/** Networks that this process remembers; about 200 bytes each. */
const BUCKETS_MAX = 50_000;
/** Of the least recently used networks, how many are compared to find the one that has done least. */
const EVICTION_SAMPLE = 8;
/** Part of its limit from which on a network is reported to auth, to be added up over all gateways. */
const REPORT_FRACTION = 0.1;
const REPORTABLE_MAX = 5000;

/** A leaky bucket (https://en.wikipedia.org/wiki/Leaky_bucket#As_a_meter): it holds `limit` and drains that in a minute. */
interface Bucket {
  name: string;
  limit: number;
  level: number;
  /** When the level was right, by this process's steady clock. */
  at: number;
  /** Part of the level that auth has not been told. */
  unreported: number;
}

/**
 * Limits the requests that reach this gateway without a credential that auth knows, by network. Each decision is made here
 * and at once; the levels of busy networks are exchanged with the other gateways through auth.
 */
export class AddressLimiter {
  /** Least recently used first. */
  private readonly buckets = new Map<string, Bucket>();
  private readonly reportable = new Set<Bucket>();

  constructor(
    private readonly perMinute: number,
    private readonly bucketsMax = BUCKETS_MAX,
  ) {}

  /**
   * Counts a request; one that is refused does not count.
   * @throws AppError `rate_limit_exceeded`
   */
  take(address: string): void {
    const buckets = this.bucketsOf(address);
    for (const { level, limit } of buckets) {
      const excess = level + 1 - limit;
      if (excess > 0)
        throw tooManyRequests('Too many requests from this address. Try again later.', (excess / limit) * 60);
    }
    buckets.forEach((bucket) => this.add(bucket, 1));
  }

  /** Counts a request that has been let through already. */
  count(address: string): void {
    this.bucketsOf(address).forEach((bucket) => this.add(bucket, 1));
  }

  giveBack(address: string): void {
    this.bucketsOf(address).forEach((bucket) => this.add(bucket, -1));
  }

  /** What auth has not been told of the busiest networks, which counts as told from now on. */
  takeReport(countMax: number): AddressCount[] {
    for (const bucket of this.reportable) {
      this.drain(bucket);
      if (!isReportable(bucket)) this.reportable.delete(bucket);
    }
    const fullness = ({ level, limit }: Bucket) => level / limit;
    const busiest = [...this.reportable].sort((a, b) => fullness(b) - fullness(a)).slice(0, countMax);
    return busiest.map((bucket) => {
      const count = bucket.unreported;
      bucket.unreported = 0;
      return { network: bucket.name, count, per_minute: bucket.limit };
    });
  }

  /** Takes over the levels that auth has added up from the reports of all gateways. */
  learn(levels: { network: string; level: number }[]): void {
    for (const { network, level } of levels) {
      const bucket = this.buckets.get(network);
      if (!bucket) continue;
      this.drain(bucket);
      bucket.level = Math.max(0, level + bucket.unreported);
    }
  }

  private bucketsOf(address: string): Bucket[] {
    return networksOf(address).map((network) => this.bucketOf(network));
  }

  private bucketOf({ name, limitFactor }: Network): Bucket {
    const known = this.buckets.get(name);
    if (known) {
      this.buckets.delete(name);
      this.drain(known);
    } else if (this.buckets.size >= this.bucketsMax) {
      this.evict();
    }
    const limit = this.perMinute * limitFactor;
    const bucket = known ?? { name, limit, level: 0, at: performance.now(), unreported: 0 };
    this.buckets.set(name, bucket);
    return bucket;
  }

  private drain(bucket: Bucket): void {
    const now = performance.now();
    bucket.level = Math.max(0, bucket.level - ((now - bucket.at) / MINUTE_MS) * bucket.limit);
    bucket.unreported = Math.min(bucket.unreported, bucket.level);
    bucket.at = now;
  }

  private add(bucket: Bucket, count: number): void {
    bucket.level = Math.max(0, bucket.level + count);
    bucket.unreported += count;
    if (isReportable(bucket) && this.reportable.size < REPORTABLE_MAX) this.reportable.add(bucket);
  }

  /** A flood from many addresses must not make the gateway forget a busy one; a forgotten one begins anew, at zero. */
  private evict(): void {
    const sample: Bucket[] = [];
    for (const bucket of this.buckets.values()) {
      sample.push(bucket);
      if (sample.length === EVICTION_SAMPLE) break;
    }
    sample.forEach((bucket) => this.drain(bucket));
    const least = sample.reduce((a, b) => (b.level < a.level ? b : a));
    this.buckets.delete(least.name);
    this.reportable.delete(least);
    for (const bucket of sample) {
      if (bucket === least) continue;
      // Compared with others the next time.
      this.buckets.delete(bucket.name);
      this.buckets.set(bucket.name, bucket);
    }
  }
}

const isReportable = ({ level, limit }: Bucket): boolean => level >= limit * REPORT_FRACTION;
