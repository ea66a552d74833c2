import type { LimitState } from '@waymark/contract/authorize';
import { unavailable } from '@waymark/kernel/errors';
import type { EntryStore } from './entry-store.js';
import { KeyLog, type Entry } from './key-log.js';

/** The time of a request. */
export interface Moment {
  /** The database's time, read after the request has arrived. */
  now: Date;
  /** On this process's monotonic clock; a later decision might rely on expired entries. */
  giveUpAt: number;
}

interface Waiting extends Moment {
  resolve: (state: LimitState) => void;
  reject: (error: unknown) => void;
}

interface Group {
  key: string;
  waiting: Waiting[];
}

interface Decision extends Group {
  log: KeyLog;
  time: number;
  accepted: number;
}

const KEYS_MAX = 8192;

/**
 * A sliding-window limiter: at most `limit` requests of a key in any window of `windowMs`, exact over all replicas. A
 * refused request does not count, and none is refused while there is room. Decides waiting requests together: one entry
 * per key, one write for all keys. Uses only the database's clock.
 */
export class RollingLimit {
  private waiting = new Map<string, Waiting[]>();
  private isRunning = false;
  /** In order of last use, for eviction; an evicted log is read again. */
  private readonly logs = new Map<string, KeyLog>();

  constructor(
    private readonly store: EntryStore,
    private readonly limit: number,
    private readonly windowMs: number,
  ) {}

  /** @throws AppError `service_unavailable` when it cannot decide in time */
  take(key: string, moment: Moment): Promise<LimitState> {
    return new Promise((resolve, reject) => {
      this.wait(key, [{ ...moment, resolve, reject }]);
      void this.run();
    });
  }

  private wait(key: string, waiting: Waiting[]): void {
    const others = this.waiting.get(key);
    if (others) others.push(...waiting);
    else this.waiting.set(key, waiting);
  }

  private async run(): Promise<void> {
    if (this.isRunning) return;
    this.isRunning = true;
    // Waits for the rest of the batch.
    await Promise.resolve();
    while (this.waiting.size > 0) {
      const groups = [...this.waiting].map(([key, waiting]) => ({ key, waiting }));
      this.waiting = new Map();
      await this.round(groups);
    }
    this.isRunning = false;
  }

  private async round(groups: Group[]): Promise<void> {
    try {
      const logs = await Promise.all(groups.map((group) => this.logFor(group)));
      const decisions = groups.flatMap((group, index) => this.decide(group, logs[index]!));
      const lost = await this.store.append(decisions.filter(({ accepted }) => accepted > 0).map(entryOf));
      const [beaten, settled] = split(decisions, ({ key }) => lost.has(key));
      settled.forEach((decision) => this.answer(decision));
      await Promise.all(beaten.map((decision) => this.catchUp(decision)));
      beaten.forEach(({ key, waiting }) => this.wait(key, waiting));
    } catch (error) {
      for (const { key, waiting } of groups) {
        this.logs.delete(key);
        waiting.forEach(({ reject }) => reject(unavailable(error)));
      }
    }
  }

  /** Returns the key's log, advanced to the time of these requests. */
  private async logFor({ key, waiting }: Group): Promise<KeyLog> {
    const now = timeOf(waiting);
    let log = this.logs.get(key);
    // Another process may have started a new log after an old one expired, so an idle log is read again.
    if (!log || log.isIdleAt(now)) log = await this.open(key, now);
    while (!log.advanceTo(log.timeOf(now))) log.fill(await this.store.inWindow(key, log.timeOf(now)));
    this.remember(key, log);
    return log;
  }

  private async open(key: string, now: number): Promise<KeyLog> {
    for (;;) {
      const newest = await this.store.newest(key);
      const log = new KeyLog(newest, this.windowMs);
      if (!newest || !log.isIdleAt(now) || (await this.store.keep(key, newest, now))) return log;
    }
  }

  private remember(key: string, log: KeyLog): void {
    this.logs.delete(key);
    this.logs.set(key, log);
    if (this.logs.size > KEYS_MAX) this.logs.delete(this.logs.keys().next().value!);
  }

  private decide({ key, waiting }: Group, log: KeyLog): Decision[] {
    const [late, inTime] = split(waiting, ({ giveUpAt }) => performance.now() > giveUpAt);
    late.forEach(({ reject }) => reject(unavailable(new Error('the rate limit could not be decided in time'))));
    if (inTime.length === 0) return [];
    const accepted = Math.max(0, Math.min(inTime.length, this.limit - log.count));
    return [{ key, waiting: inTime, log, time: log.timeOf(timeOf(waiting)), accepted }];
  }

  private answer(decision: Decision): void {
    const { waiting, log, time, accepted } = decision;
    const before = log.count;
    if (accepted > 0) log.append(entryOf(decision));
    const resetMs = (log.roomAt ?? time + this.windowMs) - time;
    waiting.forEach(({ resolve }, index) =>
      resolve({
        allowed: index < accepted,
        limit: this.limit,
        remaining: Math.max(0, this.limit - before - index - 1),
        windowSeconds: Math.ceil(this.windowMs / 1000),
        resetSeconds: Math.max(1, Math.ceil(resetMs / 1000)),
      }),
    );
  }

  /** Another process was faster: adds its requests; the next round decides these requests again. */
  private async catchUp({ key, log }: Decision): Promise<void> {
    for (const entry of await this.store.after(key, log.end)) log.append(entry);
  }
}

const timeOf = (waiting: Waiting[]): number => waiting.reduce((latest, { now }) => Math.max(latest, now.getTime()), 0);

function entryOf({ key, log, time, accepted }: Decision): Entry & { key: string } {
  return { key, from: log.end.to + 1, to: log.end.to + accepted, at: time };
}

function split<T>(items: T[], belongsFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(belongsFirst), items.filter((item) => !belongsFirst(item))];
}
