import { setTimeout as sleep } from 'node:timers/promises';
import { Signal } from '@waymark/kernel/async/signal';
import { isOutage } from '@waymark/kernel/errors';
import { isWellFormed, type Attempt } from '../deliveries/attempt.js';
import { acceptsAttempt, type Endpoint } from '../endpoints/endpoint.js';
import type { Outcome } from '../http/post-message.js';
import type { EndpointHealth } from './concurrency-pools.js';
import type { DispatchContext } from './context.js';
import { DeliveryPool } from './delivery-pool.js';
import { EndpointLease, type ClaimedEndpoint } from './endpoint-lease.js';
import { OutcomeWriter } from './outcome-writer.js';

/** What a worker asks of its process. */
interface Host {
  /** Called between the probes of an unresponsive endpoint: true if another one waits for this worker's place. */
  mustYield(): boolean;
  /** True while a worker may keep its place for events that are yet to come. */
  mayLinger(): boolean;
}

/** Every pending attempt of an endpoint. */
interface AllPending {
  /** As read before the query for them: its `wakeNo` shows whether others were added later. */
  endpoint: Endpoint;
  /** Those that were not sent successfully yet. */
  unsentCount: number;
}

const CANCELLED_AT_ONCE = 500;
/**
 * The average time from a read that found every attempt to the next read or the release of the lease. The actual time is
 * random, so that endpoints that get the same event are not all read at the same moment.
 */
const LINGER_MS = 200;
/** If there are more unresponsive endpoints than a process holds, each waits this long between two probes. */
const UNRESPONSIVE_PAUSE_MS = 30_000;

/**
 * Sends the attempts of one endpoint, for as long as it holds the lease and there are attempts to send: it reads the
 * next ones, hands them to the delivery pool, sends each once there is room for it, and writes its outcome. Attempts
 * without an outcome stay pending in the store for the next holder.
 */
export class EndpointWorker {
  private readonly lease: EndpointLease;
  private readonly pool: DeliveryPool;
  private readonly outcomes: OutcomeWriter;
  private readonly wakeSignal = new Signal();
  private openedSecrets?: { sealed: Endpoint['secrets']; texts: string[] };
  /** When the oldest attempt that was due at the last read was due. */
  oldestDueAt?: Date;
  /** False until the endpoint was read again after the claim. */
  private hasReadEndpoint = false;
  private allPending?: AllPending;
  /** By `performance.now()`. */
  private lingersUntil = -Infinity;
  /** Whether this process has added work since the last query for attempts. */
  private hasNewWork = false;
  private isReleasing = false;
  private isStopping = false;
  private hasFailed = false;

  constructor(
    private readonly ctx: DispatchContext,
    claimed: ClaimedEndpoint,
    private readonly host: Host,
  ) {
    this.lease = new EndpointLease(ctx.leases, ctx.config.WEBHOOK_LEASE_MS, claimed);
    this.outcomes = new OutcomeWriter(ctx, this.lease, () => this.isStopping);
    this.pool = new DeliveryPool(ctx, this.lease, {
      mayStart: () => this.mayStart,
      deliver: (attempt) => this.deliver(attempt),
      onEnded: () => this.wakeSignal.notify(),
    });
  }

  get endpoint(): Endpoint {
    return this.lease.endpoint;
  }

  get health(): EndpointHealth {
    return this.pool.health;
  }

  get isSucceeding(): boolean {
    return this.health === 'healthy' && this.lease.endpoint.consecutiveFailures === 0;
  }

  /** False once another process may hold the lease. */
  get holdsLease(): boolean {
    return this.lease.isValid && !this.isReleasing;
  }

  /** Notifies the worker that there may be new work. */
  notify(): void {
    this.hasNewWork = true;
    this.wakeSignal.notify();
  }

  /** Starts no more attempts; those in flight finish and their outcomes are written. */
  stop(): void {
    this.isStopping = true;
    this.wakeSignal.notify();
  }

  /** Ends when there is nothing left to send, the lease is lost, or the worker was stopped. */
  async run(): Promise<void> {
    this.lease.startRenewing();
    try {
      while (this.mayStart && (await this.runOnce())) {
        await this.pause();
        await this.linger();
      }
    } catch (error) {
      this.abort(error);
    }
    while (!this.pool.isIdle) await this.pause();
    this.pool.dropWaiting();
    this.lease.stopRenewing();
    if (this.isStopping && !this.hasFailed) await this.handOver();
  }

  private get mayStart(): boolean {
    return !this.isStopping && !this.hasFailed && this.lease.isValid;
  }

