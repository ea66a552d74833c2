import type { TransactionFields } from './command.js';
import { CommandError, noSuchTransaction } from './errors.js';
import type { PostgresConnection, Statement } from './postgres-connection.js';
import type { PostgresPool } from './postgres-pool.js';

/**
 * As in MongoDB: one snapshot for the whole transaction, and the second writer of a document loses,
 * here after a short wait for the first (which spares the driver needless repeats; see `setConflictWait`).
 */
const BEGIN = 'BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL lock_timeout =';
/** PostgreSQL takes 0 for no limit. */
const CONFLICT_WAIT_MIN_MS = 1;
const IDLE_MS = 60_000;
const REMEMBERED = "interval '30 minutes'";

/** Each transaction writes a row, so that a commit retried after a crash learns whether the first one happened. */
const SETUP = `CREATE TABLE IF NOT EXISTS public.wire_commits
  (session bytea PRIMARY KEY, number bigint NOT NULL, at timestamptz NOT NULL DEFAULT now())`;
const NOTE: Statement = {
  name: 'note_commit',
  sql: `INSERT INTO public.wire_commits (session, number) VALUES ($1, $2)
        ON CONFLICT (session) DO UPDATE SET number = excluded.number, at = now()`,
};
const LOOK_UP: Statement = {
  name: 'look_up_commit',
  sql: 'SELECT 1 FROM public.wire_commits WHERE session = $1 AND number = $2',
};

interface Transaction {
  number: bigint;
  connection: PostgresConnection;
  client: object;
  usedAt: number;
}

/** One pinned PostgreSQL connection per running transaction, by session. */
export class Transactions {
  private readonly running = new Map<string, Transaction>();

  constructor(
    private readonly pool: PostgresPool,
    private conflictWaitMs = 250,
  ) {}

  /** How long the second writer of a document waits for the first; 0 as MongoDB, which never waits. */
  setConflictWait(waitMs: number): void {
    this.conflictWaitMs = waitMs;
  }

  async connectionFor(fields: TransactionFields, client: object): Promise<PostgresConnection> {
    if (fields.starts) return this.begin(fields, client);
    const transaction = this.find(fields);
    if (!transaction) throw noSuchTransaction();
    transaction.client = client;
    transaction.usedAt = Date.now();
    return transaction.connection;
  }

  async setUp(): Promise<void> {
    await this.pool.run(SETUP);
  }

  async commit(fields: TransactionFields): Promise<void> {
    const transaction = this.find(fields);
    if (!transaction) {
      if (await this.hasCommitted(fields)) return;
      throw noSuchTransaction();
    }
    // Sent ahead of the COMMIT without waiting; when it fails, PostgreSQL answers ROLLBACK to the COMMIT.
    transaction.connection.query(NOTE, commitKey(fields)).catch(() => undefined);
    const { tag } = await this.end(fields.session, transaction, 'COMMIT');
    if (tag !== 'COMMIT') throw noSuchTransaction();
  }

  /** Also succeeds for a transaction that no longer exists, as MongoDB's drivers ignore the outcome. */
  async abort(fields: TransactionFields): Promise<void> {
    const transaction = this.find(fields);
    if (transaction) await this.end(fields.session, transaction, 'ROLLBACK');
  }

  async abortSession(session: string): Promise<void> {
    const transaction = this.running.get(session);
    if (transaction) await this.end(session, transaction, 'ROLLBACK');
  }

  /** Call it when the client's socket has closed: no request can continue its transactions. */
  abortClient(client: object): void {
    this.abortWhere((transaction) => transaction.client === client);
  }

  abortAll(): void {
    this.abortWhere(() => true);
  }

  abortIdle(): void {
    const limit = Date.now() - IDLE_MS;
    this.abortWhere((transaction) => transaction.usedAt < limit);
  }

  private find(fields: TransactionFields): Transaction | undefined {
    const transaction = this.running.get(fields.session);
    if (transaction?.number !== fields.number) return undefined;
    if (!transaction.connection.closed) return transaction;
    this.running.delete(fields.session);
    return undefined;
  }

  private async begin(fields: TransactionFields, client: object): Promise<PostgresConnection> {
    const earlier = this.running.get(fields.session);
    if (earlier && earlier.number >= fields.number) {
      throw new CommandError(
        { code: 225, codeName: 'TransactionTooOld' },
        `transaction ${fields.number} of this session is over`,
      );
    }
    if (earlier) await this.end(fields.session, earlier, 'ROLLBACK');
    const connection = await this.pool.acquire();
    this.running.set(fields.session, { number: fields.number, connection, client, usedAt: Date.now() });
    // Sent ahead of the first statement without waiting; a failure shows in that statement.
    connection.run(`${BEGIN} ${Math.max(this.conflictWaitMs, CONFLICT_WAIT_MIN_MS)}`).catch(() => undefined);
    return connection;
  }

  private async end(session: string, transaction: Transaction, sql: string): Promise<{ tag: string }> {
    this.running.delete(session);
    try {
      return await transaction.connection.run(sql);
    } finally {
      this.pool.release(transaction.connection);
    }
  }

  private abortWhere(chosen: (transaction: Transaction) => boolean): void {
    for (const [session, transaction] of this.running) {
      if (chosen(transaction)) this.end(session, transaction, 'ROLLBACK').catch(() => undefined);
    }
  }

  async forgetCommits(): Promise<void> {
    await this.pool.run(`DELETE FROM public.wire_commits WHERE at < now() - ${REMEMBERED}`);
  }

  private async hasCommitted(fields: TransactionFields): Promise<boolean> {
    const { rows } = await this.pool.query(LOOK_UP, commitKey(fields));
    return rows.length > 0;
  }
}

function commitKey(fields: TransactionFields): Buffer[] {
  const number = Buffer.alloc(8);
  number.writeBigInt64BE(fields.number);
  return [Buffer.from(fields.session, 'hex'), number];
}
