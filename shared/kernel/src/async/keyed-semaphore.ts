import { tooManyRequests, unavailable } from '../errors.js';

/** What cannot start within this time is refused; the rest of the time that the gateway waits for an answer is for the work. */
const START_MAX_MS = 20_000;
/** The gateway bounds the requests in flight: this is for callers that it does not stand before. */
const WAITING_MAX = 4000;

export interface SemaphoreLimits {
  runningMax: number;
  /** Of one key among them. */
  runningPerKeyMax: number;
  /** Beyond it, only keys without waiting work may wait, as many again; 4,000 by default. */
  waitingMax?: number;
  /** Of one key among them, for callers that no limit on requests counts; further ones get 429. */
  waitingPerKeyMax?: number;
  /** 20 s by default. */
  waitMaxMs?: number;
  /** How long the permit of a key rests, while others of the key wait for it, after work of `workedMs`. */
  restMs?: (key: string, workedMs: number) => number;
  /** It rests even if none waits: the next piece of an export comes right after the one before. */
  restsAlways?: boolean;
}

/** Lists that may read a large part of a workspace: no workspace takes the database connections of the others. */
export const LIST_CONCURRENCY: SemaphoreLimits = { runningMax: 12, runningPerKeyMax: 3 };

/** Changes of one workspace run one at a time: they write the same documents, so concurrent ones would only abort and retry. */
export const CHANGE_CONCURRENCY: SemaphoreLimits = { runningMax: 200, runningPerKeyMax: 1 };

/**
 * Batches of exports. They wait as long as they must, because an export must not fail after it has started; the number of
 * exports is limited (see `limits.exports`).
 */
export const EXPORT_CONCURRENCY: SemaphoreLimits = {
  runningMax: 4,
  runningPerKeyMax: 2,
  waitingMax: Infinity,
  waitMaxMs: 5 * 60_000,
};

const RETRY_AFTER_SECONDS = 5;
/** Pieces of work of a key whose durations are kept. */
const RECENT_COUNT = 5;

/**
 * A bounded semaphore that is fair to keys, e.g. workspaces: up to `runningMax` pieces of work run, a few of them of one key,
 * and further ones wait. The keys that wait take turns, so one key cannot take the places of the others.
 */
export class KeyedSemaphore {
  /** Starts of the waiting work by key, with the times since when they wait; the key whose turn is next comes first. */
  private readonly waiting = new Map<string, Map<() => void, number>>();
  private waitingCount = 0;
  private readonly runningOf = new Map<string, number>();
  private running = 0;
  /** Durations of the last pieces of work, with their rests, of the keys that others wait for. */
  private readonly recentMs = new Map<string, number[]>();

  constructor(private readonly limits: SemaphoreLimits) {}

  /**
   * @param signal ends the wait, not the work
   * @throws AppError `service_unavailable` when the work cannot start within `waitMaxMs`: at once if the line is full, or
   *   late and too long at the recent speed of the key; `rate_limit_exceeded` beyond `waitingPerKeyMax`; the signal's reason when it is
   *   aborted
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
    if (this.waiting.has(key)) this.recordDuration(key, workedMs + restMs);
    if (restMs <= 0) return this.releaseKey(key);
    setTimeout(() => this.releaseKey(key), restMs);
    this.startNext();
  }

  private releaseKey(key: string): void {
    this.addRunning(key, -1);
    this.forgetIdle(key);
    this.startNext();
  }

  private forgetIdle(key: string): void {
    if (!this.runningOf.has(key) && !this.waiting.has(key)) this.recentMs.delete(key);
  }

  private recordDuration(key: string, ms: number): void {
    this.recentMs.set(key, [...(this.recentMs.get(key) ?? []), ms].slice(-RECENT_COUNT));
  }

  /**
   * Returns for how long this many pieces of work keep the permits of a key, at the fastest of its recent ones: one slow piece
   * must not refuse those that come after it. 0 while too few have ended.
   */
  private estimateMs(key: string, count: number): number {
    const recent = this.recentMs.get(key) ?? [];
    return recent.length < RECENT_COUNT ? 0 : (count * Math.min(...recent)) / this.limits.runningPerKeyMax;
  }

  /** Requests that arrive together are no overload, although the first of them slow each other down. */
  private isLate(starts: ReadonlyMap<unknown, number>, waitMaxMs: number): boolean {
    const [waitingSince = Infinity] = starts.values();
    return performance.now() - waitingSince > waitMaxMs / 4;
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
      const [start] = starts.keys();
      return start!();
    }
  }

  private wait(key: string, signal?: AbortSignal): Promise<void> {
    const { waitingMax = WAITING_MAX, waitingPerKeyMax = Infinity, waitMaxMs = START_MAX_MS } = this.limits;
    const starts = this.waiting.get(key) ?? new Map<() => void, number>();
    const refuse = (reason: string) =>
      unavailable(new Error(reason), Math.max(RETRY_AFTER_SECONDS, this.estimateMs(key, starts.size) / 1000));
    if (starts.size >= waitingPerKeyMax) {
      throw tooManyRequests('Too many of these requests at the same time. Try again later.', RETRY_AFTER_SECONDS);
    }
    if (this.isLate(starts, waitMaxMs) && this.estimateMs(key, starts.size + 1) > waitMaxMs)
      throw refuse('would wait too long for a permit');
    // A full line still takes one of each key, so that ten keys cannot fill it for all others.
    if (this.waitingCount >= waitingMax && (starts.size > 0 || this.waitingCount >= 2 * waitingMax))
      throw refuse('too many wait for a permit');
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
        reject(refuse('waited too long for a permit'));
        this.forgetIdle(key);
      }, waitMaxMs);
      const abort = () => {
        leave();
        this.forgetIdle(key);
        reject(signal!.reason as Error);
      };
      const start = () => {
        leave();
        this.acquire(key);
        resolve();
      };
      signal?.addEventListener('abort', abort);
      this.waitingCount += 1;
      starts.set(start, performance.now());
      this.waiting.set(key, starts);
    });
  }
}
