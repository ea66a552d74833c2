import { setTimeout as sleep } from 'node:timers/promises';
import { isOutage, isTimeLimitExceeded } from '@waymark/kernel/errors';
import type { Attempt } from '../deliveries/attempt.js';
import { acceptsAttempt, type Endpoint } from '../endpoints/endpoint.js';
import { postMessage, type Outcome } from '../http/post-message.js';
import type { DispatchContext } from './context.js';
import { EndpointLease, type ClaimedEndpoint } from './endpoint-lease.js';
import { OutcomeWriter } from './outcome-writer.js';

/** An endpoint whose last answer took longer gets one delivery at a time: it would keep places that others need. */
const SLOW_MS = 5000;
/**
 * After this many consecutive failures an endpoint gets one delivery per second until one succeeds: writing the failure of
 * its whole backlog would cost the database time that other endpoints need.
 */
const PROBE_AFTER_FAILURES = 10;
const PROBE_PAUSE_MS = 1000;
/** Attempts read longer ago are read again: a requested one goes first. The batch doubles while all are sent in time. */
const READ_AGE_MAX_MS = 1000;
const READ_FACTOR_MAX = 16;
const CANCELLED_AT_ONCE = 500;
/**
 * The average time from a read that found every attempt to the next read or the release: one query and one lease serve all
 * events of that time. It varies at random, so that the endpoints of one event are not read together.
 */
const LINGER_MS = 200;
/** An endpoint whose backlog is really large is counted this rarely. */
const COUNT_PAUSE_MS = 10_000;

/**
 * Sends the attempts of one endpoint, for as long as it holds the lease and there are attempts to send: it reads the
 * next ones, sends them, writes their outcomes, and reads again. Attempts without an outcome stay pending in the store for
 * the next holder.
 */
export class EndpointWorker {
  private readonly lease: EndpointLease;
  private readonly outcomes: OutcomeWriter;
  private openedSecrets?: { sealed: Endpoint['secrets']; texts: string[] };
  /** The writes of outcomes in progress, by attempt: the store still has these as pending. */
  private readonly unwritten = new Map<string, Promise<void>>();
  /** When the oldest attempt that was due at the last read was due. */
  oldestDueAt?: Date;
  /** Deliveries being sent now. */
  inFlight = 0;
  /** How many attempts the next read has at most. */
  private readMax: number;
  private hasAnswered = false;
  private isSlow = false;
  /** False until the endpoint was read again after the claim. */
  private hasReadEndpoint = false;
  /** Whether this process has added work since the last query for attempts. */
  private hasNewWork = false;
  /** By `performance.now()`. */
  private countAgainAt = -Infinity;
  private isReleasing = false;
  private isStopping = false;
  private hasFailed = false;

  constructor(
    private readonly ctx: DispatchContext,
    claimed: ClaimedEndpoint,
  ) {
    this.lease = new EndpointLease(ctx.leases, claimed);
    this.outcomes = new OutcomeWriter(ctx, this.lease, () => this.isStopping);
    this.readMax = ctx.endpointConcurrency;
  }

  /** True while the endpoint answers in time and does not fail. */
  get isSteady(): boolean {
    return !this.isSlow && this.lease.endpoint.consecutiveFailures === 0;
  }

  /** False once another process may hold the lease. */
  get holdsLease(): boolean {
    return this.lease.isValid && !this.isReleasing;
  }

  /** Notifies the worker that there may be new work. */
  notify(): void {
    this.hasNewWork = true;
  }

  /** Starts no more attempts; those in flight finish and their outcomes are written. */
  stop(): void {
    this.isStopping = true;
  }

  /** Ends when there is nothing left to send, the lease is lost, or the worker was stopped. */
  async run(): Promise<void> {
    this.lease.startRenewing();
    try {
      while (this.mayStart && (await this.runOnce()));
      if (this.isStopping && this.holdsLease) await this.releaseAfter(0);
    } catch (error) {
      this.abort(error);
    }
    await this.finishWrites();
    this.lease.stopRenewing();
  }

  private get mayStart(): boolean {
    return !this.isStopping && !this.hasFailed && this.lease.isValid;
  }

