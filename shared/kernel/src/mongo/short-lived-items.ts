import type { ClientSession, Connection, mongo } from 'mongoose';

/**
 * A small set whose items are garbage once they are deleted. V8 replaces the table of a `Set` every few additions, and the
 * old table refers to the new one: as soon as one table is in the old generation, all later tables and their items are
 * promoted as well, until the next major garbage collection.
 */
export class ShortLivedItems<T> {
  private readonly items: T[];

  constructor(items: Iterable<T> = []) {
    this.items = [...items];
  }

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
  activeSessions: Iterable<ClientSession>;
}

/**
 * Replaces the sets in which the driver (7.8) keeps the open cursors and sessions of a client: a cursor refers to its
 * results, so that all results would be promoted. Call it right after the client has connected.
 */
export function trackShortLived(connection: Connection): void {
  const { s } = connection.getClient() as unknown as { s: Tracked };
  s.activeCursors = new ShortLivedItems(s.activeCursors);
  s.activeSessions = new ShortLivedItems(s.activeSessions);
}
