import type { AddressCount } from '@waymark/contract/address-counts';
import { tooManyRequests } from '@waymark/kernel/errors';
import { networksOf, type Network } from '@waymark/kernel/http/networks';

const MINUTE_MS = 60_000;
/** Networks that this process tracks; about 200 bytes each. */
const BUCKETS_MAX = 50_000;
/** How many of the least recently used networks are compared to evict the one with the lowest level. */
const EVICTION_SAMPLE = 8;
/** Part of the limit that may arrive at once; a small limit may as a whole. */
const BURST_FRACTION = 0.2;
const BURST_MIN = 60;
/** Fraction of the burst above which a network is reported to auth, which adds up the counts of all gateways. */
const REPORT_FRACTION = 0.1;
const REPORTABLE_MAX = 5000;

/**
 * A leaky bucket (https://en.wikipedia.org/wiki/Leaky_bucket#As_a_meter): it holds `burst` and drains `limit` per
 * minute.
 */
interface Bucket {
  name: string;
  limit: number;
  burst: number;
  level: number;
  /** When the level was last updated, on this process's monotonic clock. */
  at: number;
  /** The part of the level that has not been reported to auth. */
  unreported: number;
}

/**
 * Limits requests without a credential that auth knows, by network. Decides locally and at once; the gateways exchange
 * the levels of busy networks through auth.
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
   * Counts a request; a refused request does not count.
   * @throws AppError `rate_limit_exceeded`
   */
  admitRequest(address: string): void {
    const buckets = this.bucketsOf(address);
    for (const { level, limit, burst } of buckets) {
      const excess = level + 1 - burst;
      if (excess > 0)
        throw tooManyRequests('Too many requests from this address. Try again later.', (excess / limit) * 60);
    }
    buckets.forEach((bucket) => this.add(bucket, 1));
  }

  /** Counts a request that was already let through. */
  countRequest(address: string): void {
    this.bucketsOf(address).forEach((bucket) => this.add(bucket, 1));
  }

  refundRequest(address: string): void {
    this.bucketsOf(address).forEach((bucket) => this.add(bucket, -1));
  }

  /** Returns the unreported counts of the fullest buckets and marks them as reported. */
  takeReport(countMax: number): AddressCount[] {
    for (const bucket of this.reportable) {
      this.drain(bucket);
      if (!isReportable(bucket)) this.reportable.delete(bucket);
    }
    const fullness = ({ level, burst }: Bucket) => level / burst;
    const busiest = [...this.reportable].sort((a, b) => fullness(b) - fullness(a)).slice(0, countMax);
    return busiest.map((bucket) => {
      const count = bucket.unreported;
      bucket.unreported = 0;
      return { network: bucket.name, count, per_minute: bucket.limit };
    });
  }

  /** Adopts the levels that auth has computed from the reports of all gateways. */
  applyLevels(levels: { network: string; level: number }[]): void {
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
    const burst = burstOf(this.perMinute) * limitFactor;
    const bucket = known ?? { name, limit, burst, level: 0, at: performance.now(), unreported: 0 };
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

  /** A flood from many addresses must not evict a busy network; an evicted network restarts at zero. */
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
      // Moved to the end, so that the next eviction compares other networks.
      this.buckets.delete(bucket.name);
      this.buckets.set(bucket.name, bucket);
    }
  }
}

const burstOf = (perMinute: number): number => Math.min(perMinute, Math.max(BURST_MIN, perMinute * BURST_FRACTION));
const isReportable = ({ level, burst }: Bucket): boolean => level >= burst * REPORT_FRACTION;
