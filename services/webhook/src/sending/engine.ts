import type { Bell } from '@waymark/shared/kernel/bell';
import { keepWorking, type WorkParts } from '@waymark/shared/kernel/keep-working';
import { Courier, type SendingContext } from './courier.js';

/** Endpoints that one process sends to at a time; what is above it is left to others or to later. */
const COURIERS_MAX = 1000;

/** Finds endpoints that something is due for, and gives each a courier. */
export class Engine {
  private readonly couriers = new Map<string, { courier: Courier; done: Promise<void> }>();
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

  /** When the longest waiting attempt of those that this process sends was due. */
  get waitingSince(): Date | null {
    const times = [...this.couriers.values()].flatMap(({ courier }) => courier.waitingSince ?? []);
    return times.length === 0 ? null : new Date(Math.min(...times.map(Number)));
  }

  private async stop(): Promise<void> {
    for (const { courier } of this.couriers.values()) courier.stop();
    await Promise.all([...this.couriers.values()].map(({ done }) => done));
  }

  /** @returns false when nothing is due that nobody holds. */
  private async claimOne(): Promise<boolean> {
    if (!this.ctx.mayStart() || this.couriers.size >= COURIERS_MAX) return false;
    const endpoint = await this.ctx.leases.claim([...this.couriers.keys()]);
    if (!endpoint) return false;
    const courier = new Courier(this.ctx, endpoint);
    const done = courier.run().finally(() => {
      this.couriers.delete(endpoint._id);
      // Work may have come for this endpoint while its courier was leaving.
      this.bell?.ring();
    });
    this.couriers.set(endpoint._id, { courier, done });
    return true;
  }
}
