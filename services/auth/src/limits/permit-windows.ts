import type { Database } from '@waymark/kernel/mongo/database';
import { PermitLimiter, type Permit, type PermitLimits } from './permits.js';

/** One permit of each window. */
export type Permits = readonly Permit[];

/** Permits in several windows at once, the shortest first: the wait grows with the number of uses. */
export class PermitWindows {
  private readonly limiters: PermitLimiter[];

  constructor(db: Database, collection: string, windows: readonly PermitLimits[]) {
    this.limiters = windows.map((limits, index) => new PermitLimiter(db, `${collection}_${index + 1}`, limits));
  }

  /** @throws AppError `service_unavailable` when it loses the race too often */
  async acquirePermits(key: string): Promise<{ permits: Permits } | { retryAfterSeconds: number }> {
    const permits: Permit[] = [];
    for (const limiter of this.limiters) {
      const acquired = await limiter.acquirePermit(key);
      if ('retryAfterSeconds' in acquired) {
        await this.releasePermits(permits);
        const waits = await Promise.all(this.limiters.map((each) => each.secondsUntilPermit(key)));
        return { retryAfterSeconds: Math.max(acquired.retryAfterSeconds, ...waits) };
      }
      permits.push(acquired.permit);
    }
    return { permits };
  }

  async releasePermits(permits: Permits): Promise<void> {
    await Promise.all(permits.map((permit, index) => this.limiters[index]!.releasePermit(permit)));
  }
}
