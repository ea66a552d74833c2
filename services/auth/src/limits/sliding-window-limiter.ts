import type { LimitState } from '@waymark/contract/authorize';
import { unavailable } from '@waymark/kernel/errors';
import { idOf, type RequestLogStore } from './request-log-store.js';
import { RequestLog, type LogEntry } from './request-log.js';

/** The time of a request. */
export interface RequestTime {
  /** The database's time, read after the request has arrived. */
  now: Date;
  /** On this process's monotonic clock: a later decision might rely on expired entries. */
  deadline: number;
}

interface PendingRequest extends RequestTime {
  resolve: (state: LimitState) => void;
  reject: (error: unknown) => void;
}

interface RequestGroup {
  key: string;
  requests: PendingRequest[];
}

interface Loaded {
  group: RequestGroup;
  log: RequestLog;
  /** How many of the counted requests were not served. */
  unserved: number;
}

interface Decision extends RequestGroup {
  log: RequestLog;
  unserved: number;
  time: number;
  accepted: number;
}

const KEYS_MAX = 8192;

/**
 * A sliding-window limiter: at most `limit` requests of a key in any window of `windowMs`, exact over all replicas. A
 * rejected request does not count, nor does one that `noteUnserved` names, and no request is rejected below the limit. Decides
 * waiting requests together: one entry per key, one write for all keys. Uses only the database's clock.
 */
export class SlidingWindowLimiter {
  private pending = new Map<string, PendingRequest[]>();
  private isRunning = false;
  /** In order of last use, for eviction; an evicted log is read again when it is needed. */
  private readonly logs = new Map<string, RequestLog>();

  constructor(
    private readonly store: RequestLogStore,
    private readonly limit: number,
    private readonly windowMs: number,
  ) {}

  /** @throws AppError `service_unavailable` when it cannot decide in time */
  admitRequest(key: string, time: RequestTime): Promise<LimitState> {
    return new Promise((resolve, reject) => {
      this.enqueue(key, [{ ...time, resolve, reject }]);
      void this.decideAll();
    });
  }

  /** @param entries those of requests that were admitted, but not served */
  noteUnserved(entries: string[]): Promise<void> {
    return this.store.noteUnserved(entries);
  }

  private enqueue(key: string, requests: PendingRequest[]): void {
    const earlier = this.pending.get(key);
    if (earlier) earlier.push(...requests);
    else this.pending.set(key, requests);
  }

  private async decideAll(): Promise<void> {
    if (this.isRunning) return;
    this.isRunning = true;
    // Waits for the rest of the batch.
    await Promise.resolve();
    while (this.pending.size > 0) {
      const groups = [...this.pending].map(([key, requests]) => ({ key, requests }));
      this.pending = new Map();
      await this.decideBatch(groups);
    }
    this.isRunning = false;
  }

  private async decideBatch(groups: RequestGroup[]): Promise<void> {
    const loaded = await this.settleEach(groups, (group) => this.load(group));
    const decisions = loaded.flatMap((each) => this.decideGroup(each));
    try {
      const lostKeys = await this.store.appendEntries(decisions.filter(({ accepted }) => accepted > 0).map(toEntry));
      const [lost, stored] = split(decisions, ({ key }) => lostKeys.has(key));
      stored.forEach((decision) => this.applyDecision(decision));
      await this.settleEach(lost, async (decision) => {
        await this.readMissedEntries(decision);
        this.enqueue(decision.key, decision.requests);
      });
    } catch (error) {
      decisions.forEach((decision) => this.rejectGroup(decision, error));
    }
  }

  /** Runs `work` for each group; a failure, e.g. for a damaged log, rejects only the requests of its group. */
  private async settleEach<G extends RequestGroup, T>(groups: G[], work: (group: G) => Promise<T>): Promise<T[]> {
    const results = await Promise.all(
      groups.map((group) =>
        work(group).then(
          (result) => [result],
          (error: unknown) => {
            this.rejectGroup(group, error);
            return [];
          },
        ),
      ),
    );
    return results.flat();
  }