  private pause(): Promise<void> {
    return this.wakeSignal.wait(this.ctx.config.WEBHOOK_POLL_MS);
  }

  /**
   * Waits before the next read of an endpoint for which every attempt was read: one query serves all events of that time,
   * and the lease is neither released nor claimed for each of them.
   */
  private async linger(): Promise<void> {
    const waitMs = this.lingersUntil - performance.now();
    if (this.allPending && waitMs > 0 && this.host.mayLinger()) await sleep(waitMs);
  }

  /** @returns false if there is nothing left to do here. */
  private async runOnce(): Promise<boolean> {
    const isBetweenProbes = this.health === 'unresponsive' && this.pool.isIdle && this.pool.hasProbed;
    const mustYield = isBetweenProbes && this.host.mustYield();
    const { capacity } = this.pool;
    if (capacity === 0 && !mustYield) return true;
    // Read before the query: an attempt that ends meanwhile may schedule a retry that the query missed.
    const except = new Set(this.pool.attemptIds);
    const hasSentAll = except.size === 0 && this.allPending?.unsentCount === 0 && !this.hasNewWork;
    if (hasSentAll && (await this.releaseAfterAll())) return false;
    const endpoint = await this.readEndpoint();
    if (!endpoint) return false;
    if (mustYield) return !(await this.releaseLease(endpoint, new Date(Date.now() + UNRESPONSIVE_PAUSE_MS)));
    if (this.ctx.pendingCounter.isDue(endpoint)) void this.ctx.pendingCounter.correctCount(endpoint);
    if (!endpoint.enabled) {
      const acceptedCount = await this.cancelDisabled(endpoint, except);
      if (acceptedCount === null) return true;
      if (acceptedCount === 0) return except.size > 0 || !(await this.releaseLease(endpoint, null));
    }
    const missingKeyId = this.ctx.secrets.findMissingKeyId(endpoint.secrets);
    if (missingKeyId !== null) return this.waitForKey(endpoint, missingKeyId);
    this.lingersUntil = performance.now() + LINGER_MS * (0.5 + Math.random());
    this.hasNewWork = false;
    const pending = await this.ctx.attempts.findPending(endpoint._id, { except, limit: capacity });
    const malformed = pending.filter((attempt) => !isWellFormed(attempt));
    if (malformed.length > 0) return this.rejectAttempts(malformed);
    const dropped = pending.filter((attempt) => !acceptsAttempt(endpoint, attempt));
    const now = new Date();
    const due = pending.filter((attempt) => attempt.dueAt <= now && !dropped.includes(attempt));
    this.oldestDueAt = due[0]?.dueAt;
    if (dropped.length > 0) await this.cancelAttempts(dropped);
    else if (due.length > 0) {
      const isAll = pending.length < capacity && due.length === pending.length;
      this.allPending = isAll ? { endpoint, unsentCount: except.size + due.length } : undefined;
      this.pool.addAttempts(due);
    } else return except.size > 0 || !(await this.releaseLease(endpoint, pending[0]?.dueAt ?? null));
    return true;
  }

  /** Returns the endpoint as of the claim in the first round, and as it is now in the others. */
  private readEndpoint(): Promise<Endpoint | null> {
    const claimed = this.hasReadEndpoint ? null : this.lease.recentEndpoint;
    this.hasReadEndpoint = true;
    return claimed ? Promise.resolve(claimed) : this.lease.readEndpoint();
  }

  /** Releases the endpoint without another query for attempts. @returns false if work was added meanwhile. */
  private releaseAfterAll(): Promise<boolean> {
    const { endpoint } = this.allPending!;
    this.allPending = undefined;
    return this.releaseLease(endpoint, null);
  }

  /** Sends an attempt once there is room for it, and writes its outcome. */
  private async deliver(attempt: Attempt): Promise<void> {
    try {
      const outcome = await this.pool.runDelivery(() => this.send(attempt));
      if (outcome) await this.outcomes.writeOutcome(attempt, outcome);
      // A failed attempt may have a successor, so that another query is needed.
      if (outcome?.failure !== null) this.allPending = undefined;
      else if (this.allPending) this.allPending.unsentCount -= 1;
    } catch (error) {
      this.abort(error);
    }
  }

