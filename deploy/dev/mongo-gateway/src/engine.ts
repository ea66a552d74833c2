import { Cursors } from './cursors.js';
import { collectionOf, type Command } from './command.js';
import { DuplicateUpsert, isConflict } from './errors.js';
import type { PostgresConnection, Row, Statement } from './postgres-connection.js';
import type { PostgresPool } from './postgres-pool.js';
import { RetryQueue } from './retry-queue.js';
import { Transactions } from './transactions.js';

const CONFLICT_RETRIES_MAX = 20;
const UPSERT_RETRIES_MAX = 2;

type Use<T> = (connection: PostgresConnection, keep: () => void) => Promise<T>;

/** The context of one request: its client, and the state that outlives requests. */
export interface Engine {
  pool: PostgresPool;
  transactions: Transactions;
  cursors: Cursors;
  retries: RetryQueue;
}

export function createEngine(pool: PostgresPool, conflictWaitMs?: number): Engine {
  return {
    pool,
    transactions: new Transactions(pool, conflictWaitMs),
    cursors: new Cursors(pool),
    retries: new RetryQueue(),
  };
}

export interface Request {
  command: Command;
  /** Identity of the client's socket. */
  client: object;
}

/** A statement with the values of its parameters. */
export interface Query {
  statement: Statement;
  values: (Buffer | null)[];
}

/** The first row of a statement, in the request's transaction if it has one. */
export async function runStatement(engine: Engine, request: Request, { statement, values }: Query): Promise<Row> {
  return withConnection(engine, request, async (connection) => {
    const { rows } = await connection.query(statement, values);
    return rows[0] ?? [];
  });
}

/** `use` may keep the connection of a request outside a transaction by answering through `keep`. */
export async function withConnection<T>(engine: Engine, request: Request, use: Use<T>): Promise<T> {
  const { transaction } = request.command;
  if (!transaction) return autocommit(engine, request, use);
  const connection = await engine.transactions.connectionFor(transaction, request.client);
  try {
    return await use(connection, () => undefined);
  } catch (error) {
    // As in MongoDB, a failed command ends its transaction.
    await engine.transactions.abort(transaction);
    throw error;
  }
}

/** Retries a single write after a conflict, as MongoDB does; a failed statement has changed nothing. */
async function autocommit<T>(engine: Engine, request: Request, use: Use<T>): Promise<T> {
  try {
    return await once(engine, use);
  } catch (error) {
    if (retriesFor(error) === 0) throw error;
  }
  const namespace = `${request.command.database}.${collectionOf(request.command)}`;
  return engine.retries.run(namespace, () => repeated(engine, use));
}

async function repeated<T>(engine: Engine, use: Use<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await once(engine, use);
    } catch (error) {
      if (attempt >= retriesFor(error)) throw error;
    }
  }
}

function retriesFor(error: unknown): number {
  if (error instanceof DuplicateUpsert) return UPSERT_RETRIES_MAX;
  return isConflict(error) ? CONFLICT_RETRIES_MAX : 0;
}

async function once<T>(engine: Engine, use: Use<T>): Promise<T> {
  const connection = await engine.pool.acquire();
  let kept = false;
  try {
    return await use(connection, () => (kept = true));
  } finally {
    if (!kept) engine.pool.release(connection);
  }
}
