import { runPeriodically } from '@waymark/kernel/async/run-periodically';
import type { Signal } from '@waymark/kernel/async/signal';
import type { WorkerContext } from '@waymark/kernel/process/lifecycle';
import type { Metrics } from '@waymark/kernel/process/metrics';
import type { Endpoint } from '../endpoints/endpoint.js';
import { IN_FLIGHT_MAX, type DispatchContext } from './context.js';
import { EndpointWorker } from './endpoint-worker.js';

/** Twice as many as can send at a time: more would only wait here while other processes could send to their endpoints. */
const WORKERS_MAX = 2 * IN_FLIGHT_MAX;

interface RunningWorker {
  worker: EndpointWorker;
  ended: Promise<void>;
}

/** Finds endpoints with due attempts, and starts a worker for each. */
export class Dispatcher {
  private readonly workers = new Map<string, RunningWorker>();
  /** Includes workers whose endpoint another worker has taken over. */
  private readonly running = new Set<RunningWorker>();
  private wakeSignal?: Signal;

  constructor(private readonly ctx: DispatchContext) {}

  /** @param intervalMs how often it looks for endpoints that have become due */
  start(runtime: WorkerContext, intervalMs: number): void {
    // Stops in reverse order: the dispatcher claims no more endpoints when the workers stop.
    runtime.lifecycle.onStop('webhook endpoint workers', () => this.stopWorkers());
    this.wakeSignal = runPeriodically(runtime, {
      name: 'webhook dispatcher',
      intervalMs,
      runOnce: () => this.startWorker(),
    });
  }

  registerGauges(metrics: Metrics): void {
    metrics.gauge('webhook_in_flight', 'Deliveries being sent', () =>
      [...this.running].reduce((sum, { worker }) => sum + worker.inFlight, 0),
    );
    metrics.gauge(
      'webhook_oldest_due_seconds',
      'How long an attempt for an endpoint that does not fail has been due',
      () => this.findOldestDueSeconds(),
    );
  }

  /** Notifies the workers of endpoints that have new work due now. */
  notifyWorkers(endpointIds: string[]): void {
    for (const id of endpointIds) this.workers.get(id)?.worker.notify();
    this.wakeSignal?.notify();
  }

  /** When the longest waiting attempt here was due; excludes failing and slow endpoints, which delay themselves. */
  private get oldestDueAt(): Date | null {
    const times = [...this.workers.values()].flatMap(({ worker }) => (worker.isSteady && worker.oldestDueAt) || []);
    return times.length === 0 ? null : new Date(Math.min(...times.map(Number)));
  }

  private async findOldestDueSeconds(): Promise<number> {
    const now = Date.now();
    const since = [this.oldestDueAt, await this.ctx.leases.findOldestUnclaimedDueAt(new Date(now))];
    return Math.max(0, ...since.map((time) => (time ? (now - time.getTime()) / 1000 : 0)));
  }

  private async stopWorkers(): Promise<void> {
    for (const { worker } of this.running) worker.stop();
    await Promise.all([...this.running].map(({ ended }) => ended));
  }

  /** @returns false if no unleased endpoint is due, or this process can take no more. */
  private async startWorker(): Promise<boolean> {
    if (!this.ctx.canSend() || this.workers.size >= WORKERS_MAX) return false;
    const claimedAt = performance.now();
    const endpoint = await this.ctx.leases.claimEndpoint(this.endpointsWithoutLease);
    if (!endpoint) return false;
    this.runWorker(endpoint, claimedAt);
    return true;
  }

  private runWorker(endpoint: Endpoint, claimedAt: number): void {
    // Released after `endpointsWithoutLease` was read, or lost by a clock jump: the previous worker is about to end.
    const previous = this.workers.get(endpoint._id)?.ended;
    const worker = new EndpointWorker(this.ctx, { endpoint, claimedAt });
    const run = previous ? previous.then(() => worker.run()) : worker.run();
    const running = { worker, ended: run.finally(() => this.removeWorker(endpoint._id, running)) };
    this.workers.set(endpoint._id, running);
    this.running.add(running);
  }

  private removeWorker(endpointId: string, running: RunningWorker): void {
    this.running.delete(running);
    if (this.workers.get(endpointId) === running) this.workers.delete(endpointId);
    // Work may have arrived for this endpoint while its worker was ending.
    this.wakeSignal?.notify();
  }

  /** The endpoints that another process may claim while a worker of this process is still busy with them. */
  private get endpointsWithoutLease(): string[] {
    return [...this.workers].filter(([, { worker }]) => !worker.holdsLease).map(([id]) => id);
  }
}
