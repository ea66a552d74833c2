import { setTimeout as sleep } from 'node:timers/promises';
import { webhookDisabled } from '@waymark/contract/events';
import { isOutage } from '@waymark/kernel/errors';
import type { Transaction } from '@waymark/kernel/mongo/database';
import { isTest, nextAttempt, type Attempt } from '../deliveries/attempt.js';
import { acceptsAttempt, eventPartsOf, type Endpoint } from '../endpoints/endpoint.js';
import type { FailedOutcome, Outcome } from '../http/post-message.js';
import type { DispatchContext } from './context.js';
import type { EndpointLease } from './endpoint-lease.js';

const RETRY_WRITE_MS = 500;
const GONE = 410;
const JITTER = 0.2;
const RETRY_AFTER_MAX_MS = 24 * 3600 * 1000;
/** One failure after a quiet time says little: with this many attempts, a delivery has failed for half an hour. */
const ATTEMPTS_BEFORE_DISABLING = 4;

/** An endpoint whose attempts have all failed for this long is disabled. */
export const DISABLE_AFTER_MS = 5 * 24 * 3600 * 1000;

interface Failed {
  attempt: Attempt;
  outcome: FailedOutcome;
}

/** Writes the outcomes of one endpoint's attempts; retries while the database is unreachable. */
export class OutcomeWriter {
  /** Failures of one endpoint change one document, so they are written one after another. */
  private lastFailure: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly ctx: Pick<
      DispatchContext,
      'config' | 'log' | 'db' | 'attempts' | 'leases' | 'successWriter' | 'metrics' | 'disableAfterMs'
    >,
    private readonly lease: EndpointLease,
    private readonly isStopping: () => boolean,
  ) {}

  /** Writes how an attempt ended, and updates the endpoint; lets the lease expire if another process has it. */
  async writeOutcome(attempt: Attempt, outcome: Outcome): Promise<void> {
    this.logOutcome(attempt, outcome);
    if (outcome.failure === null) await this.writeSuccess(attempt, outcome);
    else await this.writeFailure({ attempt, outcome });
  }

  private async writeSuccess(attempt: Attempt, outcome: Outcome): Promise<void> {
    const { _id, consecutiveFailures } = this.lease.endpoint;
    await this.retryOutages(() => this.ctx.successWriter.submit({ attempt, outcome }));
    if (consecutiveFailures > 0) await this.retryOutages(() => this.ctx.leases.clearFailures(_id));
    this.lease.updateFailureCount(0);
  }

  private async writeFailure(failed: Failed): Promise<void> {
    await this.retryOutages(() => this.ctx.attempts.storeResponses([failed]));
    if (isTest(failed.attempt)) {
      await this.retryOutages(() => this.ctx.attempts.markFailed({ ...failed, next: null }));
      return;
    }
    const written = this.lastFailure.then(() => this.retryOutages(() => this.endFailedAttempt(failed)));
    this.lastFailure = written.catch(() => undefined);
    const endpoint = await written;
    if (endpoint) this.lease.updateFailureCount(endpoint.consecutiveFailures);
    else this.lease.expire();
  }

  /**
   * Ends a failed attempt, schedules the next, and disables an endpoint that keeps failing, in one transaction.
   * @returns the endpoint after it, or null if the lease is no longer valid; then nothing is written.
   */
  private endFailedAttempt({ attempt, outcome }: Failed): Promise<Endpoint | null> {
    const { config, db, attempts, leases } = this.ctx;
    const failedAt = new Date(outcome.startedAt.getTime() + outcome.durationMs);
    return db.transaction(async (tx) => {
      const endpoint = await leases.countFailure(this.lease.token, tx.session);
      if (!endpoint) return null;
      const reason = endpoint.enabled ? reasonToDisable(this.ctx, endpoint, { attempt, outcome }) : null;
      const isRetried = reason === null && acceptsAttempt(endpoint, { createdAt: attempt.createdAt });
      const { retryAfterMs } = outcome;
      const failure = { attemptNumber: attempt.number, failedAt, retryAfterMs };
      const dueAt = isRetried ? nextDueAt(config.WEBHOOK_RETRY_SCHEDULE, failure) : null;
      await attempts.markFailed({ attempt, outcome, next: dueAt && nextAttempt(attempt, dueAt) }, tx.session);
      if (reason === null) return endpoint;
      await this.disableEndpoint(tx, endpoint, reason);
      return { ...endpoint, enabled: false };
    });
  }

  private async disableEndpoint(tx: Transaction, endpoint: Endpoint, reason: string): Promise<void> {
    await this.ctx.leases.disableEndpoint(endpoint._id, endpoint.lastFailedAt!, tx.session);
    const { data, target } = eventPartsOf(endpoint);
    const changes = { enabled: { from: true, to: false }, reason: { from: null, to: reason } };
    tx.emit(webhookDisabled.create({ workspace: endpoint.workspace }, data, { target, changes }));
  }

  private async retryOutages<T>(write: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (!isOutage(error) || this.isStopping()) throw error;
        await sleep(RETRY_WRITE_MS);
      }
    }
  }

  private logOutcome(attempt: Attempt, outcome: Outcome): void {
    const line = {
      endpoint_id: attempt.endpointId,
      workspace: attempt.workspace,
      delivery_id: attempt.deliveryId,
      event_id: attempt.eventId,
      attempt: attempt.number,
      status_code: outcome.statusCode,
      outcome: outcome.failure?.type ?? 'succeeded',
      duration_ms: outcome.durationMs,
    };
    this.ctx.metrics.attempts.inc({ outcome: line.outcome });
    this.ctx.log[outcome.failure ? 'info' : 'debug'](line, 'delivery attempt');
  }
}

/** Both times are the database's, so a process whose clock is ahead disables no endpoint. */
function reasonToDisable(
  { config, disableAfterMs }: Pick<DispatchContext, 'config' | 'disableAfterMs'>,
  endpoint: Endpoint,
  { attempt, outcome }: Failed,
): string | null {
  if (outcome.statusCode === GONE) return 'The endpoint answered 410 Gone.';
  const failingMs = Number(endpoint.lastFailedAt) - Number(endpoint.failingSince);
  const attemptsMin = Math.min(ATTEMPTS_BEFORE_DISABLING, config.WEBHOOK_RETRY_SCHEDULE.length + 1);
  const isDisabled = failingMs >= disableAfterMs && attempt.number >= attemptsMin;
  return isDisabled ? `Every attempt since ${endpoint.failingSince?.toISOString()} failed.` : null;
}

interface Failure {
  attemptNumber: number;
  failedAt: Date;
  /** The pause that the receiver requested. */
  retryAfterMs: number | null;
}

/**
 * Returns when the attempt after this one is due, or null after the last one. `pauses` are the seconds between
 * attempts, each varied by up to a fifth; a receiver can request a longer one, up to a day.
 */
export function nextDueAt(pauses: readonly number[], { attemptNumber, failedAt, retryAfterMs }: Failure): Date | null {
  const pause = pauses[attemptNumber - 1];
  if (pause === undefined) return null;
  const plannedMs = pause * 1000 * (1 + JITTER * (2 * Math.random() - 1));
  const requestedMs = Math.min(retryAfterMs ?? 0, RETRY_AFTER_MAX_MS);
  return new Date(failedAt.getTime() + Math.max(plannedMs, requestedMs));
}
