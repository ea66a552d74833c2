import { AUTHORIZE_BATCH_MAX, type AuthorizeResponse, type AuthorizeRequest } from '@waymark/contract/authorize';
import { unavailable, tooManyRequests } from '@waymark/kernel/errors';
import type { Metrics } from '@waymark/kernel/process/metrics';
import { Budget, type BudgetOwner } from '../limits/budget.js';

/** Concurrent calls to auth: while all are in progress, new requests wait for the next batch. */
export const CALLS_MAX = 2;
const PENDING_MAX = 2000;
/** Limit of one caller (a user or an address), so that no caller can fill the queue. */
export const PENDING_PER_CALLER = 500;

type DecidedResponse = Exclude<AuthorizeResponse, { outcome: 'unavailable' }>;

interface PendingRequest {
  request: AuthorizeRequest;
  resolve: (response: DecidedResponse) => void;
  reject: (error: Error) => void;
  timeout: NodeJS.Timeout;
  release: () => void;
  isDone: boolean;
}

/**
 * Asks auth to authorize each request, and batches those that arrive together. Auth is asked only after the request has
 * arrived, and each response is used once, so a revocation applies to every request that starts after it.
 */
export class AuthorizeBatcher {
  private pending: PendingRequest[] = [];
  private callCount = 0;
  private isScheduled = false;
  private readonly budget = new Budget(PENDING_MAX);
  private readonly failures;

  constructor(
    private readonly sendBatch: (requests: AuthorizeRequest[]) => Promise<AuthorizeResponse[]>,
    private readonly timeoutMs: number,
    metrics: Metrics,
  ) {
    this.failures = metrics.counter('authorize_failures_total', 'Requests rejected because auth did not respond', [
      'reason',
    ]);
  }

  /**
   * @param owners the callers whose part of the queue the request takes
   * @throws AppError `service_unavailable` when auth gives no valid answer in time (fails closed);
   * `rate_limit_exceeded` when an owner has too many pending requests
   */
  authorizeRequest(question: AuthorizeRequest, owners: readonly BudgetOwner[]): Promise<DecidedResponse> {
    const outcome = this.budget.tryReserve(owners);
    if (outcome === 'owner_full') {
      return Promise.reject(tooManyRequests('Too many requests at the same time. Try again later.', 1));
    }
    return new Promise((resolve, reject) => {
      const timeout = setTimeout(
        () => this.failRequest(entry, 'timeout', new Error('auth did not answer in time')),
        this.timeoutMs,
      );
      const release = () => outcome === 'reserved' && this.budget.releaseAmount(owners);
      const entry: PendingRequest = { request: question, resolve, reject, timeout, release, isDone: false };
      if (outcome === 'full') return this.failRequest(entry, 'overload', new Error('too many requests wait for auth'));
      this.pending.push(entry);
      this.scheduleCall();
    });
  }

  /** Waits for the end of this turn of the event loop, to batch the requests that arrive in it. */
  private scheduleCall(): void {
    if (this.isScheduled || this.callCount >= CALLS_MAX || this.pending.length === 0) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      void this.callAuth();
    });
  }

  private async callAuth(): Promise<void> {
    this.pending = this.pending.filter(({ isDone }) => !isDone);
    const batch = this.pending.splice(0, AUTHORIZE_BATCH_MAX);
    if (batch.length === 0) return;
    this.callCount += 1;
    this.scheduleCall();
    try {
      const responses = await this.sendBatch(batch.map(({ request: question }) => question));
      batch.forEach((entry, index) => this.settleRequest(entry, responses[index]!));
    } catch (error) {
      batch.forEach((entry) => this.failRequest(entry, 'error', error));
    }
    this.callCount -= 1;
    this.scheduleCall();
  }

  private settleRequest(entry: PendingRequest, response: AuthorizeResponse): void {
    if (response.outcome === 'unavailable')
      return this.failRequest(entry, 'error', new Error('auth could not authorize the request'));
    if (this.endRequest(entry)) entry.resolve(response);
  }

  private failRequest(entry: PendingRequest, reason: string, cause: unknown): void {
    if (!this.endRequest(entry)) return;
    this.failures.inc({ reason });
    entry.reject(unavailable(cause));
  }

  private endRequest(entry: PendingRequest): boolean {
    if (entry.isDone) return false;
    entry.isDone = true;
    clearTimeout(entry.timeout);
    entry.release();
    return true;
  }
}