  /** @returns whether to continue */
  private async runOnce(): Promise<boolean> {
    const endpoint = await this.readEndpoint();
    if (!endpoint) return false;
    await this.correctPendingCount(endpoint);
    if (!endpoint.enabled && (await this.cancelAll(endpoint))) return true;
    const missingKeyId = this.ctx.secrets.findMissingKeyId(endpoint.secrets);
    if (missingKeyId !== null) return this.releaseForKey(endpoint, missingKeyId);

    // Nothing is read ahead for a slow or failing endpoint: an attempt that a user requests goes first.
    const limit = this.isSteady ? this.readMax : 1;
    const readAt = performance.now();
    this.hasNewWork = false;
    if (this.unwritten.size >= limit) await this.finishWrites();
    const except = new Set(this.unwritten.keys());
    const pending = await this.ctx.attempts.findPending(endpoint._id, { except, limit });
    const dropped = pending.filter((attempt) => !acceptsAttempt(endpoint, attempt));
    if (dropped.length > 0) return this.cancelAttempts(dropped);
    const now = new Date();
    const due = pending.filter(({ dueAt }) => dueAt <= now);
    this.oldestDueAt = due[0]?.dueAt;
    if (due.length === 0) return this.releaseLease(endpoint, pending[0]?.dueAt ?? null);

    const haveAllSucceeded = await this.sendAll(due, readAt);
    this.setReadMax(readAt);
    const isProbing = !haveAllSucceeded && this.lease.endpoint.consecutiveFailures >= PROBE_AFTER_FAILURES;
    if (isProbing) return this.releaseAfter(PROBE_PAUSE_MS);
    const isAll = haveAllSucceeded && pending.length < limit && due.length === pending.length;
    return isAll ? this.lingerAndRelease(endpoint, readAt) : true;
  }

  /** Returns the endpoint as of the claim in the first round, and as it is now in the others. */
  private readEndpoint(): Promise<Endpoint | null> {
    const claimed = this.hasReadEndpoint ? null : this.lease.recentEndpoint;
    this.hasReadEndpoint = true;
    return claimed ? Promise.resolve(claimed) : this.lease.readEndpoint();
  }

  /** Counts the pending attempts when their estimate, which only grows while there is work, comes near the limit. */
  private async correctPendingCount(endpoint: Endpoint): Promise<void> {
    const { pendingMax, attempts, leases } = this.ctx;
    const highCount = pendingMax / 2;
    if ((endpoint.pendingCount ?? 0) < highCount || performance.now() < this.countAgainAt) return;
    try {
      const count = await attempts.countPending(endpoint._id, pendingMax);
      await leases.correctPendingCount(this.lease.token, endpoint, count);
      if (count < highCount) return;
    } catch (error) {
      if (!isTimeLimitExceeded(error)) throw error;
    }
    this.countAgainAt = performance.now() + COUNT_PAUSE_MS;
  }

  /** Cancels attempts of a disabled endpoint but those that a user requested. @returns false if there was none */
  private async cancelAll(endpoint: Endpoint): Promise<boolean> {
    await this.finishWrites();
    const options = { limit: CANCELLED_AT_ONCE, withBodies: false };
    const pending = await this.ctx.attempts.findPending(endpoint._id, options);
    const dropped = pending.filter((attempt) => !acceptsAttempt(endpoint, attempt));
    return dropped.length > 0 && this.cancelAttempts(dropped);
  }

  private async cancelAttempts(attempts: Attempt[]): Promise<true> {
    await this.ctx.attempts.cancelAttempts(attempts, { type: 'blocked', message: 'The endpoint was disabled.' });
    return true;
  }

  private async finishWrites(): Promise<void> {
    await Promise.all(this.unwritten.values());
  }

  /** Sends attempts, as many at a time as the endpoint may get now, until one fails. @returns true if all succeeded */
  private async sendAll(attempts: readonly Attempt[], readAt: number): Promise<boolean> {
    const sending = new Set<Promise<void>>();
    let successCount = 0;
    const send = async (attempt: Attempt) => {
      const outcome = await this.trySend(attempt);
      if (!outcome) return;
      const written = this.write(attempt, outcome);
      // Failures are counted before more is sent: what may be sent depends on them.
      if (outcome.failure) await written;
      else successCount += 1;
    };
    for (const [index, attempt] of attempts.entries()) {
      while (sending.size >= this.concurrency) await Promise.race(sending);
      if (!this.mayStart || (index > 0 && !this.mayContinue(readAt))) break;
      const sent: Promise<void> = send(attempt).finally(() => sending.delete(sent));
      sending.add(sent);
    }
    await Promise.all(sending);
    return successCount === attempts.length;
  }

  /** One until the first answer, so that an endpoint that never answers takes one place from others. */
  private get concurrency(): number {
    return this.isSteady && this.hasAnswered ? this.ctx.endpointConcurrency : 1;
  }

  /** Sends an attempt once its receiver's host and its workspace have a place for it. @returns null if it was not sent */
  private async trySend(attempt: Attempt): Promise<Outcome | null> {
    const { hostLimit, workspaceLimit } = this.ctx;
    const { url, workspace } = this.lease.endpoint;
    try {
      return await hostLimit.run(hostNameOf(url), () => workspaceLimit.run(workspace, () => this.send(attempt)));
    } catch (error) {
      this.abort(error);
      return null;
    }
  }

