import { tooManyRequests, unavailable } from '../errors.js';

export interface SemaphoreLimits {
  runningMax: number;
  /** Of one key among them. */
  runningPerKeyMax: number;
  /** Beyond it, only keys without waiting work may wait, as many again. */
  waitingMax: number;
  /** Of one key among them. */
  waitingPerKeyMax: number;
  waitMaxMs?: number;
  /** How long the permit of a key rests, while others of the key wait for it, after work of `workedMs`. */
  restMs?: (key: string, workedMs: number) => number;
  /** It rests even if none waits: the next piece of an export comes right after the one before. */
  restsAlways?: boolean;
}

/** Lists that may read a large part of a workspace: no workspace takes the database connections of the others. */
export const LIST_CONCURRENCY: SemaphoreLimits = {
  runningMax: 12,
  runningPerKeyMax: 3,
  waitingMax: 500,
  waitingPerKeyMax: 50,
};

/**
 * Changes of one workspace run one at a time: they write the same documents, so concurrent ones would only abort and retry.
 * The 120 requests of a minute still end before the gateway stops waiting.
 */
export const CHANGE_CONCURRENCY: SemaphoreLimits = {
  runningMax: 200,
  runningPerKeyMax: 1,
  waitingMax: 4000,
  waitingPerKeyMax: 1000,
  waitMaxMs: 28_000,
};

/**
 * Batches of exports. They wait as long as they must, because an export must not fail after it has started; the number of
 * exports is limited (see `limits.exports`).
 */
export const EXPORT_CONCURRENCY: SemaphoreLimits = {
  runningMax: 4,
  runningPerKeyMax: 2,
  waitingMax: Infinity,
  waitingPerKeyMax: Infinity,
  waitMaxMs: 5 * 60_000,
};

const RETRY_AFTER_SECONDS = 5;

/**
 * A bounded semaphore that is fair to keys, e.g. workspaces: up to `runningMax` pieces of work run, a few of them of one key,
 * and further ones wait. The keys that wait take turns, so one key cannot take the places of the others.
 */
export class KeyedSemaphore {
  /** Starts of the waiting work by key; the key whose turn is next comes first. */
  private readonly waiting = new Map<string, Set<() => void>>();
  private waitingCount = 0;
  private readonly runningOf = new Map<string, number>();
  private running = 0;

  constructor(private readonly limits: SemaphoreLimits) {}

  /**
   * @param signal ends the wait, not the work
   * @throws AppError `rate_limit_exceeded` when too many of the key wait already, `service_unavailable` when the line is full,
   *   or after `waitMaxMs` (10 s) in it; the signal's reason when it is aborted
   */
  async run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.hasRoomFor(key)) this.acquire(key);
    else await this.wait(key, signal);
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      this.release(key, performance.now() - startedAt);
    }
  }

  /** While a permit rests, only its key goes without it. */
  private release(key: string, workedMs: number): void {
    this.running -= 1;
    const { restMs: restOf, restsAlways = false } = this.limits;
    const restMs = restsAlways || this.waiting.has(key) ? (restOf?.(key, workedMs) ?? 0) : 0;
    if (restMs <= 0) return this.releaseKey(key);
    setTimeout(() => this.releaseKey(key), restMs);
    this.startNext();
  }

  private releaseKey(key: string): void {
    this.addRunning(key, -1);
    this.startNext();
  }

  private hasRoomFor(key: string): boolean {
    const { runningMax, runningPerKeyMax } = this.limits;
    return this.running < runningMax && (this.runningOf.get(key) ?? 0) < runningPerKeyMax;
  }

  private acquire(key: string): void {
    this.running += 1;
    this.addRunning(key, 1);
  }

  private addRunning(key: string, delta: number): void {
    const count = (this.runningOf.get(key) ?? 0) + delta;
    if (count === 0) this.runningOf.delete(key);
    else this.runningOf.set(key, count);
  }

  private startNext(): void {
    for (const [key, starts] of this.waiting) {
      if (!this.hasRoomFor(key)) continue;
      // Its next turn comes after those of the other keys.
      this.waiting.delete(key);
      this.waiting.set(key, starts);
      const [start] = starts;
      return start!();
    }
  }

  private wait(key: string, signal?: AbortSignal): Promise<void> {
    const { waitingMax, waitingPerKeyMax, waitMaxMs = 10_000 } = this.limits;
    const starts = this.waiting.get(key) ?? new Set();
    if (starts.size >= waitingPerKeyMax) {
      throw tooManyRequests('Too many of these requests at the same time. Try again later.', RETRY_AFTER_SECONDS);
    }
    // A full line still takes one of each key, so that ten keys cannot fill it for all others.
    if (this.waitingCount >= waitingMax && (starts.size > 0 || this.waitingCount >= 2 * waitingMax))
      throw unavailable(new Error('too many wait for a permit'));
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        this.waitingCount -= 1;
        starts.delete(start);
        if (starts.size === 0) this.waiting.delete(key);
      };
      const timer = setTimeout(() => {
        leave();
        reject(unavailable(new Error('waited too long for a permit')));
      }, waitMaxMs);
      const abort = () => {
        leave();
        reject(signal!.reason as Error);
      };
      const start = () => {
        leave();
        this.acquire(key);
        resolve();
      };
      signal?.addEventListener('abort', abort);
      this.waitingCount += 1;
      starts.add(start);
      this.waiting.set(key, starts);
    });
  }
}
