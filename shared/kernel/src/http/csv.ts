import { file, type Reply } from './reply.js';

export type Cell = string | number | boolean | null;

/**
 * A spreadsheet takes text that begins like this for a formula (OWASP: CSV injection), also in full width. The quote is
 * included so that a reader restores every text by removing one quote at its start.
 */
const FORMULA_START = /^[=+\-@\t\r\n'＝＋－＠]/;
const GUARDED = new RegExp(`^'${FORMULA_START.source.slice(1)}`);
const CHUNK_LENGTH = 16 * 1024;

/** Returns a file to save (RFC 4180); rows are read no faster than the client takes them. */
export function csvFile(name: string, columns: readonly string[], rows: AsyncIterable<Cell[]>): Reply {
  return file(csvText(columns, rows), { type: 'text/csv; charset=utf-8', name: `${name}.csv` });
}

/** Without it, Excel on Windows reads a file in the encoding of the system; programs take it for part of the first name. */
const BYTE_ORDER_MARK = '\ufeff';

/** Returns a reply of `csvFile` with a byte order mark where the client asks for one. */
export function withMark(reply: Reply, isWanted: boolean): Reply {
  return isWanted ? { ...reply, content: marked(reply.content as AsyncIterable<string>) } : reply;
}

async function* marked(text: AsyncIterable<string>): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK;
  yield* text;
}

/** Returns the text of such a file in chunks. */
export async function* csvText(columns: readonly string[], rows: AsyncIterable<Cell[]>): AsyncGenerator<string> {
  let chunk = csvLine(columns);
  for await (const row of rows) {
    chunk += csvLine(row);
    if (chunk.length < CHUNK_LENGTH) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(quoted).join(',')}\r\n`;
}

function quoted(cell: Cell): string {
  const text = typeof cell === 'string' && FORMULA_START.test(cell) ? `'${cell}` : String(cell ?? '');
  return `"${text.replaceAll('"', '""')}"`;
}

/** Returns the text of a cell that may come from `csvFile`; leaves a quote that guards nothing. */
export const withoutGuard = (cell: string): string => (GUARDED.test(cell) ? cell.slice(1) : cell);
