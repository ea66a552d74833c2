/** Requests number `from` to `to` of a key, accepted together at `at` (ms, the database's clock). Immutable. */
export interface Entry {
  from: number;
  to: number;
  at: number;
}

const NOTHING: Entry = { from: 0, to: 0, at: 0 };

/** Entries that a process keeps per key; it reads the next page when it has used them up. */
export const PAGE_SIZE = 128;

/** A process's view of one key's log of accepted requests: its last entry, and the oldest entries in the window. */
export class KeyLog {
  /** The oldest entries in the window, without gaps; the list may end before the log does. */
  private oldest: Entry[] = [];
  private last: Entry;

  constructor(
    last: Entry | null,
    private readonly windowMs: number,
  ) {
    this.last = last ?? NOTHING;
  }

  get end(): Entry {
    return this.last;
  }

  /** Times in the log never decrease, even when the database's clock does. */
  timeOf(now: number): number {
    return Math.max(now, this.last.at);
  }

  isIdleAt(time: number): boolean {
    return this.last.at <= time - this.windowMs;
  }

  /** Drops entries that have left the window. @returns false when the caller must read the oldest entries first */
  advanceTo(time: number): boolean {
    while (this.oldest.length > 0 && this.oldest[0]!.at <= time - this.windowMs) this.oldest.shift();
    return this.oldest.length > 0 || this.isIdleAt(time);
  }

  /** Sets the oldest entries in the window, as read from the database. */
  fill(page: Entry[]): void {
    const newest = page.at(-1);
    if (!newest) throw new Error('entries of the rate limit are missing');
    this.oldest = page;
    if (newest.to > this.last.to) this.last = newest;
  }

  append(entry: Entry): void {
    const isNext = this.oldest.length === 0 || this.oldest.at(-1)!.to === entry.from - 1;
    if (isNext && this.oldest.length < PAGE_SIZE) this.oldest.push(entry);
    this.last = entry;
  }

  /** Accepted requests in the current window. */
  get count(): number {
    return this.oldest.length === 0 ? 0 : this.last.to - this.oldest[0]!.from + 1;
  }

  /** When the oldest of them leaves the window. */
  get roomAt(): number | null {
    return this.oldest.length === 0 ? null : this.oldest[0]!.at + this.windowMs;
  }
}