  /** @returns null if it was not sent: the worker must stop, or the endpoint has changed or needs a missing key. */
  private async send(attempt: Attempt): Promise<Outcome | null> {
    const { metrics, sender } = this.ctx;
    const endpoint = this.mayStart ? (this.lease.recentEndpoint ?? (await this.lease.readEndpoint())) : null;
    if (!endpoint || !acceptsAttempt(endpoint, attempt)) return null;
    if (this.ctx.secrets.findMissingKeyId(endpoint.secrets) !== null) return null;
    if (attempt.number === 1) metrics.startDelay.observe((Date.now() - attempt.happenedAt.getTime()) / 1000);
    const secrets = this.signingSecretsOf(endpoint);
    const message = { url: endpoint.url, secrets, id: attempt.eventId, body: attempt.body! };
    return secrets.length > 0 ? sender.postMessage(message) : missingSecret();
  }

  /** Opens the secrets once per read of the endpoint: for each attempt it would cost as much as the signature. */
  private signingSecretsOf(endpoint: Endpoint): string[] {
    if (this.openedSecrets?.sealed !== endpoint.secrets) {
      const texts = this.ctx.secrets.openValidSecrets(endpoint.secrets, endpoint, new Date());
      this.openedSecrets = { sealed: endpoint.secrets, texts };
    }
    return this.openedSecrets.texts;
  }

  private async rejectAttempts(attempts: Attempt[]): Promise<true> {
    const attempt_ids = attempts.map(({ _id }) => _id);
    this.ctx.log.error({ endpoint_id: this.lease.token.endpointId, attempt_ids }, 'attempts could not be read');
    const error = { type: 'blocked', message: 'The stored delivery could not be read.' } as const;
    await this.ctx.attempts.rejectUnreadable(attempts, error);
    this.wakeSignal.notify();
    return true;
  }

  /**
   * Cancels attempts of a disabled endpoint.
   * @returns null if there may be more to cancel, otherwise the number of those that a user requested
   */
  private async cancelDisabled(endpoint: Endpoint, except: ReadonlySet<string>): Promise<number | null> {
    // The bodies of all that are cancelled at once would be megabytes, which no limit of bytes counts.
    const options = { except, limit: CANCELLED_AT_ONCE, withBodies: false };
    this.hasNewWork = false;
    const pending = await this.ctx.attempts.findPending(endpoint._id, options);
    const malformed = pending.filter((attempt) => !isWellFormed({ ...attempt, body: '' }));
    const dropped = pending.filter((attempt) => !acceptsAttempt(endpoint, attempt));
    if (malformed.length > 0) await this.rejectAttempts(malformed);
    else if (dropped.length > 0) await this.cancelAttempts(dropped);
    else return pending.length;
    return null;
  }

  private async cancelAttempts(attempts: Attempt[]): Promise<void> {
    await this.ctx.attempts.cancelAttempts(attempts, { type: 'blocked', message: 'The endpoint was disabled.' });
    this.wakeSignal.notify();
  }

  /** Leaves the attempts to a process that has the key. @returns false once the endpoint is released. */
  private async waitForKey({ wakeNo }: Endpoint, keyId: string): Promise<boolean> {
    this.pool.dropWaiting();
    if (!this.pool.isIdle) return true;
    return !(await this.release(this.ctx.leases.releaseForKey(this.lease.token, wakeNo, keyId)));
  }

  /** Releases the endpoint until `dueAt`. @returns false if work arrived meanwhile. */
  private releaseLease({ wakeNo }: Endpoint, dueAt: Date | null): Promise<boolean> {
    return this.release(this.ctx.leases.releaseLease(this.lease.token, wakeNo, dueAt));
  }

  private async release(released: Promise<boolean>): Promise<boolean> {
    this.isReleasing = true;
    this.isReleasing = await released;
    if (!this.isReleasing) this.wakeSignal.notify();
    return this.isReleasing;
  }

  private abort(error: unknown): void {
    this.hasFailed = true;
    this.lease.expire();
    const level = isOutage(error) ? 'debug' : 'error';
    this.ctx.log[level]({ err: error, endpoint_id: this.lease.token.endpointId }, 'endpoint worker failed');
  }

  private async handOver(): Promise<void> {
    try {
      await this.ctx.leases.handOverLease(this.lease.token);
    } catch (error) {
      this.abort(error);
    }
  }
}

/** A failed attempt like any other: it is retried, and the owner of the endpoint sees the reason. */
const missingSecret = (): Outcome => ({
  ...{ startedAt: new Date(), durationMs: 0, statusCode: null, response: null, retryAfterMs: null },
  failure: {
    type: 'blocked',
    message: 'The signing secret could not be read. Rotate it: PATCH with rotate_secret true.',
  },
});
