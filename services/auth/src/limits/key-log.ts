/** Requests number `from` to `to` of a key, let through together at `at` (ms, the database's clock). Never changes. */
export interface Entry {
  from: number;
  to: number;
  at: number;
}

const NOTHING: Entry = { from: 0, to: 0, at: 0 };

/** Entries of one key that a process holds at most; beyond them it reads on when it gets there. */
export const PAGE_SIZE = 128;

/** What a process knows of one key's log of accepted requests: where it ends, and the oldest entries that count. */
export class KeyLog {
  /** Without gaps, from the oldest in the window on; it may end before the log does. */
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

  /** The log never goes back in time, even where the database's clock does. */
  timeOf(now: number): number {
    return Math.max(now, this.last.at);
  }

  isIdleAt(time: number): boolean {
    return this.last.at <= time - this.windowMs;
  }

  /** Forgets what has left the window. @returns false when the oldest entries in it must be read first. */
  advanceTo(time: number): boolean {
    while (this.oldest.length > 0 && this.oldest[0]!.at <= time - this.windowMs) this.oldest.shift();
    return this.oldest.length > 0 || this.isIdleAt(time);
  }

  /** The oldest entries in the window, as the database has them. */
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

  /** Requests in the window that it has been advanced to. */
  get count(): number {
    return this.oldest.length === 0 ? 0 : this.last.to - this.oldest[0]!.from + 1;
  }

  /** When the next of them leaves the window. */
  get roomAt(): number | null {
    return this.oldest.length === 0 ? null : this.oldest[0]!.at + this.windowMs;
  }
}
