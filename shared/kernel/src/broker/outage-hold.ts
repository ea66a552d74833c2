import { setTimeout as sleep } from 'node:timers/promises';
import { withTimeout } from '../with-timeout.js';
import type { Broker } from './connection.js';

const BACKOFF_MIN_MS = 100;
const BACKOFF_MAX_MS = 5000;
/** An outage that lasts longer while the servers answer is a handler that never ends in time. */
const HOLD_MAX_MS = 2 * 60_000;
const PING_TIMEOUT_MS = 2000;

/** A server whose availability can be checked. */
export interface Pingable {
  ping(): Promise<void>;
}

/** Holds one batch while a server seems to be unavailable. */
export class OutageHold {
  private backoffMs = BACKOFF_MIN_MS;
  private readonly startedAt = Date.now();

  constructor(
    private readonly parts: { broker: Broker; db?: Pingable },
    private readonly holdMaxMs = HOLD_MAX_MS,
  ) {}

  /**
   * Waits before the next try.
   * @returns true once the batch was held too long although the servers answer: it must let other messages pass
   */
  async isOver(): Promise<boolean> {
    await sleep(this.backoffMs);
    this.backoffMs = Math.min(this.backoffMs * 2, BACKOFF_MAX_MS);
    return Date.now() - this.startedAt >= this.holdMaxMs && (await this.areServersUp());
  }

  private async areServersUp(): Promise<boolean> {
    const { broker, db } = this.parts;
    if (!db || !broker.isReadyToPublish) return false;
    const pinged = withTimeout(PING_TIMEOUT_MS, db.ping(), () => new Error('no answer'));
    return pinged.then(
      () => true,
      () => false,
    );
  }
}