  private rejectGroup({ key, requests }: RequestGroup, error: unknown): void {
    this.logs.delete(key);
    requests.forEach(({ reject }) => reject(unavailable(error)));
  }

  private async load(group: RequestGroup): Promise<Loaded> {
    const { key, requests } = group;
    const log = await this.loadLog(group);
    const isAboveLimit = log.requestCount + requests.length > this.limit;
    const unserved = isAboveLimit ? await this.store.countUnserved(key, log.nextTime(latestTime(requests))) : 0;
    return { group, log, unserved };
  }

  /** Returns the key's log without the entries that had left the window when these requests arrived. */
  private async loadLog({ key, requests }: RequestGroup): Promise<RequestLog> {
    const now = latestTime(requests);
    let log = this.logs.get(key);
    // Another process may have started a new log after an old one expired, so an idle log is read again.
    if (!log || log.isIdleAt(now)) log = await this.readLog(key, now);
    while (!log.dropExpired(log.nextTime(now))) {
      log.setOldest(await this.store.findEntriesInWindow(key, log.nextTime(now)));
    }
    this.cacheLog(key, log);
    return log;
  }

  private async readLog(key: string, now: number): Promise<RequestLog> {
    for (;;) {
      const newest = await this.store.findNewestEntry(key);
      const log = new RequestLog(newest, this.windowMs);
      if (!newest || !log.isIdleAt(now) || (await this.store.extendLifetime(key, newest, now))) return log;
    }
  }

  private cacheLog(key: string, log: RequestLog): void {
    this.logs.delete(key);
    this.logs.set(key, log);
    if (this.logs.size > KEYS_MAX) this.logs.delete(this.logs.keys().next().value!);
  }

  private decideGroup({ group: { key, requests }, log, unserved }: Loaded): Decision[] {
    const [late, inTime] = split(requests, ({ deadline }) => performance.now() > deadline);
    late.forEach(({ reject }) => reject(unavailable(new Error('the rate limit could not be decided in time'))));
    if (inTime.length === 0) return [];
    const accepted = Math.max(0, Math.min(inTime.length, this.limit - log.requestCount + unserved));
    return [{ key, requests: inTime, log, unserved, time: log.nextTime(latestTime(requests)), accepted }];
  }

  private applyDecision(decision: Decision): void {
    const { key, requests, log, unserved, time, accepted } = decision;
    const countBefore = log.requestCount - unserved;
    const entry = toEntry(decision);
    if (accepted > 0) log.appendEntry(entry);
    const resetMs = (log.nextFreeAt ?? time + this.windowMs) - time;
    requests.forEach(({ resolve }, index) =>
      resolve({
        allowed: index < accepted,
        limit: this.limit,
        remaining: Math.max(0, this.limit - countBefore - index - 1),
        windowSeconds: Math.ceil(this.windowMs / 1000),
        resetSeconds: Math.max(1, Math.ceil(resetMs / 1000)),
        entry: index < accepted ? idOf(key, entry) : null,
      }),
    );
  }

  /** Another process appended first: adds its entries to the log; the next batch decides these requests again. */
  private async readMissedEntries({ key, log }: Decision): Promise<void> {
    for (const entry of await this.store.findEntriesAfter(key, log.lastEntry)) log.appendEntry(entry);
  }
}

const latestTime = (requests: PendingRequest[]): number =>
  requests.reduce((latest, { now }) => Math.max(latest, now.getTime()), 0);

function toEntry({ key, log, time, accepted }: Decision): LogEntry & { key: string } {
  return { key, from: log.lastEntry.to + 1, to: log.lastEntry.to + accepted, at: time };
}

function split<T>(items: T[], belongsFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(belongsFirst), items.filter((item) => !belongsFirst(item))];
}
