import type { Endpoint } from '../endpoints/endpoint.js';
import type { EndpointLeases, Lease } from './endpoint-leases.js';

/**
 * A sender looks at its endpoint again after this time at the latest. Whoever changes an endpoint answers when it has
 * passed: from then on every attempt goes where, and is signed as, the endpoint says now.
 */
export const SEEN_WITHIN_MS = 100;

/** The time for which one process is the only sender of an endpoint. */
export class Tenure {
  readonly lease: Lease;
  private validUntil: number;
  private seenAt = -Infinity;
  private renewing?: NodeJS.Timeout;

  constructor(
    private readonly leases: EndpointLeases,
    private readonly leaseMs: number,
    /** As it was when it was last looked at. */
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

  /** The lease is left to run out: that is the pause before the next holder tries. */
  letExpire(): void {
    clearInterval(this.renewing);
    this.validUntil = 0;
  }

  stopKeepingUp(): void {
    clearInterval(this.renewing);
  }

  /** The endpoint as of a moment ago; null when that is too long ago, or the lease has run out. */
  get seen(): Endpoint | null {
    return this.isValid && performance.now() - this.seenAt < SEEN_WITHIN_MS ? this.endpoint : null;
  }

  /** The endpoint as it is now; null when it is gone or another's. */
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
      // The lease runs out unless a later renewal succeeds.
    }
  }
}
