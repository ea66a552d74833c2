import { runPeriodically } from '@waymark/kernel/async/run-periodically';
import type { WorkerContext } from '@waymark/kernel/process/lifecycle';
import type { Signal } from '@waymark/kernel/async/signal';
import type { Endpoint } from '../endpoints/endpoint.js';
import type { EndpointHealth } from './concurrency-pools.js';
import type { DispatchContext } from './context.js';
import { PROBE_AFTER_FAILURES } from './delivery-pool.js';
import { EndpointWorker } from './endpoint-worker.js';
import type { BusyTenants } from './lease-store.js';

/**
 * Healthy endpoints per permit in their pool: more would only wait here while other processes could send to them. As
 * many workers serve unresponsive endpoints, which take turns.
 */
const WORKERS_PER_PERMIT = 2;
/** One workspace has at most a quarter of them, and so has one user who created endpoints. */
const TENANT_SHARE = 4;
/** Workers keep their place for events that are yet to come while less than a quarter of the places is taken. */
const LINGERING_SHARE = 4;

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
  /** How many more unresponsive endpoints this process may hold. */
  private unresponsiveRoom = 0;

  constructor(private readonly ctx: DispatchContext) {}

  start(runtime: WorkerContext): void {
    // Stops in reverse order: the dispatcher claims no more endpoints when the workers stop.
    runtime.lifecycle.onStop('webhook endpoint workers', () => this.stopWorkers());
    this.wakeSignal = runPeriodically(runtime, {
      name: 'webhook dispatcher',
      intervalMs: this.ctx.config.WEBHOOK_POLL_MS,
      runOnce: () => this.startWorker(),
    });
  }

  /** Notifies the workers of endpoints that have new work due now. */
  notifyWorkers(endpointIds: string[]): void {
    for (const id of endpointIds) this.workers.get(id)?.worker.notify();
    this.wakeSignal?.notify();
  }

  /** When the longest waiting attempt here was due; excludes failing and slow endpoints, which delay themselves. */
  get oldestDueAt(): Date | null {
    const times = [...this.workers.values()].flatMap(({ worker }) => (worker.isSucceeding && worker.oldestDueAt) || []);
    return times.length === 0 ? null : new Date(Math.min(...times.map(Number)));
  }

  /** Many endpoints with few events each take turns instead. */
  mayLinger(): boolean {
    return this.workers.size < this.workersMax / LINGERING_SHARE;
  }

  private get workersMax(): number {
    return this.ctx.config.WEBHOOK_IN_FLIGHT_MAX * WORKERS_PER_PERMIT;
  }

  private async stopWorkers(): Promise<void> {
    for (const { worker } of this.running) worker.stop();
    await Promise.all([...this.running].map(({ ended }) => ended));
  }

  /** @returns false if no unleased endpoint is due, or this process can take no more. */
  private async startWorker(): Promise<boolean> {
    if (!this.ctx.canSend()) return false;
    const { workersMax } = this;
    // Slow and unresponsive endpoints do not count: they leave room for others.
    const healthy = this.workersOf('healthy');
    if (healthy.length >= workersMax) return false;
    const busy = busyTenants(healthy, Math.ceil(workersMax / TENANT_SHARE));
    this.unresponsiveRoom = workersMax - this.workersOf('unresponsive').length;
    const failuresMax = this.unresponsiveRoom > 0 ? Infinity : PROBE_AFTER_FAILURES - 1;
    const except = this.endpointsWithoutLease;
    const claimedAt = performance.now();
    const endpoint = await this.ctx.leases.claimEndpoint({ except, busy, failuresMax });
    if (!endpoint) return false;
    this.runWorker(endpoint, claimedAt);
    return true;
  }

  private runWorker(endpoint: Endpoint, claimedAt: number): void {
    // Released after `except` was read, or lost by a clock jump: the previous worker is about to end.
    const previous = this.workers.get(endpoint._id)?.ended;
    const worker = new EndpointWorker(this.ctx, { endpoint, claimedAt }, this);
    const run = previous ? previous.then(() => worker.run()) : worker.run();
    const running = { worker, ended: run.finally(() => this.removeWorker(endpoint._id, running)) };
    this.workers.set(endpoint._id, running);
    this.running.add(running);
  }

  /** @returns true if the worker of an unresponsive endpoint must end for another that waits */
  mustYield(): boolean {
    if (this.unresponsiveRoom > 0) return false;
    this.unresponsiveRoom += 1;
    return true;
  }

  private removeWorker(endpointId: string, running: RunningWorker): void {
    this.running.delete(running);
    if (this.workers.get(endpointId) === running) this.workers.delete(endpointId);
    // Work may have arrived for this endpoint while its worker was ending.
    this.wakeSignal?.notify();
  }

  private workersOf(health: EndpointHealth): EndpointWorker[] {
    return [...this.workers.values()].map(({ worker }) => worker).filter((worker) => worker.health === health);
  }

  /** The endpoints that another process may claim while a worker of this process is still busy with them. */
  private get endpointsWithoutLease(): string[] {
    return [...this.workers].filter(([, { worker }]) => !worker.holdsLease).map(([id]) => id);
  }
}

/** Returns the tenants that have at least this many of the workers. */
function busyTenants(workers: readonly EndpointWorker[], countMin: number): BusyTenants {
  const withEnough = (tenants: readonly (string | null | undefined)[]): string[] => {
    const counts = new Map<string, number>();
    for (const tenant of tenants) if (tenant) counts.set(tenant, (counts.get(tenant) ?? 0) + 1);
    return [...counts].filter(([, count]) => count >= countMin).map(([tenant]) => tenant);
  };
  return {
    workspaces: withEnough(workers.map(({ endpoint }) => endpoint.workspace)),
    users: withEnough(workers.map(({ endpoint }) => endpoint.createdBy)),
  };
}
