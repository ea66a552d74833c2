import type { IncomingMessage } from 'node:http';

/** One request of ClickHouse's HTTP interface: https://clickhouse.com/docs/interfaces/http */
export interface Statement {
  queryId: string;
  /** `USE` and `SET` for the session, without which the statement would run on the defaults. */
  preamble: string;
  sql: string;
  format: string;
  cancelOnClose: boolean;
  /** Whether the answer starts after the last row, so that every error has its status. */
  waitsForEnd: boolean;
}

/** Settings of the HTTP server itself; the engine does not know them. */
const HTTP_SETTINGS = new Set([
  'cancel_http_readonly_queries_on_client_close',
  'enable_http_compression',
  'http_headers_progress_interval_ms',
  'http_response_buffer_size',
  'send_progress_in_http_headers',
  'wait_end_of_query',
]);
/** Arguments that are neither settings nor query parameters. */
const ARGUMENTS = new Set([
  'query',
  'query_id',
  'database',
  'default_format',
  'session_id',
  'role',
  'user',
  'password',
]);
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

export function readStatement(url: URL, body: string, newId: () => string): Statement {
  const parameters = url.searchParams;
  const query = parameters.get('query');
  const queryId = parameters.get('query_id') ?? newId();
  const preamble = [`SET log_comment = ${quote(queryId)}`];
  const database = parameters.get('database');
  if (database) preamble.push(`USE ${quoteIdentifier(database)}`);
  for (const [name, value] of parameters) {
    if (ARGUMENTS.has(name) || HTTP_SETTINGS.has(name)) continue;
    if (!IDENTIFIER.test(name))
      throw new Error(`Code: 115. DB::Exception: Unknown setting '${name}' (UNKNOWN_SETTING)`);
    preamble.push(`SET ${name} = ${quote(value)}`);
  }
  return {
    queryId,
    preamble: preamble.join('; '),
    sql: byComment(query === null ? body : body === '' ? query : `${query}\n${body}`),
    format: parameters.get('default_format') ?? 'TabSeparated',
    cancelOnClose: parameters.get('cancel_http_readonly_queries_on_client_close') === '1',
    waitsForEnd: parameters.get('wait_end_of_query') === '1',
  };
}

export async function readBody(request: IncomingMessage, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new Error('Code: 307. DB::Exception: The request is too large (TOO_MANY_BYTES)');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Whether rows can be passed on as they come: other formats are one document. */
export function isStreamed({ sql, format, waitsForEnd }: Statement): boolean {
  if (waitsForEnd) return false;
  const named = /\bFORMAT\s+(\w+)\s*$/i.exec(sql)?.[1] ?? format;
  return /^\s*(SELECT|WITH)\b/i.test(sql) && /^JSON(Compact)?EachRow$/i.test(named);
}

export const killStatement = (queryId: string): string => byComment(`KILL QUERY WHERE query_id = ${quote(queryId)}`);

/** The library chooses query ids itself; `log_comment` carries ours. */
function byComment(sql: string): string {
  return /^\s*KILL\s+QUERY\b/i.test(sql) ? sql.replaceAll(/\bquery_id\b/g, "Settings['log_comment']") : sql;
}

const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
const quoteIdentifier = (name: string): string => `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
