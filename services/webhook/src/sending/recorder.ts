import { setTimeout as sleep } from 'node:timers/promises';
import { isOutage } from '@waymark/kernel/errors';
import { isTest, type Attempt } from '../deliveries/attempt.js';
import type { Endpoint } from '../endpoints/endpoint.js';
import type { Outcome } from '../outbound/post.js';
import type { SendingContext } from './courier.js';
import type { Lease } from './endpoint-leases.js';
import { recordFailure, type FailedOutcome } from './record-failure.js';

const RECORD_AGAIN_MS = 500;

/** Records the outcomes of one endpoint's attempts; retries while the database is unreachable. */
export class Recorder {
  /** Failures of one endpoint change one document, so they are written one after another. */
  private lastFailure: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly ctx: SendingContext,
    private readonly lease: Lease,
    private readonly isStopping: () => boolean,
  ) {}

  /** @returns the number of failures since the last success, or null if the lease is no longer valid. */
  async record(endpoint: Endpoint, attempt: Attempt, outcome: Outcome): Promise<number | null> {
    this.tell(attempt, outcome);
    if (outcome.failure !== null) {
      await this.throughOutages(() => this.ctx.attempts.keepResponses([{ attempt, outcome }]));
      return isTest(attempt) ? this.testFailed(endpoint, attempt, outcome) : this.failed(attempt, outcome);
    }
    await this.throughOutages(() => this.ctx.successes.add({ attempt, outcome }));
    if (endpoint.consecutiveFailures > 0) {
      await this.throughOutages(() => this.ctx.leases.clearFailures(endpoint._id));
    }
    return 0;
  }

  private async failed(attempt: Attempt, outcome: FailedOutcome): Promise<number | null> {
    const recorded = this.lastFailure.then(() =>
      this.throughOutages(() => recordFailure(this.ctx, this.lease, attempt, outcome)),
    );
    this.lastFailure = recorded.catch(() => undefined);
    return (await recorded)?.consecutiveFailures ?? null;
  }

  private async testFailed(endpoint: Endpoint, attempt: Attempt, outcome: FailedOutcome): Promise<number> {
    await this.throughOutages(() => this.ctx.attempts.fail(attempt, outcome, null));
    return endpoint.consecutiveFailures;
  }

  private async throughOutages<T>(write: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (!isOutage(error) || this.isStopping()) throw error;
        await sleep(RECORD_AGAIN_MS);
      }
    }
  }

  private tell(attempt: Attempt, outcome: Outcome): void {
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
