import type { Attempt } from '../deliveries/attempt.js';
import { tenantsOf } from '../endpoints/endpoint.js';
import type { Outcome } from '../http/post-message.js';
import type { EndpointHealth, Route } from './concurrency-pools.js';
import type { DispatchContext } from './context.js';
import type { EndpointLease } from './endpoint-lease.js';

/**
 * After this many consecutive failures the worker probes an endpoint with one delivery per second until one succeeds:
 * writing the failure of its whole backlog would cost the database time that other endpoints need.
 */
export const PROBE_AFTER_FAILURES = 10;
const PROBE_INTERVAL_MS = 1000;
/** Attempts per permit that the pool takes at a time for a fast receiver, and those whose outcome may be unwritten. */
const TAKEN_PER_PERMIT_MAX = 16;
const UNWRITTEN_PER_PERMIT = 8;
const FAST_MS = 1000;
/** With this many attempts per permit still waiting, the worker reads the next ones while sending continues. */
const WAITING_PER_PERMIT = 2;

interface PoolOwner {
  /** False once no more attempts may start. */
  mayStart(): boolean;
  /** Delivers one attempt, with `runDelivery` around the sending. */
  deliver(attempt: Attempt): Promise<void>;
  /** Called when there may be room for more attempts, or none is left. */
  onEnded(): void;
}

/** Decides how many attempts of one endpoint this process reads ahead, sends at a time, and leaves unwritten. */
export class DeliveryPool {
  private readonly waiting: Attempt[] = [];
  private readonly tenants: readonly string[];
  private lastTaken = { count: 0, takenAt: -Infinity };
  /** Attempts that have started and whose outcome is not yet written. */
  private readonly open = new Set<string>();
  private hasAnswered = false;
  private hasJustFailed = false;
  private probedAt = -Infinity;
  private cachedRoute?: { url: string; route: Route };
  private inFlight = 0;
  private slowCount = 0;

  constructor(
    private readonly ctx: Pick<DispatchContext, 'config' | 'concurrencyPools' | 'readAhead'>,
    private readonly lease: EndpointLease,
    private readonly owner: PoolOwner,
  ) {
    this.tenants = tenantsOf(lease.endpoint);
  }

  get isIdle(): boolean {
    return this.open.size === 0;
  }

  get hasProbed(): boolean {
    return this.probedAt !== -Infinity;
  }

  /** The attempts that it has already taken. */
  get attemptIds(): string[] {
    return [...this.open, ...this.waiting.map(({ _id }) => _id)];
  }

  private get hasAttempts(): boolean {
    return this.open.size + this.waiting.length > 0;
  }

  /** Selects the concurrency pool in which the attempts are sent now. */
  get health(): EndpointHealth {
    if (this.isProbing) return 'unresponsive';
    return this.slowCount > 0 ? 'slow' : 'healthy';
  }

  /**
   * How many attempts it can take now: twice as many as before while the receiver is fast, and one per free permit for a
   * slow one, so that a requested attempt comes next.
   */
  get capacity(): number {
    if (!this.wantsMore || this.isResting) return 0;
    if (this.ctx.readAhead.isFullFor(this.tenants)) {
      return this.hasAttempts || this.ctx.readAhead.isExhaustedFor(this.tenants) ? 0 : 1;
    }
    if (this.slowCount > 0) return Math.max(0, this.permits - this.inFlight);
    const isFast = performance.now() - this.lastTaken.takenAt < FAST_MS;
    return isFast ? Math.min(this.lastTaken.count * 2, this.permitsMax * TAKEN_PER_PERMIT_MAX) : this.permitsMax;
  }

  /** Takes the attempts that there is room to hold; the others are still in the store. */
  addAttempts(attempts: Attempt[]): void {
    const taken = this.ctx.readAhead.addAttempts(this.tenants, attempts, this.hasAttempts ? 0 : 1);
    this.lastTaken = { count: Math.max(taken.length, this.permitsMax), takenAt: performance.now() };
    this.waiting.push(...taken);
    this.startWaiting();
  }

  /** Drops attempts that it has taken but not started; they are still in the store. */
  dropWaiting(keptCount = 0): void {
    this.ctx.readAhead.removeAttempts(this.tenants, this.waiting.splice(keptCount));
  }

  /** Sends one attempt once the concurrency pools of this process have room for it. */
  async runDelivery(send: () => Promise<Outcome | null>): Promise<Outcome | null> {
    let isSlow = false;
    const onSlow = () => {
      isSlow = true;
      this.slowCount += 1;
      // A user may request another attempt first.
      this.dropWaiting();
    };
    this.inFlight += 1;
    try {
      const delivery = { health: this.health, route: this.route, onSlow };
      return await this.ctx.concurrencyPools.runDelivery(delivery, async () => this.noteOutcome(await send()));
    } finally {
      this.inFlight -= 1;
      if (isSlow) this.slowCount -= 1;
      this.startWaiting();
    }
  }

  private noteOutcome(outcome: Outcome | null): Outcome | null {
    if (outcome) this.hasJustFailed = outcome.failure !== null;
    if (typeof outcome?.statusCode === 'number') this.hasAnswered = true;
    return outcome;
  }

  private get isProbing(): boolean {
    return this.lease.endpoint.consecutiveFailures >= PROBE_AFTER_FAILURES;
  }

  private get isResting(): boolean {
    return this.isProbing && performance.now() - this.probedAt < PROBE_INTERVAL_MS;
  }

  private get isFailing(): boolean {
    return this.hasJustFailed || this.lease.endpoint.consecutiveFailures > 0;
  }

  /** Reads nothing ahead for a slow or failing endpoint: requested attempts go first, and the endpoint may change. */
  private get wantsMore(): boolean {
    const isSteady = this.slowCount === 0 && !this.isFailing;
    return this.waiting.length < (isSteady ? this.permitsMax * WAITING_PER_PERMIT : 1);
  }

  private get permitsMax(): number {
    return this.isProbing ? 1 : this.ctx.config.WEBHOOK_ENDPOINT_CONCURRENCY;
  }

  /** One until the first answer, so an endpoint that never answers takes one permit from others for a second. */
  private get permits(): number {
    return this.hasAnswered ? this.permitsMax : 1;
  }

  private get hasPermit(): boolean {
    // Failures are counted before more is sent: the number of permits depends on them.
    const openMax = this.permits * (this.isFailing ? 1 : UNWRITTEN_PER_PERMIT);
    return this.inFlight < this.permits && this.open.size < openMax;
  }

  private startWaiting(): void {
    if (this.isProbing) this.dropWaiting(1);
    while (this.owner.mayStart() && this.hasPermit && this.waiting.length > 0) {
      const attempt = this.waiting.shift()!;
      if (this.isProbing) this.probedAt = performance.now();
      this.open.add(attempt._id);
      void this.owner.deliver(attempt).finally(() => {
        this.open.delete(attempt._id);
        this.ctx.readAhead.removeAttempts(this.tenants, [attempt]);
        this.startWaiting();
        if (this.wantsMore || this.isIdle) this.owner.onEnded();
      });
    }
  }

  private get route(): Route {
    const { url } = this.lease.endpoint;
    if (this.cachedRoute?.url !== url) this.cachedRoute = { url, route: { tenants: this.tenants, host: hostOf(url) } };
    return this.cachedRoute.route;
  }
}

/** Omits the port: all ports of a host share its limit. */
const hostOf = (url: string): string => URL.parse(url)?.hostname.replace(/\.$/, '') ?? '';
