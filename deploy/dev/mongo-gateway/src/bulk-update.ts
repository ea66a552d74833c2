import { deserialize, serialize, type Document } from 'bson';
import type { Command } from './command.js';
import type { Engine, Request } from './engine.js';
import { DUPLICATE_KEY, WRITE_CONFLICT } from './error-codes.js';
import { isUpsertOperation, operationsOf } from './operations.js';
import type { PostgresConnection, Row } from './postgres-connection.js';
import { UPDATE_BULK } from './statements.js';

/** One update as a request of its own: atomic, and retried until it meets no other writer. */
export type UpdateOne = (request: Request) => Promise<Buffer>;

/** Bulk updates outside a transaction are one atomic write each, as in MongoDB; one statement would deadlock. */
export function isBulkUpdate({ command }: Request): boolean {
  return command.name === 'update' && !command.transaction && operationsOf(command).length > 1;
}

/** Commits write by write: only writes that conflicted with another writer are retried, never the whole. */
export async function callUpdateBulk(engine: Engine, values: (Buffer | null)[]): Promise<Row> {
  const connection = await engine.pool.acquire();
  try {
    // Sent around the call without waiting: a deadlock then fails one write and not the rest of the call.
    throwDeadlocks(connection, 'off');
    const answered = connection.query(UPDATE_BULK, values);
    throwDeadlocks(connection, 'on');
    const { rows } = await answered;
    return rows[0] ?? [];
  } finally {
    engine.pool.release(connection);
  }
}

function throwDeadlocks(connection: PostgresConnection, value: 'on' | 'off'): void {
  connection.run(`SET documentdb.throwDeadlockOnCRUD = ${value}`).catch(() => undefined);
}

/** `reply`, after another attempt at each update that met another writer; an ordered bulk continues from there. */
export async function finishBulk(request: Request, reply: Buffer, updateOne: UpdateOne): Promise<Buffer> {
  const { command } = request;
  const operations = operationsOf(command);
  const merged = deserialize(reply, { promoteValues: false });
  const errors = deserialize(reply).writeErrors as { index: number; code: number }[];
  const again = errors.filter(({ index, code }) => metOther(operations[index]!, code)).map(({ index }) => index);
  if (again.length === 0 || !command.sequences.has('updates')) return reply;
  const ordered = command.fields.boolean('ordered') !== false;
  const indexes = ordered ? operations.map((_, index) => index).slice(again[0]) : again;
  const totals = new Totals(merged, indexes);
  for (const index of indexes) {
    const one = deserialize(await updateOne({ ...request, command: single(command, operations[index]!) }));
    totals.add(one, index);
    if (ordered && one.writeErrors) break;
  }
  return totals.reply();
}

function metOther(operation: Buffer, code: number): boolean {
  return code === WRITE_CONFLICT || (code === DUPLICATE_KEY && isUpsertOperation(operation));
}

function single(command: Command, operation: Buffer): Command {
  return { ...command, sequences: new Map([['updates', operation]]) };
}

class Totals {
  private n: number;
  private nModified: number;
  private readonly upserted: Document[];
  private readonly writeErrors: Document[];

  constructor(first: Document, repeated: number[]) {
    this.n = Number(first.n ?? 0);
    this.nModified = Number(first.nModified ?? 0);
    this.upserted = [...((first.upserted as Document[] | undefined) ?? [])];
    const errors = (first.writeErrors as Document[] | undefined) ?? [];
    this.writeErrors = errors.filter(({ index }) => !repeated.includes(Number(index)));
  }

  add(one: Document, index: number): void {
    this.n += Number(one.n ?? 0);
    this.nModified += Number(one.nModified ?? 0);
    for (const upserted of (one.upserted as Document[] | undefined) ?? []) this.upserted.push({ ...upserted, index });
    for (const error of (one.writeErrors as Document[] | undefined) ?? []) this.writeErrors.push({ ...error, index });
  }

  reply(): Buffer {
    const { n, nModified, upserted, writeErrors } = this;
    const lists = { ...(upserted.length && { upserted }), ...(writeErrors.length && { writeErrors }) };
    return Buffer.from(serialize({ ok: 1, n, nModified, ...lists }));
  }
}
