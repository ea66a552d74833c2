import { CommandError } from './errors.js';
import type { PostgresConnection, Row } from './postgres-connection.js';
import type { PostgresPool } from './postgres-pool.js';
import type { Command, TransactionFields } from './command.js';

const IDLE_MS = 600_000;
const PINNED_MAX = 40;

export interface Cursor {
  id: bigint;
  database: string;
  continuation: Buffer;
  /** The connection that holds the cursor's portal; without one, each page is a query of its own. */
  pinned?: PostgresConnection;
  transaction?: TransactionFields;
  busy: boolean;
  usedAt: number;
}

/** Columns of every `*_cursor_first_page`: the page, its continuation, whether a portal stays open, the cursor's id. */
export type FirstPage = [page: Buffer, continuation: Buffer | null, persist: Buffer, id: Buffer];

export class Cursors {
  private readonly open = new Map<bigint, Cursor>();

  constructor(private readonly pool: PostgresPool) {}

  /** Takes over `connection` when the cursor needs it. @returns whether it did */
  register(
    row: Row,
    connection: PostgresConnection,
    { database, transaction }: Pick<Command, 'database' | 'transaction'>,
  ): boolean {
    const [, continuation, persist, id] = row as FirstPage;
    if (!continuation) return false;
    const pinned = persist[0] === 1 && !transaction;
    const cursor: Cursor = {
      id: id.readBigInt64BE(0),
      database,
      continuation,
      transaction,
      busy: false,
      usedAt: Date.now(),
    };
    if (pinned) cursor.pinned = connection;
    this.open.set(cursor.id, cursor);
    if (pinned) this.evict();
    return pinned;
  }

  take(id: bigint): Cursor {
    const cursor = this.open.get(id);
    if (!cursor || cursor.busy || cursor.pinned?.closed) {
      throw new CommandError({ code: 43, codeName: 'CursorNotFound' }, `cursor id ${id} not found`);
    }
    cursor.busy = true;
    return cursor;
  }

  /** Call it after a page: the cursor continues with `continuation`, or ends when there is none. */
  turn(cursor: Cursor, continuation: Buffer | null): void {
    cursor.busy = false;
    cursor.usedAt = Date.now();
    if (continuation) cursor.continuation = continuation;
    else this.close(cursor.id);
  }

  /** @returns whether the cursor existed */
  close(id: bigint): boolean {
    const cursor = this.open.get(id);
    if (!cursor) return false;
    this.open.delete(id);
    if (cursor.pinned) void this.giveBack(cursor.pinned);
    return true;
  }

  closeAll(): void {
    for (const { id } of [...this.open.values()]) this.close(id);
  }

  closeIdle(): void {
    const limit = Date.now() - IDLE_MS;
    for (const cursor of this.open.values()) if (!cursor.busy && cursor.usedAt < limit) this.close(cursor.id);
  }

  private evict(): void {
    const pinned = [...this.open.values()].filter((cursor) => cursor.pinned);
    if (pinned.length <= PINNED_MAX) return;
    const oldest = pinned.filter((cursor) => !cursor.busy).sort((a, b) => a.usedAt - b.usedAt)[0];
    if (oldest) this.close(oldest.id);
  }

  private async giveBack(connection: PostgresConnection): Promise<void> {
    await connection.run('CLOSE ALL').catch(() => connection.destroy());
    this.pool.release(connection);
  }
}
