import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Engine, Session } from './engine.js';
import { isStreamed, killStatement, readBody, readStatement, type Statement } from './statement.js';

/** Further requests are refused with the code by which ClickHouse refuses them. */
const RUNNING_MAX = 100;
/** As ClickHouse's `http_max_uri_size`: query parameters are part of the URL. */
const URL_BYTES_MAX = 1024 * 1024;
const BODY_BYTES_MAX = 64 * 1024 * 1024;
const ERROR_STATUS: Record<number, number> = { 60: 404, 81: 404, 159: 408, 202: 503, 241: 500, 242: 500, 394: 500 };

/** Speaks the part of ClickHouse's HTTP interface that its official client uses. */
export function createEngineServer(engine: Engine): Server {
  const running = new Set<string>();
  return createServer({ maxHeaderSize: URL_BYTES_MAX }, (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (url.pathname === '/ping') {
      response.end('Ok.\n');
      return;
    }
    answer(engine, running, { request, response, url }).catch((error: unknown) => sendError(response, error));
  });
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
}

async function answer(engine: Engine, running: Set<string>, { request, response, url }: Exchange): Promise<void> {
  const statement = readStatement(url, await readBody(request, BODY_BYTES_MAX), randomUUID);
  const { queryId } = statement;
  if (running.size >= RUNNING_MAX)
    throw exception(202, 'Too many simultaneous queries', 'TOO_MANY_SIMULTANEOUS_QUERIES');
  if (running.has(queryId))
    throw exception(216, `Query ${queryId} is running`, 'QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING');
  running.add(queryId);
  response.setHeader('X-ClickHouse-Query-Id', queryId);
  response.setHeader('X-ClickHouse-Timezone', 'UTC');
  const onClose = (): void => {
    if (!response.writableFinished && statement.cancelOnClose) void runAlone(engine, killStatement(queryId));
  };
  response.once('close', onClose);
  const session = engine.openSession();
  try {
    await session.queryAsync(statement.preamble, { format: 'Null' });
    await (isStreamed(statement) ? sendRows : sendResult)(session, statement, response);
  } finally {
    session.close();
    response.off('close', onClose);
    running.delete(queryId);
  }
}

async function sendResult(session: Session, { sql, format }: Statement, response: ServerResponse): Promise<void> {
  const result = await session.queryAsync(sql, { format });
  response.end(result.bytes());
}

/** The status is sent with the first rows, so that a statement that fails before them is answered by its error. */
async function sendRows(session: Session, { sql, format }: Statement, response: ServerResponse): Promise<void> {
  for await (const chunk of session.queryStream(sql, { format })) {
    if (response.destroyed) return;
    if (!response.write(chunk.raw())) await drained(response);
  }
  response.end();
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

async function runAlone(engine: Engine, sql: string): Promise<void> {
  const session = engine.openSession();
  try {
    await session.queryAsync(sql, { format: 'Null' });
  } catch {
    // The query has already ended.
  } finally {
    session.close();
  }
}

/** Rows that were sent cannot be taken back: the connection is cut, so that the client sees an incomplete answer. */
function sendError(response: ServerResponse, error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  const code = Number(/Code: (\d+)/.exec(text)?.[1] ?? 1000);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(ERROR_STATUS[code] ?? (code < 200 ? 400 : 500), { 'X-ClickHouse-Exception-Code': String(code) });
  response.end(`${text}\n`);
}

const exception = (code: number, text: string, name: string): Error =>
  new Error(`Code: ${code}. DB::Exception: ${text}. (${name})`);
