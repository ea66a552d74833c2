import type { Endpoint } from '../endpoints/endpoint.js';
import type { EndpointLeases, Lease } from './endpoint-leases.js';

/**
 * A sender reads its endpoint again after this time at the latest. A request that changes an endpoint returns after it:
 * after that every attempt uses the new URL and secrets.
 */
export const SEEN_WITHIN_MS = 100;

/** The period for which one process holds the lease of an endpoint. */
export class Tenure {
  readonly lease: Lease;
  private validUntil: number;
  private seenAt = -Infinity;
  private renewing?: NodeJS.Timeout;

  constructor(
    private readonly leases: EndpointLeases,
    private readonly leaseMs: number,
    /** As of the last read. */
    public endpoint: Endpoint,
  ) {
    this.lease = { endpointId: endpoint._id, no: endpoint.leaseNo };
    this.validUntil = performance.now() + leaseMs;
  }

  get isValid(): boolean {
    return performance.now() < this.validUntil;
  }

  keepUp(): void {
    this.renewing = setInterval(() => void this.renew(), this.leaseMs / 3);
  }

  /** Lets the lease expire; the remaining time is the pause before the next holder retries. */
  letExpire(): void {
    clearInterval(this.renewing);
    this.validUntil = 0;
  }

  stopKeepingUp(): void {
    clearInterval(this.renewing);
  }

  /** The endpoint as of the last read; null if that is too old, or the lease has expired. */
  get seen(): Endpoint | null {
    return this.isValid && performance.now() - this.seenAt < SEEN_WITHIN_MS ? this.endpoint : null;
  }

  /** Reads the endpoint; null if it is gone or another process has the lease. */
  async look(): Promise<Endpoint | null> {
    const startedAt = performance.now();
    const endpoint = await this.leases.read(this.lease);
    if (!endpoint) this.letExpire();
    if (!endpoint || !this.isValid) return null;
    this.seenAt = Math.max(this.seenAt, startedAt);
    return (this.endpoint = endpoint);
  }

  private async renew(): Promise<void> {
    const startedAt = performance.now();
    try {
      const isOurs = await this.leases.renew(this.lease);
      if (!isOurs) this.letExpire();
      else if (this.validUntil > 0) this.validUntil = startedAt + this.leaseMs;
    } catch {
      // The lease expires unless a later renewal succeeds.
    }
  }
}
