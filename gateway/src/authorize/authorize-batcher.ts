import { AUTHORIZE_BATCH_MAX, type AuthorizeResponse, type AuthorizeRequest } from '@waymark/contract/authorize';
import { Batcher } from '@waymark/kernel/async/batcher';
import { withTimeout } from '@waymark/kernel/with-timeout';
import { unavailable, type AppError } from '@waymark/kernel/errors';
import type { UnservedRequests } from './unserved-requests.js';
import type { Metrics } from '@waymark/kernel/process/metrics';

/** Concurrent calls to auth: while all are in progress, new requests wait for the next batch. */
export const CALLS_MAX = 2;

type DecidedResponse = Exclude<AuthorizeResponse, { outcome: 'unavailable' }>;
type FailureReason = 'timeout' | 'error';

interface PendingRequest {
  request: AuthorizeRequest;
  hasTimedOut: boolean;
}

interface Calling {
  sendBatch: (requests: AuthorizeRequest[]) => Promise<AuthorizeResponse[]>;
  /** How long a request waits. */
  timeoutMs: number;
  unserved: Pick<UnservedRequests, 'note'>;
}

/**
 * Asks auth to authorize each request, and batches those that arrive together. It calls auth only after the request has
 * arrived, and each response is used once, so a revocation applies to every request that starts after it.
 */
export class AuthorizeBatcher {
  private readonly calls = new Batcher((batch: PendingRequest[]) => this.callAuth(batch), {
    itemsMax: AUTHORIZE_BATCH_MAX,
    concurrency: CALLS_MAX,
  });
  private readonly failures;

  constructor(
    private readonly calling: Calling,
    metrics: Metrics,
  ) {
    this.failures = metrics.counter('authorize_failures_total', 'Requests rejected because auth did not respond', [
      'reason',
    ]);
  }

  /** @throws AppError `service_unavailable` when auth gives no valid answer in time (fails closed) */
  async authorizeRequest(request: AuthorizeRequest): Promise<DecidedResponse> {
    const pending = { request, hasTimedOut: false };
    try {
      const response = await withTimeout(this.calling.timeoutMs, this.calls.submit(pending), () => {
        pending.hasTimedOut = true;
        return new Error('auth did not answer in time');
      });
      if (response.outcome === 'unavailable') throw new Error('auth could not authorize the request');
      return response;
    } catch (error) {
      throw this.failure(pending.hasTimedOut ? 'timeout' : 'error', error);
    }
  }

  private async callAuth(batch: PendingRequest[]): Promise<(pending: PendingRequest) => AuthorizeResponse> {
    const asked = batch.filter(({ hasTimedOut }) => !hasTimedOut);
    const responses = asked.length === 0 ? [] : await this.calling.sendBatch(asked.map(({ request }) => request));
    const responseOf = new Map(asked.map((pending, index) => [pending, responses[index]!]));
    for (const [{ hasTimedOut }, response] of responseOf) if (hasTimedOut) this.noteLate(response);
    return (pending) => responseOf.get(pending) ?? { outcome: 'unavailable' };
  }

  /** Auth may count a request whose client has been answered 503 already. */
  private noteLate(response: AuthorizeResponse): void {
    if (response.outcome === 'authenticated' && response.limit?.entry) this.calling.unserved.note(response.limit.entry);
  }

  private failure(reason: FailureReason, cause: unknown): AppError {
    this.failures.inc({ reason });
    return unavailable(cause);
  }
}
