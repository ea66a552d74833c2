import { AUTHORIZE_BATCH_MAX, type AuthorizeResponse, type AuthorizeRequest } from '@waymark/contract/authorize';
import { unavailable, tooManyRequests } from '@waymark/kernel/errors';
import type { Metrics } from '@waymark/kernel/process/metrics';
import { Shares, type Holder } from '../limits/shares.js';

/** Concurrent calls to auth: while all are busy, new questions wait for the next batch. */
export const CALLS_MAX = 2;
const WAITING_MAX = 2000;
/** Limit of one caller (a user or an address), so that none can fill the queue. */
export const WAITING_PER_CALLER = 500;

type Answered = Exclude<AuthorizeResponse, { outcome: 'unavailable' }>;

interface Waiting {
  question: AuthorizeRequest;
  resolve: (answer: Answered) => void;
  reject: (error: Error) => void;
  timeout: NodeJS.Timeout;
  release: () => void;
  isOver: boolean;
}

/**
 * Asks auth about each request and batches questions that arrive together. The gateway sends a question only after its
 * request has arrived and uses the answer once, so a revocation applies to every request that starts after it.
 */
export class QuestionQueue {
  private waiting: Waiting[] = [];
  private calls = 0;
  private isScheduled = false;
  private readonly places = new Shares(WAITING_MAX);
  private readonly failures;

  constructor(
    private readonly askAuth: (questions: AuthorizeRequest[]) => Promise<AuthorizeResponse[]>,
    private readonly timeoutMs: number,
    metrics: Metrics,
  ) {
    this.failures = metrics.counter('authorize_failures_total', 'Requests refused because auth gave no answer', [
      'reason',
    ]);
  }

  /**
   * @param holders the callers whose share of the queue the question takes
   * @throws AppError `service_unavailable` when auth gives no valid answer in time (fails closed);
   * `rate_limit_exceeded` when a holder has too many pending questions
   */
  ask(question: AuthorizeRequest, holders: readonly Holder[]): Promise<Answered> {
    const taken = this.places.tryTake(holders);
    if (taken === 'holder_full') {
      return Promise.reject(tooManyRequests('Too many requests at the same time. Try again later.', 1));
    }
    return new Promise((resolve, reject) => {
      const timeout = setTimeout(() => this.fail(entry, 'timeout', new Error('auth does not answer')), this.timeoutMs);
      const release = () => taken === 'taken' && this.places.release(holders);
      const entry: Waiting = { question, resolve, reject, timeout, release, isOver: false };
      if (taken === 'full') return this.fail(entry, 'overload', new Error('too many questions wait'));
      this.waiting.push(entry);
      this.schedule();
    });
  }

  /** Waits for the end of this turn of the event loop, to batch the questions that arrive in it. */
  private schedule(): void {
    if (this.isScheduled || this.calls >= CALLS_MAX || this.waiting.length === 0) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      void this.call();
    });
  }

  private async call(): Promise<void> {
    this.waiting = this.waiting.filter(({ isOver }) => !isOver);
    const batch = this.waiting.splice(0, AUTHORIZE_BATCH_MAX);
    if (batch.length === 0) return;
    this.calls += 1;
    this.schedule();
    try {
      const answers = await this.askAuth(batch.map(({ question }) => question));
      batch.forEach((entry, index) => this.settle(entry, answers[index]!));
    } catch (error) {
      batch.forEach((entry) => this.fail(entry, 'error', error));
    }
    this.calls -= 1;
    this.schedule();
  }

  private settle(entry: Waiting, answer: AuthorizeResponse): void {
    if (answer.outcome === 'unavailable') return this.fail(entry, 'error', new Error('auth has no answer'));
    if (this.end(entry)) entry.resolve(answer);
  }

  private fail(entry: Waiting, reason: string, cause: unknown): void {
    if (!this.end(entry)) return;
    this.failures.inc({ reason });
    entry.reject(unavailable(cause));
  }

  private end(entry: Waiting): boolean {
    if (entry.isOver) return false;
    entry.isOver = true;
    clearTimeout(entry.timeout);
    entry.release();
    return true;
  }
}
