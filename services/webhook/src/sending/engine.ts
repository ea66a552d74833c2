import type { Bell } from '@waymark/shared/kernel/bell';
import { keepWorking, type WorkParts } from '@waymark/shared/kernel/keep-working';
import type { Endpoint } from '../endpoints/endpoint.js';
import { Courier, type SendingContext } from './courier.js';
import { PROBE_AFTER_FAILURES } from './sender.js';

/**
 * Endpoints that answer in time, for each place in their pool: more would only wait here for what others could send. There
 * are as many couriers for dead ones, who take turns.
 */
const COURIERS_PER_PLACE = 2;
/** Of those one workspace has at most a quarter. */
const SHARE_OF_A_WORKSPACE = 4;

interface Sending {
  courier: Courier;
  done: Promise<void>;
}

/** Finds endpoints that something is due for, and gives each a courier. */
export class Engine {
  private readonly couriers = new Map<string, Sending>();
  /** With those whose endpoint another courier has by now. */
  private readonly sendings = new Set<Sending>();
  private bell?: Bell;
  /** How many dead endpoints more there is memory for. */
  private deadRoom = 0;

  constructor(private readonly ctx: SendingContext) {}

  start(parts: WorkParts): void {
    // Stopped in reverse: no endpoint is claimed any more when the couriers are told to come to an end.
    parts.lifecycle.onStop('webhook couriers', () => this.stop());
    const everyMs = this.ctx.config.WEBHOOK_POLL_MS;
    this.bell = keepWorking(parts, { name: 'webhook engine', everyMs, doSome: () => this.claimOne() });
  }

  /** These endpoints have new work that is due now. */
  wake(endpointIds: string[]): void {
    for (const id of endpointIds) this.couriers.get(id)?.courier.nudge();
    this.bell?.ring();
  }

  /** When the longest waiting attempt of those that this process sends was due; who fails or is slow waits for itself. */
  get waitingSince(): Date | null {
    const times = [...this.couriers.values()].flatMap(({ courier }) => (courier.isWell && courier.waitingSince) || []);
    return times.length === 0 ? null : new Date(Math.min(...times.map(Number)));
  }

  private async stop(): Promise<void> {
    for (const { courier } of this.sendings) courier.stop();
    await Promise.all([...this.sendings].map(({ done }) => done));
  }

  /** @returns false when nothing is due that nobody holds. */
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
    // Given back after the list was made, or taken from this process by a clock that jumped: its courier comes to an end.
    const previous = this.couriers.get(endpoint._id)?.done;
    const courier = new Courier(this.ctx, endpoint, () => this.makeRoomForDead());
    const run = previous ? previous.then(() => courier.run()) : courier.run();
    const sending = { courier, done: run.finally(() => this.ended(endpoint._id, sending)) };
    this.couriers.set(endpoint._id, sending);
    this.sendings.add(sending);
  }

  /** @returns true when a courier of a dead endpoint is to leave, for another that waits. */
  private makeRoomForDead(): boolean {
    if (this.deadRoom > 0) return false;
    this.deadRoom += 1;
    return true;
  }

  private ended(endpointId: string, sending: Sending): void {
    this.sendings.delete(sending);
    if (this.couriers.get(endpointId) === sending) this.couriers.delete(endpointId);
    // Work may have come for this endpoint while its courier was leaving.
    this.bell?.ring();
  }

  /** By workspace. Endpoints that are slow or dead do not count: they leave room for others. */
  private promptCouriers(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { courier } of this.couriers.values()) {
      if (courier.isPrompt) counts.set(courier.workspace, (counts.get(courier.workspace) ?? 0) + 1);
    }
    return counts;
  }

  /** The endpoints that somebody may claim while a courier of this process is still busy with them. */
  private get lapsed(): string[] {
    return [...this.couriers].filter(([, { courier }]) => !courier.holdsLease).map(([id]) => id);
  }
}
