import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { runPeriodically } from '@waymark/kernel/async/run-periodically';
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

/** Only passes when the process stops: otherwise a round lasts for as long as its thread, and fails with it. */
const POLL_MS = 1000;

interface Pending {
  resolve: (outcome: Outcome) => void;
  reject: (error: Error) => void;
}

/**
 * Sends messages in one thread of its own: what receivers make TLS, HTTP and DNS compute does not delay the thread of the
 * events, the API and the database. A thread that fails or gets stuck is replaced. Its messages then have no outcome,
 * as after the end of the process: the attempts stay pending, and the leases of their endpoints expire.
 */
export class Sender {
  private readonly pending = new Map<number, Pending>();
  private lastId = 0;
  private thread: { worker: Worker; addRequest: (request: SendRequest) => void } | null = null;
  private isStopping = false;

  constructor(private readonly options: HttpClientOptions) {}

  start({ log, lifecycle }: WorkerContext): void {
    runPeriodically(
      { log, lifecycle },
      { name: 'webhook sender', intervalMs: POLL_MS, runOnce: () => this.runThread() },
    );
    // Stops in reverse order: the thread has ended when the work stops.
    lifecycle.onStop('webhook sender thread', () => this.stop());
  }

  /** False while a thread that failed is not yet replaced. */
  get isReady(): boolean {
    return this.thread !== null;
  }

  /**
   * Sends one message; the outcome is about the receiver.
   * @throws AppError (`service_unavailable`) if the thread ends before there is an outcome
   */
  postMessage(message: Message): Promise<Outcome> {
    const { thread } = this;
    if (!thread) return Promise.reject(unavailable());
    return new Promise((resolve, reject) => {
      this.lastId += 1;
      this.pending.set(this.lastId, { resolve, reject });
      thread.addRequest([this.lastId, message]);
    });
  }

  /** Starts a thread and waits for its end. @throws Error if it ends before the stop, or is stuck */
  private async runThread(): Promise<false> {
    if (this.isStopping) return false;
    const worker = new Worker(THREAD, { workerData: this.options, resourceLimits: HEAP_MB });
    // The one that ends the round is reported by `once`; a stuck thread may have another later.
    worker.on('error', () => undefined);
    worker.on('message', (results: SendResult[]) => this.resolveAll(results));
    this.thread = { worker, addRequest: batchByTurn((requests) => worker.postMessage(requests)) };
    const stuck = new AbortController();
    const watch = this.watchProgress(() =>
      stuck.abort(new Error('a message has no outcome long after its time limit')),
    );
    try {
      const [code] = (await once(worker, 'exit', { signal: stuck.signal })) as [number];
      if (!this.isStopping) throw new Error(`the thread that sends messages has ended with ${code}`);
      return false;
    } finally {
      clearInterval(watch);
      void worker.terminate();
      this.thread = null;
      this.rejectAll();
    }
  }

  private watchProgress(onStuck: () => void): NodeJS.Timeout {
    let oldestId: number | undefined;
    return setInterval(() => {
      if (oldestId !== undefined && this.pending.has(oldestId)) onStuck();
      [oldestId] = this.pending.keys();
    }, this.options.timeoutMs + STUCK_AFTER_MS);
  }

  private resolveAll(results: readonly SendResult[]): void {
    for (const [id, outcome] of results) {
      this.pending.get(id)?.resolve(outcome);
      this.pending.delete(id);
    }
  }

  private rejectAll(): void {
    for (const { reject } of this.pending.values()) reject(unavailable());
    this.pending.clear();
  }

  private async stop(): Promise<void> {
    this.isStopping = true;
    await this.thread?.worker.terminate();
  }
}
