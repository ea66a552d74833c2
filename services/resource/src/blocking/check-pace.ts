import { URLS_AT_ONCE } from '../destinations/destination-checker.js';
import type { Progress } from './sweep.js';

/**
 * How many links the checker is asked about at once. A batch without an answer is halved, so that a single URL that the
 * checker cannot answer about does not keep it from the others.
 */
export class CheckPace {
  private limit = URLS_AT_ONCE;
  /** By `performance.now()`. */
  private dueAt = 0;

  /** @param againMs the pause once not even a single URL is answered */
  constructor(private readonly againMs: number) {}

  /** @returns true if there is more to do at once */
  async run(check: (limit: number) => Promise<Progress>): Promise<boolean> {
    if (performance.now() < this.dueAt) return false;
    const { limit } = this;
    const progress = await check(limit);
    if (progress !== 'unanswered') {
      this.limit = Math.min(URLS_AT_ONCE, limit * 2);
      return progress === 'more';
    }
    this.limit = Math.max(1, limit >> 1);
    if (limit === 1) this.dueAt = performance.now() + this.againMs;
    return limit > 1;
  }
}
