/** Requests number `from` to `to` of a key, accepted together at `at` (ms, the database's clock). Immutable. */
export interface LogEntry {
  from: number;
  to: number;
  at: number;
}

const NO_ENTRY: LogEntry = { from: 0, to: 0, at: 0 };

/** Entries that a process keeps per key; it reads the next page when it has used them up. */
export const PAGE_SIZE = 128;

/** One process's view of a key's log of accepted requests: its last entry, and the oldest entries in the window. */
export class RequestLog {
  /** The oldest entries in the window, without gaps; the list may end before the log does. */
  private oldest: LogEntry[] = [];
  private last: LogEntry;

  constructor(
    last: LogEntry | null,
    private readonly windowMs: number,
  ) {
    this.last = last ?? NO_ENTRY;
  }

  get lastEntry(): LogEntry {
    return this.last;
  }

  /** Returns the time for the next entry: times in the log never decrease, even when the database's clock does. */
  nextTime(now: number): number {
    return Math.max(now, this.last.at);
  }

  isIdleAt(time: number): boolean {
    return this.last.at <= time - this.windowMs;
  }

  /** Drops entries that have left the window. @returns false when the caller must read the oldest entries first */
  dropExpired(time: number): boolean {
    while (this.oldest.length > 0 && this.oldest[0]!.at <= time - this.windowMs) this.oldest.shift();
    return this.oldest.length > 0 || this.isIdleAt(time);
  }

  /** Sets the oldest entries in the window, as read from the database. */
  setOldest(page: LogEntry[]): void {
    const newest = page.at(-1);
    if (!newest) throw new Error('entries of the rate limit are missing');
    this.oldest = page;
    if (newest.to > this.last.to) this.last = newest;
  }

  appendEntry(entry: LogEntry): void {
    const isNext = this.oldest.length === 0 || this.oldest.at(-1)!.to === entry.from - 1;
    if (isNext && this.oldest.length < PAGE_SIZE) this.oldest.push(entry);
    this.last = entry;
  }

  /** Accepted requests in the current window. */
  get requestCount(): number {
    return this.oldest.length === 0 ? 0 : this.last.to - this.oldest[0]!.from + 1;
  }

  /** When the oldest accepted request leaves the window. */
  get nextFreeAt(): number | null {
    return this.oldest.length === 0 ? null : this.oldest[0]!.at + this.windowMs;
  }
}
