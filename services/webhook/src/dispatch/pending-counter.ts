import { KeyedLimit } from '@waymark/kernel/limits/keyed-limit';
import { isTemporary } from '@waymark/kernel/errors';
import type { Log } from '@waymark/kernel/process/log';
import type { WebhookConfig } from '../config.js';
import type { AttemptStore } from '../deliveries/attempt-store.js';
import { tenantsOf, type Endpoint } from '../endpoints/endpoint.js';
import type { LeaseStore, LeaseToken } from './lease-store.js';

/** Counting the pending attempts of one endpoint takes at most this share of the time. */
const COUNTING_SHARE = 1 / 20;
/**
 * One endpoint at a time: a count may read `WEBHOOK_PENDING_MAX` attempts, on the connections that replays use too.
 * The users who created endpoints take turns. An endpoint whose turn does not come is counted after a later read.
 */
const COUNTS = { total: 1, waitingMax: 500 };

interface CounterContext {
  config: Pick<WebhookConfig, 'WEBHOOK_PENDING_MAX'>;
  log: Log;
  attempts: AttemptStore;
  leases: LeaseStore;
}

type CountedEndpoint = Pick<Endpoint, '_id' | 'workspace' | 'createdBy' | 'leaseNo' | 'pendingCount'>;

/**
 * Corrects the `pendingCount` of endpoints, which only grows while there is work, when it comes near the limit. One
 * counter serves all workers of this process. Runs concurrently with the sending; a failure is logged and has no other
 * effect.
 */
export class PendingCounter {
  private readonly counts = new KeyedLimit(COUNTS);
  /**
   * By endpoint, also while no worker serves it; Infinity until its count has ended. Each count removes the times that have
   * passed, so it holds the endpoints that wait and about 20 that rest.
   */
  private readonly countAgainAt = new Map<string, number>();

  constructor(private readonly ctx: CounterContext) {}

  isDue({ _id, pendingCount = 0 }: CountedEndpoint): boolean {
    const countAgainAt = this.countAgainAt.get(_id) ?? -Infinity;
    return pendingCount >= this.ctx.config.WEBHOOK_PENDING_MAX / 2 && performance.now() >= countAgainAt;
  }

  async correctCount(counted: CountedEndpoint): Promise<void> {
    const { _id, leaseNo } = counted;
    this.countAgainAt.set(_id, Infinity);
    let restMs = 0;
    try {
      restMs = await this.counts.run(tenantsOf(counted).at(-1)!, () => this.countPending({ endpointId: _id, leaseNo }));
    } catch (error) {
      this.logFailure(_id, error);
    }
    this.setRest(_id, restMs);
  }

  /** @returns for how long the endpoint is not counted again */
  private async countPending(token: LeaseToken): Promise<number> {
    const { config, attempts, leases } = this.ctx;
    const startedAt = performance.now();
    try {
      // Read again: attempts that were added while it waited are in the count.
      const endpoint = await leases.readEndpoint(token);
      if (!endpoint) return 0;
      const count = await attempts.countPending(token.endpointId, config.WEBHOOK_PENDING_MAX);
      await leases.correctPendingCount(token, endpoint, count);
      // An endpoint that keeps up is counted again only after half of the limit was added, which is rare enough.
      if (count < config.WEBHOOK_PENDING_MAX / 2) return 0;
    } catch (error) {
      this.logFailure(token.endpointId, error);
    }
    return (performance.now() - startedAt) / COUNTING_SHARE;
  }

  private setRest(endpointId: string, restMs: number): void {
    const now = performance.now();
    for (const [id, time] of this.countAgainAt) if (time <= now) this.countAgainAt.delete(id);
    if (restMs > 0) this.countAgainAt.set(endpointId, now + restMs);
    else this.countAgainAt.delete(endpointId);
  }

  private logFailure(endpointId: string, error: unknown): void {
    const level = isTemporary(error) ? 'debug' : 'error';
    this.ctx.log[level]({ err: error, endpoint_id: endpointId }, 'pending attempts not counted');
  }
}
