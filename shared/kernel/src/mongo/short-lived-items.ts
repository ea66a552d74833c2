import type { Connection, mongo } from 'mongoose';

/**
 * A small set whose items are garbage once they are deleted. V8 replaces the table of a `Set` every few additions, and the
 * old table refers to the new one: as soon as one table is in the old generation, all later tables and their items are
 * promoted as well, until the next major garbage collection.
 */
export class ShortLivedItems<T> {
  private readonly items: T[] = [];

  add(item: T): this {
    if (!this.items.includes(item)) this.items.push(item);
    return this;
  }

  delete(item: T): boolean {
    const index = this.items.indexOf(item);
    if (index < 0) return false;
    const last = this.items.pop()!;
    if (index < this.items.length) this.items[index] = last;
    return true;
  }

  clear(): void {
    this.items.length = 0;
  }

  /** Iterates over a copy: the driver deletes items while it iterates. */
  [Symbol.iterator](): Iterator<T> {
    return [...this.items][Symbol.iterator]();
  }
}

/** What the driver closes together with the client. */
interface Tracked {
  activeCursors: Iterable<mongo.AbstractCursor>;
  activeSessions: Iterable<mongo.ClientSession>;
}

/**
 * Replaces the sets in which the driver (7.8) tracks the cursors and sessions of a client: each refers to the documents
 * that it has read, so that all results would be promoted. Call it right after the client has connected.
 */
export function trackShortLived(connection: Connection): void {
  const { s } = connection.getClient() as unknown as { s: Tracked };
  for (const name of ['activeCursors', 'activeSessions'] as const) {
    const items = new ShortLivedItems<unknown>();
    for (const item of s[name]) items.add(item);
    Object.assign(s, { [name]: items });
  }
}
