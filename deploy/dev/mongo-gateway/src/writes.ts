import { deserialize, serialize, type Document } from 'bson';
import { callUpdateBulk, finishBulk, isBulkUpdate } from './bulk-update.js';
import { collectionOf, specOf } from './command.js';
import { explainDuplicateKey, type Database } from './duplicate-key.js';
import { withConnection, type Engine, type Request } from './engine.js';
import { DUPLICATE_KEY, mongoCode, unpackSqlState, WRITE_CONFLICT } from './error-codes.js';
import { CommandError, DuplicateUpsert, toCommandError, writeConflict } from './errors.js';
import { isUpsert } from './operations.js';
import { PostgresError } from './postgres-connection.js';
import { COUNT, type DatabaseCommand } from './statements.js';

interface WriteError {
  index: number;
  code: number;
  errmsg: string;
  keyPattern?: Document;
  keyValue?: Document;
}

/** insert, update, delete and findAndModify. */
export async function write(engine: Engine, request: Request, statement: DatabaseCommand): Promise<Buffer> {
  const { command } = request;
  const values: (Buffer | null)[] = [Buffer.from(command.database), specOf(command)];
  if (statement.sequence) values.push(command.sequences.get(statement.sequence) ?? null);
  try {
    if (isBulkUpdate(request)) return await bulkUpdate(engine, request, { statement, values });
    return await withConnection(engine, request, async (connection) => {
      const { rows } = await connection.query(statement, values).catch((error: unknown) => {
        throw raceOrError(request, error);
      });
      const [result, success] = rows[0] ?? [];
      return success?.[0] === 1
        ? result!
        : await failedWrites(engine, request, { database: connection, result: result! });
    });
  } catch (error) {
    if (error instanceof DuplicateUpsert && error.reply) return error.reply;
    throw await explained(engine, request, error);
  }
}

async function bulkUpdate(
  engine: Engine,
  request: Request,
  { statement, values }: { statement: DatabaseCommand; values: (Buffer | null)[] },
): Promise<Buffer> {
  const [result, success] = await callUpdateBulk(engine, values);
  if (success?.[0] === 1) return result!;
  const { reply } = await describeWriteErrors(engine.pool, request, result!);
  return finishBulk(request, reply, (single) => write(engine, single, statement));
}

/** The reply with its `writeErrors` in MongoDB's terms; rejects where MongoDB would not have failed like this. */
async function failedWrites(
  engine: Engine,
  request: Request,
  { database, result }: { database: Database; result: Buffer },
): Promise<Buffer> {
  const { reply, errors, lostRace } = await describeWriteErrors(database, request, result);
  const { transaction } = request.command;
  if (errors.some(({ code }) => code === WRITE_CONFLICT)) throw writeConflict();
  const duplicate = errors.find(({ code }) => code === DUPLICATE_KEY);
  if (!transaction) {
    if (duplicate && errors.length === 1 && isUpsert(request.command)) throw new DuplicateUpsert(reply);
    return reply;
  }
  if (lostRace || (duplicate && (await isUnseen(database, request, duplicate)))) throw writeConflict();
  await engine.transactions.abort(transaction);
  return reply;
}

async function describeWriteErrors(database: Database, { command }: Request, result: Buffer) {
  // Numbers keep their BSON types on the way through.
  const document = deserialize(result, { promoteValues: false });
  const errors: WriteError[] = [];
  let lostRace = false;
  for (const error of deserialize(result).writeErrors as WriteError[]) {
    const { code } = mongoCode(unpackSqlState(error.code));
    if (code === DUPLICATE_KEY) {
      const duplicate = await explainDuplicateKey(database, command, { index: error.index, message: error.errmsg });
      lostRace ||= duplicate.lostRace;
      errors.push({ index: error.index, code, ...tellable(duplicate) });
    } else errors.push({ ...error, code });
  }
  return { reply: Buffer.from(serialize({ ...document, writeErrors: errors })), errors, lostRace };
}

function tellable({ errmsg, keyPattern, keyValue }: Omit<WriteError, 'index' | 'code'>) {
  return { errmsg, ...(keyPattern && { keyPattern }), ...(keyValue && { keyValue }) };
}

/** MongoDB calls it a write conflict when the other document was written after the transaction's snapshot. */
async function isUnseen(database: Database, { command }: Request, { keyValue }: WriteError): Promise<boolean> {
  if (!keyValue || command.name !== 'insert') return false;
  const query = Buffer.from(serialize({ count: collectionOf(command), query: anyOf(keyValue) }));
  const { rows } = await database.query(COUNT, [Buffer.from(command.database), query]);
  return deserialize(rows[0]![0]!).n === 0;
}

/** Each element of an array has a key of its own. */
function anyOf(keyValue: Document): Document {
  const entries = Object.entries(keyValue);
  return Object.fromEntries(entries.map(([path, value]) => [path, Array.isArray(value) ? { $in: value } : value]));
}

function raceOrError({ command }: Request, error: unknown): unknown {
  if (!(error instanceof PostgresError) || toCommandError(error).code !== DUPLICATE_KEY) return error;
  return isUpsert(command) && !command.transaction ? new DuplicateUpsert(undefined, error) : error;
}

async function explained(engine: Engine, { command }: Request, error: unknown): Promise<unknown> {
  const cause = error instanceof DuplicateUpsert ? error.cause : error;
  if (!(cause instanceof PostgresError) || toCommandError(cause).code !== DUPLICATE_KEY) return cause;
  const duplicate = await explainDuplicateKey(engine.pool, command, { index: 0, message: cause.message });
  if (duplicate.lostRace && command.transaction) return writeConflict();
  const { errmsg, ...extra } = tellable(duplicate);
  return new CommandError({ code: DUPLICATE_KEY, codeName: 'DuplicateKey' }, errmsg, extra);
}
