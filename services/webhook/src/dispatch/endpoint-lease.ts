import { ENDPOINT_AGE_MAX_MS, type Endpoint } from '../endpoints/endpoint.js';
import { LEASE_MS, type LeaseStore, type LeaseToken } from './lease-store.js';

export interface ClaimedEndpoint {
  endpoint: Endpoint;
  /** Just before the claim, by `performance.now()`. */
  claimedAt: number;
}

/** The lease of one endpoint while this process holds it, and the endpoint as last read. */
export class EndpointLease {
  readonly token: LeaseToken;
  private current: Endpoint;
  /** The time of `current`, by `performance.now()`. */
  private readAt: number;
  private validUntil: number;
  private renewal?: NodeJS.Timeout;

  constructor(
    private readonly leases: LeaseStore,
    { endpoint, claimedAt }: ClaimedEndpoint,
  ) {
    this.current = endpoint;
    this.readAt = claimedAt;
    this.token = { endpointId: endpoint._id, leaseNo: endpoint.leaseNo };
    this.validUntil = performance.now() + LEASE_MS;
  }

  /** The endpoint as last read. */
  get endpoint(): Endpoint {
    return this.current;
  }

  get isValid(): boolean {
    return performance.now() < this.validUntil;
  }

  /** The endpoint as last read; null if that is too long ago, or the lease has expired. */
  get recentEndpoint(): Endpoint | null {
    return this.isValid && performance.now() - this.readAt < ENDPOINT_AGE_MAX_MS ? this.current : null;
  }

  startRenewing(): void {
    this.renewal = setInterval(() => void this.renewLease(), LEASE_MS / 3);
  }

  stopRenewing(): void {
    clearInterval(this.renewal);
  }

  /** Lets the lease expire; the remaining time is the pause before the next holder retries. */
  expire(): void {
    this.stopRenewing();
    this.validUntil = 0;
  }

  /** Reads the endpoint; null if it is gone or another process has the lease. */
  async readEndpoint(): Promise<Endpoint | null> {
    const startedAt = performance.now();
    const endpoint = await this.leases.readEndpoint(this.token);
    if (!endpoint) this.expire();
    if (!endpoint || !this.isValid) return null;
    this.readAt = Math.max(this.readAt, startedAt);
    return (this.current = endpoint);
  }

  updateFailureCount(consecutiveFailures: number): void {
    if (consecutiveFailures !== this.current.consecutiveFailures) {
      this.current = { ...this.current, consecutiveFailures };
    }
  }

  private async renewLease(): Promise<void> {
    const startedAt = performance.now();
    try {
      const isOurs = await this.leases.renewLease(this.token);
      if (!isOurs) this.expire();
      else if (this.validUntil > 0) this.validUntil = startedAt + LEASE_MS;
    } catch {
      // The lease expires unless a later renewal succeeds.
    }
  }
}