  /** @returns null if it was not sent: the worker must stop, or the endpoint has changed or needs a missing key. */
  private async send(attempt: Attempt): Promise<Outcome | null> {
    const endpoint = this.mayStart ? (this.lease.recentEndpoint ?? (await this.lease.readEndpoint())) : null;
    if (!endpoint || !acceptsAttempt(endpoint, attempt)) return null;
    if (this.ctx.secrets.findMissingKeyId(endpoint.secrets) !== null) return null;
    const { metrics, client } = this.ctx;
    if (attempt.number === 1) metrics.startDelay.observe((Date.now() - attempt.happenedAt.getTime()) / 1000);
    const secrets = this.signingSecretsOf(endpoint);
    if (secrets.length === 0) return missingSecret();
    this.inFlight += 1;
    const outcome = await postMessage(client, { url: endpoint.url, secrets, id: attempt.eventId, body: attempt.body! });
    this.inFlight -= 1;
    this.hasAnswered ||= outcome.statusCode !== null;
    this.isSlow = outcome.durationMs > SLOW_MS;
    return outcome;
  }

  /** Opens the secrets once per read of the endpoint: for each attempt it would cost as much as the signature. */
  private signingSecretsOf(endpoint: Endpoint): string[] {
    if (this.openedSecrets?.sealed !== endpoint.secrets) {
      const texts = this.ctx.secrets.openValidSecrets(endpoint.secrets, endpoint, new Date());
      this.openedSecrets = { sealed: endpoint.secrets, texts };
    }
    return this.openedSecrets.texts;
  }

  private write(attempt: Attempt, outcome: Outcome): Promise<void> {
    const written = this.outcomes
      .writeOutcome(attempt, outcome)
      .catch((error: unknown) => this.abort(error))
      .finally(() => this.unwritten.delete(attempt._id));
    this.unwritten.set(attempt._id, written);
    return written;
  }

  private mayContinue(readAt: number): boolean {
    return this.isSteady && performance.now() - readAt < READ_AGE_MAX_MS;
  }

  private setReadMax(readAt: number): void {
    const { endpointConcurrency: atOnce } = this.ctx;
    this.readMax = this.mayContinue(readAt) ? Math.min(2 * this.readMax, READ_FACTOR_MAX * atOnce) : atOnce;
  }

  /** Releases the endpoint without another query, unless work was added. @returns whether to continue */
  private async lingerAndRelease(endpoint: Endpoint, readAt: number): Promise<boolean> {
    const lingersUntil = readAt + LINGER_MS * (0.5 + Math.random());
    await sleep(Math.max(0, lingersUntil - performance.now()));
    return this.hasNewWork || (await this.releaseLease(endpoint, null));
  }

  /** Releases the endpoint until `dueAt`. @returns whether to continue, because work was added since it was read */
  private releaseLease({ wakeNo }: Endpoint, dueAt: Date | null): Promise<boolean> {
    return this.release(() => this.ctx.leases.releaseLease(this.lease.token, wakeNo, dueAt));
  }

  /** Leaves the attempts to a process that has the key. @returns as `releaseLease` does */
  private releaseForKey({ wakeNo }: Endpoint, keyId: string): Promise<boolean> {
    return this.release(() => this.ctx.leases.releaseForKey(this.lease.token, wakeNo, keyId));
  }

  /**
   * Releases the endpoint, for any process once this time has passed.
   * @returns whether to continue: the next read finds that another process has the lease
   */
  private releaseAfter(afterMs: number): Promise<boolean> {
    return this.release(() => this.ctx.leases.releaseAfter(this.lease.token, afterMs));
  }

  /**
   * Releases the endpoint once all outcomes are written: the next holder must not send what was sent here.
   * @returns whether to continue, because the store did not release it
   */
  private async release(release: () => Promise<boolean>): Promise<boolean> {
    await this.finishWrites();
    if (this.hasFailed) return false;
    this.isReleasing = true;
    this.isReleasing = await release();
    return !this.isReleasing;
  }

  private abort(error: unknown): void {
    this.hasFailed = true;
    this.lease.expire();
    const level = isOutage(error) ? 'debug' : 'error';
    this.ctx.log[level]({ err: error, endpoint_id: this.lease.token.endpointId }, 'endpoint worker failed');
  }
}

/** Omits the port: all ports of a host share its limit. */
const hostNameOf = (url: string): string => new URL(url).hostname.replace(/\.$/, '');

/** A failed attempt like any other: it is retried, and the owner of the endpoint sees the reason. */
const missingSecret = (): Outcome => ({
  ...{ startedAt: new Date(), durationMs: 0, statusCode: null, response: null, retryAfterMs: null },
  failure: {
    type: 'blocked',
    message: 'The signing secret could not be read. Rotate it: PATCH with rotate_secret true.',
  },
});
