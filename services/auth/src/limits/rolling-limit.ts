import type { LimitState } from '@waymark/shared/contract/authorize';
import { unavailable } from '@waymark/shared/kernel/errors';
import type { EntryStore } from './entry-store.js';
import { KeyLog, type Entry } from './key-log.js';

/** When a question is asked. */
export interface Moment {
  /** The database's time after the request had arrived. */
  now: Date;
  /** By this process's steady clock; what is decided later might build on entries that are gone. */
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
 * At most `limit` requests of a key in any window of `windowMs`, exact over all replicas; a refused one does not count,
 * and none is refused while fewer count. Requests that wait together are decided together: one entry per key, one write
 * for all keys. No clock but the database's is asked.
 */
export class RollingLimit {
  private waiting = new Map<string, Waiting[]>();
  private isRunning = false;
  /** By when they were last used, so that the first can be forgotten; what is forgotten is read again. */
  private readonly logs = new Map<string, KeyLog>();

  constructor(
    private readonly store: EntryStore,
    private readonly limit: number,
    private readonly windowMs: number,
  ) {}

  /** @throws AppError `service_unavailable` when it cannot be decided in time. */
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
    // Lets the rest of a batch come in.
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

  /** The key's log, advanced to the time of these requests. */
  private async logFor({ key, waiting }: Group): Promise<KeyLog> {
    const now = timeOf(waiting);
    let log = this.logs.get(key);
    // Others may begin a new log where an old one has been deleted: one that has come to rest is looked at afresh.
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

  /** Another process was first: its requests count, ours are decided again. */
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
