import { unavailable } from '../errors.js';

/** What cannot start within this time is refused; the rest of the time that the gateway waits for an answer is for the work. */
const WAIT_MAX_MS = 20_000;
const WAITING_MAX = 4000;
const RETRY_AFTER_SECONDS = 5;
/** A line tells its speed once this many have started while its first one waited, and it has waited this long. */
const STARTED_MIN = 5;
const OBSERVED_MIN_MS = 5000;

export interface KeyedLimitOptions {
  /** Pieces of work that run at the same time. */
  total: number;
  /** Of one key among them; as many as in total unless given. */
  perKey?: number;
  /** 20 s unless given. */
  waitMaxMs?: number;
  /** 4,000 unless given. */
  waitingMax?: number;
}

interface Waiting {
  since: number;
  /** How many of the key waited before it when it came. */
  behind: number;
  start: () => void;
}

/**
 * A limit on what runs at the same time, in total and for each key, such as a workspace. Further work waits; the keys that wait
 * take turns, so that one key cannot take the places of the others.
 */
export class KeyedLimit {
  private readonly runningOf = new Map<string, number>();
  private running = 0;
  /** The key whose turn is next comes first. */
  private readonly lines = new Map<string, Set<Waiting>>();
  private waitingCount = 0;
  private readonly options: Required<KeyedLimitOptions>;

  constructor({ total, perKey = total, waitMaxMs = WAIT_MAX_MS, waitingMax = WAITING_MAX }: KeyedLimitOptions) {
    this.options = { total, perKey, waitMaxMs, waitingMax };
  }

  /** Runs the work when its key has a place; throws as `acquire` does. */
  async run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const release = await this.acquire(key, signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /**
   * Takes a place of the key, and waits for one if there is none.
   * @param signal ends the wait
   * @returns releases the place, once
   * @throws AppError `service_unavailable` when it waits too long, or at once if it would, or if too many wait; the signal's
   *   reason when it is aborted
   */
  async acquire(key: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.hasPlaceFor(key)) this.take(key);
    else await this.wait(key, signal);
    let isHeld = true;
    return () => {
      if (isHeld) this.release(key);
      isHeld = false;
    };
  }

  private hasPlaceFor(key: string): boolean {
    return this.running < this.options.total && (this.runningOf.get(key) ?? 0) < this.options.perKey;
  }

  private take(key: string): void {
    this.running += 1;
    this.runningOf.set(key, (this.runningOf.get(key) ?? 0) + 1);
  }

  private release(key: string): void {
    this.running -= 1;
    const left = this.runningOf.get(key)! - 1;
    if (left === 0) this.runningOf.delete(key);
    else this.runningOf.set(key, left);
    this.startNext();
  }

  private startNext(): void {
    for (const [key, line] of this.lines) {
      if (!this.hasPlaceFor(key)) continue;
      // Its next turn comes after those of the other keys.
      this.lines.delete(key);
      this.lines.set(key, line);
      const [first] = line;
      return first!.start();
    }
  }

  private wait(key: string, signal?: AbortSignal): Promise<void> {
    const line = this.lines.get(key) ?? new Set<Waiting>();
    const { waitMaxMs, waitingMax } = this.options;
    const expectedMs = expectedWaitMs(line);
    const refusal = (reason: string) =>
      unavailable(new Error(reason), Math.max(RETRY_AFTER_SECONDS, Math.ceil(expectedMs / 1000)));
    if (this.waitingCount >= waitingMax) throw refusal('too many wait');
    if (expectedMs > waitMaxMs) throw refusal('would wait too long');
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        this.waitingCount -= 1;
        line.delete(waiting);
        if (line.size === 0) this.lines.delete(key);
      };
      const fail = (reason: Error) => {
        leave();
        reject(reason);
      };
      const abort = () => fail(signal!.reason as Error);
      const timer = setTimeout(() => fail(refusal('waited too long')), waitMaxMs);
      const start = () => {
        leave();
        this.take(key);
        resolve();
      };
      const waiting = { since: performance.now(), behind: line.size, start };
      signal?.addEventListener('abort', abort);
      this.waitingCount += 1;
      line.add(waiting);
      this.lines.set(key, line);
    });
  }
}

/**
 * Returns how long the next one in the line will wait, at the speed at which those before its first one started; 0 while
 * that is unknown: work that arrives together is no overload, although the first pieces slow each other down.
 */
function expectedWaitMs(line: ReadonlySet<Waiting>): number {
  const [first] = line;
  if (!first || first.behind < STARTED_MIN) return 0;
  const waitedMs = performance.now() - first.since;
  return waitedMs < OBSERVED_MIN_MS ? 0 : (line.size * waitedMs) / first.behind;
}
