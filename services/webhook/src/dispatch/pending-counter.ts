import { isOutage } from '@waymark/kernel/errors';
import type { Endpoint } from '../endpoints/endpoint.js';
import type { DispatchContext } from './context.js';
import type { LeaseToken } from './lease-store.js';

/** Counting pending attempts takes at most this share of the time. */
const COUNTING_SHARE = 1 / 20;

/**
 * Corrects the `pendingCount` of one endpoint, which only grows while there is work, when it comes near the limit. Runs
 * concurrently with the sending; a failure is logged and has no other effect.
 */
export class PendingCounter {
  private countAgainAt = 0;

  constructor(
    private readonly ctx: Pick<DispatchContext, 'config' | 'log' | 'attempts' | 'leases'>,
    private readonly token: LeaseToken,
  ) {}

  isDue({ pendingCount = 0 }: Endpoint): boolean {
    return pendingCount >= this.ctx.config.WEBHOOK_PENDING_MAX / 2 && performance.now() >= this.countAgainAt;
  }

  async correctCount(endpoint: Endpoint): Promise<void> {
    const pendingMax = this.ctx.config.WEBHOOK_PENDING_MAX;
    const startedAt = performance.now();
    let count = pendingMax;
    this.countAgainAt = Infinity;
    try {
      count = await this.ctx.attempts.countPending(endpoint._id, pendingMax);
      await this.ctx.leases.correctPendingCount(this.token, endpoint, count);
    } catch (error) {
      const level = isOutage(error) ? 'debug' : 'error';
      this.ctx.log[level]({ err: error, endpoint_id: endpoint._id }, 'pending attempts not counted');
    }
    const endedAt = performance.now();
    // An endpoint that keeps up is counted again only after half of the limit was added, which is rare enough.
    this.countAgainAt = count < pendingMax / 2 ? endedAt : endedAt + (endedAt - startedAt) / COUNTING_SHARE;
  }
}
