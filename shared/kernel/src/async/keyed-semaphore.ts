import { tooManyRequests, unavailable } from '../errors.js';

export interface SemaphoreLimits {
  runningMax: number;
  /** Of one key among them. */
  runningPerKeyMax: number;
  waitingMax: number;
  /** Of one key among them. */
  waitingPerKeyMax: number;
  waitMaxMs?: number;
  /** How long the permit of a key rests, while others of the key wait for it, after work of `workedMs`. */
  restMs?: (key: string, workedMs: number) => number;
}

/** Lists that may read a large part of a workspace: no workspace takes the database connections of the others. */
export const LIST_CONCURRENCY: SemaphoreLimits = {
  runningMax: 12,
  runningPerKeyMax: 3,
  waitingMax: 500,
  waitingPerKeyMax: 50,
};

interface Waiting {
  key: string;
  start: () => void;
}

const RETRY_AFTER_SECONDS = 5;

/**
 * A bounded semaphore that is fair to keys, e.g. workspaces: up to `runningMax` pieces of work run, a few of them of one key,
 * and further ones wait in line. One key cannot take the places of the others.
 */
export class KeyedSemaphore {
  private readonly waiting = new Set<Waiting>();
  private readonly runningOf = new Map<string, number>();
  private readonly waitingOf = new Map<string, number>();
  private running = 0;

  constructor(private readonly limits: SemaphoreLimits) {}

  /**
   * @throws AppError `rate_limit_exceeded` when too many of the key wait already, `service_unavailable` when the line is full,
   *   or after `waitMaxMs` (10 s) in it
   */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (this.hasRoomFor(key)) this.acquire(key);
    else await this.wait(key);
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
    const restMs = countOf(this.waitingOf, key) > 0 ? (this.limits.restMs?.(key, workedMs) ?? 0) : 0;
    if (restMs <= 0) return this.releaseKey(key);
    setTimeout(() => this.releaseKey(key), restMs);
    this.startNext();
  }

  private releaseKey(key: string): void {
    add(this.runningOf, key, -1);
    this.startNext();
  }

  private hasRoomFor(key: string): boolean {
    const { runningMax, runningPerKeyMax } = this.limits;
    return this.running < runningMax && countOf(this.runningOf, key) < runningPerKeyMax;
  }

  private acquire(key: string): void {
    this.running += 1;
    add(this.runningOf, key, 1);
  }

  private startNext(): void {
    for (const { key, start } of this.waiting) {
      if (this.hasRoomFor(key)) return start();
    }
  }

  private wait(key: string): Promise<void> {
    const { waitingMax, waitingPerKeyMax, waitMaxMs = 10_000 } = this.limits;
    if (countOf(this.waitingOf, key) >= waitingPerKeyMax) {
      throw tooManyRequests('Too many of these requests at the same time. Try again later.', RETRY_AFTER_SECONDS);
    }
    if (this.waiting.size >= waitingMax) throw unavailable(new Error('too many wait for a permit'));
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        this.waiting.delete(entry);
        add(this.waitingOf, key, -1);
      };
      const timer = setTimeout(() => {
        leave();
        reject(unavailable(new Error('waited too long for a permit')));
      }, waitMaxMs);
      const start = () => {
        leave();
        this.acquire(key);
        resolve();
      };
      const entry = { key, start };
      this.waiting.add(entry);
      add(this.waitingOf, key, 1);
    });
  }
}

const countOf = (counts: ReadonlyMap<string, number>, key: string): number => counts.get(key) ?? 0;

function add(counts: Map<string, number>, key: string, by: number): void {
  const count = countOf(counts, key) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
