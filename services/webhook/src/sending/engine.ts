import type { Signal } from '@waymark/kernel/async/signal';
import { runPeriodically, type WorkerParts } from '@waymark/kernel/async/run-periodically';
import type { Endpoint } from '../endpoints/endpoint.js';
import { Courier, type SendingContext } from './courier.js';
import { PROBE_AFTER_FAILURES } from './sender.js';

/**
 * Prompt endpoints per place in their pool: more would only wait here while other processes could send to them. As many
 * workers serve dead endpoints, which take turns.
 */
const COURIERS_PER_PLACE = 2;
/** One workspace has at most a quarter of them. */
const SHARE_OF_A_WORKSPACE = 4;

interface Sending {
  courier: Courier;
  done: Promise<void>;
}

/** Finds endpoints with due attempts, and starts a worker for each. */
export class Engine {
  private readonly couriers = new Map<string, Sending>();
  /** Includes workers whose endpoint another worker has taken over. */
  private readonly sendings = new Set<Sending>();
  private wakeSignal?: Signal;
  /** How many more dead endpoints this process may hold. */
  private deadRoom = 0;

  constructor(private readonly ctx: SendingContext) {}

  start(parts: WorkerParts): void {
    // Stops in reverse order: the engine claims no more endpoints when the workers stop.
    parts.lifecycle.onStop('webhook couriers', () => this.stop());
    const everyMs = this.ctx.config.WEBHOOK_POLL_MS;
    this.wakeSignal = runPeriodically(parts, {
      name: 'webhook engine',
      intervalMs: everyMs,
      runOnce: () => this.claimOne(),
    });
  }

  /** Notifies the workers of endpoints that have new work due now. */
  wake(endpointIds: string[]): void {
    for (const id of endpointIds) this.couriers.get(id)?.courier.nudge();
    this.wakeSignal?.notify();
  }

  /** When the longest waiting attempt here was due; excludes failing and slow endpoints, which delay themselves. */
  get waitingSince(): Date | null {
    const times = [...this.couriers.values()].flatMap(({ courier }) => (courier.isWell && courier.waitingSince) || []);
    return times.length === 0 ? null : new Date(Math.min(...times.map(Number)));
  }

  private async stop(): Promise<void> {
    for (const { courier } of this.sendings) courier.stop();
    await Promise.all([...this.sendings].map(({ done }) => done));
  }

  /** @returns false if no unleased endpoint is due, or this process can take no more. */
  private async claimOne(): Promise<boolean> {
    if (!this.ctx.mayStart()) return false;
    const promptOf = this.promptCouriers();
    const couriersMax = this.ctx.config.WEBHOOK_IN_FLIGHT_MAX * COURIERS_PER_PLACE;
    if ([...promptOf.values()].reduce((sum, count) => sum + count, 0) >= couriersMax) return false;
    const share = Math.ceil(couriersMax / SHARE_OF_A_WORKSPACE);
    const busyWorkspaces = [...promptOf].filter(([, count]) => count >= share).map(([workspace]) => workspace);
    this.deadRoom = couriersMax - [...this.couriers.values()].filter(({ courier }) => courier.isDead).length;
    const failuresMax = this.deadRoom > 0 ? Infinity : PROBE_AFTER_FAILURES - 1;
    const endpoint = await this.ctx.leases.claim({ except: this.lapsed, busyWorkspaces, failuresMax });
    if (!endpoint) return false;
    this.send(endpoint);
    return true;
  }

  private send(endpoint: Endpoint): void {
    // Released after `lapsed` was read, or lost by a clock jump: the previous worker is about to end.
    const previous = this.couriers.get(endpoint._id)?.done;
    const courier = new Courier(this.ctx, endpoint, () => this.makeRoomForDead());
    const run = previous ? previous.then(() => courier.run()) : courier.run();
    const sending = { courier, done: run.finally(() => this.ended(endpoint._id, sending)) };
    this.couriers.set(endpoint._id, sending);
    this.sendings.add(sending);
  }

  /** @returns true if the worker of a dead endpoint must leave for another that waits. */
  private makeRoomForDead(): boolean {
    if (this.deadRoom > 0) return false;
    this.deadRoom += 1;
    return true;
  }

  private ended(endpointId: string, sending: Sending): void {
    this.sendings.delete(sending);
    if (this.couriers.get(endpointId) === sending) this.couriers.delete(endpointId);
    // Work may have arrived for this endpoint while its worker was leaving.
    this.wakeSignal?.notify();
  }

  /** Counts by workspace. Slow or dead endpoints do not count: they leave room for others. */
  private promptCouriers(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { courier } of this.couriers.values()) {
      if (courier.isPrompt) counts.set(courier.workspace, (counts.get(courier.workspace) ?? 0) + 1);
    }
    return counts;
  }

  /** The endpoints that another process may claim while a worker of this process is still busy with them. */
  private get lapsed(): string[] {
    return [...this.couriers].filter(([, { courier }]) => !courier.holdsLease).map(([id]) => id);
  }
}
