import { webhookDisabled } from '@waymark/contract/events';
import type { Database, Transaction } from '@waymark/kernel/mongo/database';
import type { WebhookConfig } from '../config.js';
import { attemptAfter, type Attempt } from '../deliveries/attempt.js';
import type { AttemptStore } from '../deliveries/attempt-store.js';
import { eventPartsOf, takesScheduledAt, type Endpoint } from '../endpoints/endpoint.js';
import type { Outcome } from '../outbound/post.js';
import type { EndpointLeases, Lease } from './endpoint-leases.js';
import { nextDueAt } from './retry-schedule.js';

const GONE = 410;
/** One failure after a quiet time says little: with this many attempts, a delivery has failed for half an hour. */
const TRIED_BEFORE_DISABLING = 4;

interface RecordContext {
  config: WebhookConfig;
  db: Database;
  attempts: AttemptStore;
  leases: EndpointLeases;
}

export type FailedOutcome = Extract<Outcome, { retryAfterMs: number | null }>;

/**
 * Ends a failed attempt, schedules the next, and disables an endpoint that keeps failing, in one transaction.
 * @returns the endpoint after it, or null if the lease is no longer valid; then nothing is written.
 */
export async function recordFailure(
  ctx: RecordContext,
  lease: Lease,
  attempt: Attempt,
  outcome: FailedOutcome,
): Promise<Endpoint | null> {
  const failedAt = new Date(outcome.startedAt.getTime() + outcome.durationMs);
  return ctx.db.transaction(async (tx) => {
    const endpoint = await ctx.leases.countFailure(lease, tx.session);
    if (!endpoint) return null;
    const reason = endpoint.enabled ? reasonToDisable(ctx.config, endpoint, attempt, outcome) : null;
    const goesOn = reason === null && takesScheduledAt(endpoint, attempt.createdAt);
    const dueAt = goesOn
      ? nextDueAt(ctx.config.WEBHOOK_RETRY_SCHEDULE, attempt.number, failedAt, outcome.retryAfterMs)
      : null;
    await ctx.attempts.fail(attempt, outcome, dueAt && attemptAfter(attempt, dueAt), tx.session);
    if (reason === null) return endpoint;
    await disable(ctx, tx, endpoint, reason);
    return { ...endpoint, enabled: false };
  });
}

/** Both times are the database's, so a process whose clock is ahead disables no endpoint. */
function reasonToDisable(
  config: WebhookConfig,
  endpoint: Endpoint,
  { number }: Attempt,
  outcome: FailedOutcome,
): string | null {
  if (outcome.statusCode === GONE) return 'The endpoint answered 410 Gone.';
  const failingMs = Number(endpoint.lastFailedAt) - Number(endpoint.failingSince);
  const limitMs = config.WEBHOOK_DISABLE_AFTER_SECONDS * 1000;
  const isTried = number >= Math.min(TRIED_BEFORE_DISABLING, config.WEBHOOK_RETRY_SCHEDULE.length + 1);
  return failingMs >= limitMs && isTried ? `Every attempt since ${endpoint.failingSince?.toISOString()} failed.` : null;
}

async function disable(ctx: RecordContext, tx: Transaction, endpoint: Endpoint, reason: string): Promise<void> {
  await ctx.leases.disable(endpoint._id, endpoint.lastFailedAt!, tx.session);
  const { data, target } = eventPartsOf(endpoint);
  const changes = { enabled: { from: true, to: false }, reason: { from: null, to: reason } };
  tx.emit(webhookDisabled.create({ workspace: endpoint.workspace }, data, { target, changes }));
}
