import { deserialize, serialize } from 'bson';
import { collectionOf, sessionKey, specOf } from './command.js';
import { CommandError } from './errors.js';
import { explain } from './explain.js';
import { runStatement, withConnection, type Engine, type Query, type Request } from './engine.js';
import type { Row } from './postgres-connection.js';
import {
  COLL_MOD,
  COLL_STATS,
  DATABASE_COMMANDS,
  DB_STATS,
  DROP,
  DROP_DATABASE,
  DROP_INDEXES,
  FIND_AND_MODIFY,
  GET_MORE,
  LIST_DATABASES,
  RENAME,
  type DatabaseCommand,
} from './statements.js';
import { refuseKnownBugs } from './known-bugs.js';
import { write } from './writes.js';

type Handler = (engine: Engine, request: Request) => Promise<Buffer>;

const OK = Buffer.from(serialize({ ok: 1 }));
const ok = (): Promise<Buffer> => Promise.resolve(OK);

const HANDLERS: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ...[...DATABASE_COMMANDS].map(([name, statement]): [string, Handler] => [
    name,
    (engine, request) => runDatabaseCommand(engine, request, statement),
  ]),
  ['findAndModify', (engine, request) => runDatabaseCommand(engine, request, FIND_AND_MODIFY)],
  ['findandmodify', (engine, request) => runDatabaseCommand(engine, request, FIND_AND_MODIFY)],
  ['explain', explain],
  ['getMore', getMore],
  ['killCursors', killCursors],
  ['commitTransaction', commitTransaction],
  ['abortTransaction', abortTransaction],
  ['endSessions', endSessions],
  ['refreshSessions', ok],
  ['ping', ok],
  ['drop', drop],
  ['dropDatabase', dropDatabase],
  [
    'dropIndexes',
    (engine, request) =>
      firstColumn(engine, request, { statement: DROP_INDEXES, values: [database(request), spec(request)] }),
  ],
  [
    'deleteIndexes',
    (engine, request) =>
      firstColumn(engine, request, { statement: DROP_INDEXES, values: [database(request), spec(request)] }),
  ],
  [
    'collMod',
    (engine, request) =>
      firstColumn(engine, request, {
        statement: COLL_MOD,
        values: [database(request), collection(request), spec(request)],
      }),
  ],
  [
    'collStats',
    (engine, request) =>
      firstColumn(engine, request, { statement: COLL_STATS, values: [database(request), collection(request)] }),
  ],
  ['dbStats', (engine, request) => firstColumn(engine, request, { statement: DB_STATS, values: [database(request)] })],
  [
    'listDatabases',
    (engine, request) => firstColumn(engine, request, { statement: LIST_DATABASES, values: [spec(request)] }),
  ],
  [
    'renameCollection',
    (engine, request) => firstColumn(engine, request, { statement: RENAME, values: [spec(request)] }),
  ],
]);

/** Returns the reply document of a command; rejects with an error for `toCommandError`. */
export async function answer(engine: Engine, request: Request): Promise<Buffer> {
  const { name } = request.command;
  const handler = HANDLERS.get(name);
  if (!handler) throw new CommandError({ code: 59, codeName: 'CommandNotFound' }, `no such command: '${name}'`);
  return handler(engine, request);
}

const database = (request: Request): Buffer => Buffer.from(request.command.database);
const collection = (request: Request): Buffer => Buffer.from(collectionOf(request.command));
const spec = (request: Request): Buffer => specOf(request.command);

async function firstColumn(engine: Engine, request: Request, query: Query): Promise<Buffer> {
  const [document] = await runStatement(engine, request, query);
  return document?.length ? document : OK;
}

function runDatabaseCommand(engine: Engine, request: Request, statement: DatabaseCommand): Promise<Buffer> {
  if (statement.shape === 'page') return firstPage(engine, request, statement);
  if (statement.shape === 'write') return write(engine, request, statement);
  return firstColumn(engine, request, { statement, values: [database(request), spec(request)] });
}

async function firstPage(engine: Engine, request: Request, statement: DatabaseCommand): Promise<Buffer> {
  const { command } = request;
  const checked = spec(request);
  refuseKnownBugs(checked);
  return withConnection(engine, request, async (connection, keep) => {
    const { rows } = await connection.query(statement, [database(request), checked]);
    const row: Row = rows[0] ?? [];
    if (engine.cursors.register(row, connection, command)) keep();
    return row[0]!;
  });
}

async function getMore(engine: Engine, request: Request): Promise<Buffer> {
  const cursor = engine.cursors.take(request.command.fields.bigint('getMore') ?? 0n);
  const values = [Buffer.from(cursor.database), spec(request), cursor.continuation];
  try {
    const [page, continuation] = cursor.pinned
      ? ((await cursor.pinned.query(GET_MORE, values)).rows[0] ?? [])
      : await runStatement(engine, request, { statement: GET_MORE, values });
    engine.cursors.turn(cursor, continuation ?? null);
    return page!;
  } catch (error) {
    engine.cursors.close(cursor.id);
    throw error;
  }
}

function killCursors(engine: Engine, request: Request): Promise<Buffer> {
  const { cursors } = deserialize(specOf(request.command), { useBigInt64: true }) as { cursors?: bigint[] };
  const cursorsKilled: bigint[] = [];
  const cursorsNotFound: bigint[] = [];
  for (const id of cursors ?? []) (engine.cursors.close(id) ? cursorsKilled : cursorsNotFound).push(id);
  const reply = { cursorsKilled, cursorsNotFound, cursorsAlive: [], cursorsUnknown: [], ok: 1 };
  return Promise.resolve(Buffer.from(serialize(reply)));
}

async function commitTransaction(engine: Engine, request: Request): Promise<Buffer> {
  if (request.command.transaction) await engine.transactions.commit(request.command.transaction);
  return OK;
}

async function abortTransaction(engine: Engine, request: Request): Promise<Buffer> {
  if (request.command.transaction) await engine.transactions.abort(request.command.transaction);
  return OK;
}

async function endSessions(engine: Engine, request: Request): Promise<Buffer> {
  const { endSessions: sessions } = deserialize(specOf(request.command), { promoteBuffers: true }) as {
    endSessions?: object[];
  };
  for (const session of sessions ?? []) {
    await engine.transactions.abortSession(sessionKey(Buffer.from(serialize(session))));
  }
  return OK;
}

async function drop(engine: Engine, request: Request): Promise<Buffer> {
  const name = collectionOf(request.command);
  const [dropped] = await runStatement(engine, request, {
    statement: DROP,
    values: [database(request), Buffer.from(name)],
  });
  const ns = `${request.command.database}.${name}`;
  return Buffer.from(serialize(dropped?.[0] === 1 ? { nIndexesWas: 1, ns, ok: 1 } : { ok: 1 }));
}

async function dropDatabase(engine: Engine, request: Request): Promise<Buffer> {
  await runStatement(engine, request, { statement: DROP_DATABASE, values: [database(request)] });
  return Buffer.from(serialize({ dropped: request.command.database, ok: 1 }));
}
