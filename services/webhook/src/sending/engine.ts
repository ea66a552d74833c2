import type { Bell } from '@waymark/shared/kernel/bell';
import { keepWorking, type WorkParts } from '@waymark/shared/kernel/keep-working';
import type { Endpoint } from '../endpoints/endpoint.js';
import { Courier, type SendingContext } from './courier.js';

/** Endpoints that answer in time, for each place in their lane: more would only wait here for what others could send. */
const COURIERS_PER_PLACE = 2;

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
    if (!this.ctx.mayStart() || !this.hasRoom) return false;
    const endpoint = await this.ctx.leases.claim(this.lapsed);
    if (!endpoint) return false;
    this.send(endpoint);
    return true;
  }

  private send(endpoint: Endpoint): void {
    // Given back after the list was made, or taken from this process by a clock that jumped: its courier comes to an end.
    const previous = this.couriers.get(endpoint._id)?.done;
    const courier = new Courier(this.ctx, endpoint);
    const run = previous ? previous.then(() => courier.run()) : courier.run();
    const sending = { courier, done: run.finally(() => this.ended(endpoint._id, sending)) };
    this.couriers.set(endpoint._id, sending);
    this.sendings.add(sending);
  }

  private ended(endpointId: string, sending: Sending): void {
    this.sendings.delete(sending);
    if (this.couriers.get(endpointId) === sending) this.couriers.delete(endpointId);
    // Work may have come for this endpoint while its courier was leaving.
    this.bell?.ring();
  }

  /** Endpoints that are slow or dead count for nothing: any number of them leaves room for others. */
  private get hasRoom(): boolean {
    const prompt = [...this.couriers.values()].filter(({ courier }) => courier.isPrompt);
    return prompt.length < this.ctx.config.WEBHOOK_IN_FLIGHT_MAX * COURIERS_PER_PLACE;
  }

  /** The endpoints that somebody may claim while a courier of this process is still busy with them. */
  private get lapsed(): string[] {
    return [...this.couriers].filter(([, { courier }]) => !courier.holdsLease).map(([id]) => id);
  }
}
