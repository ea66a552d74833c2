import { tooManyRequests } from '@waymark/kernel/errors';
import { networksOf } from '@waymark/kernel/limits/networks';
import type { Database } from '@waymark/kernel/mongo/database';
import { RequestLogStore } from '../limits/request-log-store.js';
import { SlidingWindowLimiter } from '../limits/sliding-window-limiter.js';
import { hashSecret } from '../secrets/hash-secret.js';
import { emailKey } from '../users/user-store.js';

const DECIDE_TIMEOUT_MS = 3000;

export interface ResetRequestConfig {
  SIGN_IN_WINDOW_MS: number;
  RESET_REQUESTS_PER_ADDRESS: number;
  RESET_REQUESTS_PER_ACCOUNT: number;
}

/** Limits requests for password resets, per address and per account; unknown e-mails count like known ones. */
export class ResetRequestLimits {
  private readonly limiters = new Map<number, SlidingWindowLimiter>();
  private readonly accountLimiter: SlidingWindowLimiter;
  private readonly entries: RequestLogStore;

  constructor(
    private readonly db: Database,
    private readonly config: ResetRequestConfig,
  ) {
    this.entries = new RequestLogStore(db, 'reset_requests', config.SIGN_IN_WINDOW_MS);
    this.accountLimiter = this.createLimiter(config.RESET_REQUESTS_PER_ACCOUNT);
  }

  /** @throws AppError `rate_limit_exceeded` */
  async countRequest({ email, address }: { email: string; address: string | null }): Promise<void> {
    const now = await this.db.now();
    for (const { name, limitFactor } of networksOf(address ?? '')) {
      await this.checkLimit(this.limiterFor(limitFactor), `address ${name}`, now);
    }
    await this.checkLimit(this.accountLimiter, `account ${hashSecret(emailKey(email))}`, now);
  }

  private limiterFor(factor: number): SlidingWindowLimiter {
    const limiter = this.limiters.get(factor) ?? this.createLimiter(factor * this.config.RESET_REQUESTS_PER_ADDRESS);
    this.limiters.set(factor, limiter);
    return limiter;
  }

  private createLimiter(limit: number): SlidingWindowLimiter {
    return new SlidingWindowLimiter(this.entries, limit, this.config.SIGN_IN_WINDOW_MS);
  }

  private async checkLimit(limiter: SlidingWindowLimiter, key: string, now: Date): Promise<void> {
    const deadline = performance.now() + DECIDE_TIMEOUT_MS;
    const { allowed, resetSeconds } = await limiter.admitRequest(key, { now, deadline });
    if (!allowed) throw tooManyRequests('Too many requests for a new password. Try again later.', resetSeconds);
  }
}
