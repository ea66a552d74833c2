import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { runPeriodically, type SkipItem } from '@waymark/kernel/async/run-periodically';
import { unavailable } from '@waymark/kernel/errors';
import type { WorkerContext } from '@waymark/kernel/process/lifecycle';
import type { HttpClientOptions } from './http-client.js';
import type { Message, Outcome } from './post-message.js';
import { batchByTurn, type SendRequest, type SendResult } from './sender-messages.js';

/** A thread runs compiled code, even if tests run the sources. */
const THREAD = join(__dirname.replace(/webhook\/src\/http$/, 'webhook/dist/http'), 'sender-thread.js');

/** Holds as many messages as the process; a heap limit in `NODE_OPTIONS` replaces it. */
const HEAP_MB = { maxOldGenerationSizeMb: 240, maxYoungGenerationSizeMb: 48 };

/** An attempt ends a second after its time limit at the latest; a busy machine may need longer. */
const STUCK_AFTER_MS = 10_000;

/** A thread that fails sooner is replaced after a pause, which grows. */
const STEADY_AFTER_MS = 60_000;

/** Only passes when the process stops: otherwise a round lasts for as long as its thread. */
const POLL_MS = 1000;

interface Pending {
  startedAt: Date;
  resolve: (outcome: Outcome) => void;
  reject: (error: Error) => void;
}

/**
 * Sends messages in one thread of its own: what receivers make TLS, HTTP and DNS compute does not delay the thread of the
 * events, the API and the database. A thread that fails or gets stuck is replaced, and its messages have failed: they are
 * retried like any other, so that an endpoint whose receiver makes threads fail is called ever less often.
 */
export class Sender {
  private readonly pending = new Map<number, Pending>();
  private lastId = 0;
  /** Messages for the next thread, while there is none. */
  private readonly waiting: SendRequest[] = [];
  private readonly addWaiting = (request: SendRequest): void => void this.waiting.push(request);
  private addRequest = this.addWaiting;
  private worker: Worker | null = null;
  private isStopping = false;

  constructor(
    private readonly options: HttpClientOptions,
    private readonly steadyAfterMs = STEADY_AFTER_MS,
  ) {}

  start({ log, lifecycle }: WorkerContext): void {
    runPeriodically(
      { log, lifecycle },
      { name: 'webhook sender', intervalMs: POLL_MS, isEndless: true, runOnce: (skipItem) => this.runThread(skipItem) },
    );
    // Stops in reverse order: the thread has ended when the work stops.
    lifecycle.onStop('webhook sender thread', () => this.stop());
  }

  /** False while a thread that failed is not yet replaced. */
  get isReady(): boolean {
    return this.worker !== null;
  }

  /**
   * Sends one message; while there is no thread, it waits for the next one.
   * @throws AppError (`service_unavailable`) if the process stops before there is an outcome
   */
  postMessage(message: Message): Promise<Outcome> {
    if (this.isStopping) return Promise.reject(unavailable());
    return new Promise((resolve, reject) => {
      this.lastId += 1;
      this.pending.set(this.lastId, { startedAt: new Date(), resolve, reject });
      this.addRequest([this.lastId, message]);
    });
  }

  /**
   * Starts a thread and waits for its end.
   * @returns true to start another at once
   * @throws Error if it fails soon
   */
  private async runThread(skipItem: SkipItem): Promise<boolean> {
    const startedAt = performance.now();
    try {
      if (!this.isStopping) await this.waitForEnd(this.startThread());
    } catch (error) {
      if (performance.now() - startedAt < this.steadyAfterMs) throw error;
      skipItem(error, {}, 'the thread that sends messages has failed');
      return true;
    }
    return false;
  }

  private startThread(): Worker {
    const worker = new Worker(THREAD, { workerData: this.options, resourceLimits: HEAP_MB });
    // The one that ends the thread is reported by `once`; a stuck thread may have another later.
    worker.on('error', () => undefined);
    worker.on('message', (results: SendResult[]) => this.resolveAll(results));
    this.worker = worker;
    this.addRequest = batchByTurn((requests) => worker.postMessage(requests));
    for (const request of this.waiting.splice(0)) this.addRequest(request);
    return worker;
  }

  /** @throws Error if it ends before the stop, or is stuck */
  private async waitForEnd(worker: Worker): Promise<void> {
    const stuck = new AbortController();
    const watch = this.watchProgress(() =>
      stuck.abort(new Error('a message has no outcome long after its time limit')),
    );
    try {
      const [code] = (await once(worker, 'exit', { signal: stuck.signal })) as [number];
      if (!this.isStopping) throw new Error(`the thread that sends messages has ended with ${code}`);
    } finally {
      clearInterval(watch);
      void worker.terminate();
      this.worker = null;
      this.addRequest = this.addWaiting;
      this.endAll();
    }
  }

  /** Looks three times: after a pause of the whole process, the outcomes may wait to be read. */
  private watchProgress(onStuck: () => void): NodeJS.Timeout {
    let oldestId: number | undefined;
    let unchanged = 0;
    return setInterval(
      () => {
        const [id] = this.pending.keys();
        unchanged = id !== undefined && id === oldestId ? unchanged + 1 : 0;
        oldestId = id;
        if (unchanged === 2) onStuck();
      },
      (this.options.timeoutMs + STUCK_AFTER_MS) / 2,
    );
  }

  private resolveAll(results: readonly SendResult[]): void {
    for (const [id, outcome] of results) {
      this.pending.get(id)?.resolve(outcome);
      this.pending.delete(id);
    }
  }

  private endAll(): void {
    for (const { startedAt, resolve, reject } of this.pending.values()) {
      if (this.isStopping) reject(unavailable());
      else resolve(interrupted(startedAt));
    }
    this.pending.clear();
  }

  private async stop(): Promise<void> {
    this.isStopping = true;
    if (this.worker) await this.worker.terminate();
    else this.endAll();
  }
}

/** The receiver may have the message. */
const interrupted = (startedAt: Date): Outcome => ({
  ...{ startedAt, durationMs: Date.now() - startedAt.getTime(), statusCode: null, response: null, retryAfterMs: null },
  failure: { type: 'connection', message: 'The connection was interrupted.' },
});
