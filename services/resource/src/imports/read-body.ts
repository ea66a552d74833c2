import { createImport, IMPORT_ROWS_MAX, type CreateImportBody } from '@waymark/shared/contract/imports';
import { AppError, invalid } from '@waymark/shared/kernel/errors';
import type { Handling } from '@waymark/shared/kernel/http/handling';
import { noProblems, parseBody } from '@waymark/shared/kernel/http/input';
import { readCsv } from './read-csv.js';
import { readRow, TOO_LONG, type ImportRow } from './read-row.js';
import { elementsOf, InvalidJson, isList, membersOf, parseSpan, startOf, type Span } from './scan-json.js';

/** Of a member other than the rows: what `options` can need, and far more. */
const SMALL_BYTES_MAX = 64 * 1024;
/** Above what a valid row takes, however it is written. */
const ROW_BYTES_MAX = 64 * 1024;

export interface ImportBody {
  options: CreateImportBody['options'];
  rows: AsyncIterable<ImportRow> | Iterable<ImportRow>;
}

/**
 * Reads the body of an import. Rows are found in the bytes and built one at a time.
 * @throws AppError as a route does whose body is parsed before its handler; reading the rows throws likewise
 */
export function readBody(bytes: Buffer, handling: Handling): ImportBody {
  try {
    return readMembers(bytes.length === 0 ? Buffer.from('{}') : bytes, handling);
  } catch (error) {
    throw error instanceof InvalidJson ? notJson(error) : error;
  }
}

function readMembers(bytes: Buffer, handling: Handling): ImportBody {
  if (bytes[startOf(bytes)] !== '{'.charCodeAt(0)) throw noObject(bytes);
  const members = membersOf(bytes);
  const problems = noProblems();
  for (const [name, span] of members) {
    if (!['links', 'csv'].includes(name) && sizeOf(span) > SMALL_BYTES_MAX) {
      throw invalid({ [shortened(name)]: [`Must be at most ${SMALL_BYTES_MAX} bytes long.`] });
    }
  }
  const links = members.get('links');
  const spans = links && isList(bytes, links) ? rowSpans(bytes, links) : null;
  const others = [...members].filter(([name]) => name !== 'links' || !spans);
  const given = Object.fromEntries(others.map(([name, span]) => [name, parseMember(bytes, name, span)]));
  const whole = { ...given, ...(spans && { links: spans.map(() => null) }) };
  const body = parseBody(createImport, whole, problems, handling);
  if (!body) throw invalid(problems);
  const { options, csv } = body;
  return { options, rows: spans ? readSpans(bytes, spans, handling) : readCsvRows(csv!, handling) };
}

/** One more than are allowed are enough to refuse them. */
function rowSpans(bytes: Buffer, links: Span): Span[] {
  const spans: Span[] = [];
  for (const span of elementsOf(bytes, links)) {
    if (spans.length <= IMPORT_ROWS_MAX) spans.push(span);
  }
  return spans;
}

/** A long `links` that is no list is refused as what it is without being built. */
function parseMember(bytes: Buffer, name: string, span: Span): unknown {
  const isLarge = sizeOf(span) > SMALL_BYTES_MAX;
  const isText = bytes[span.from] === '"'.charCodeAt(0);
  return isLarge && !(name === 'csv' && isText) ? {} : parseSpan(bytes, span);
}

function* readSpans(bytes: Buffer, spans: Span[], handling: Handling): Generator<ImportRow> {
  for (const span of spans) {
    if (sizeOf(span) > ROW_BYTES_MAX) yield TOO_LONG;
    else yield readRow(parseRow(bytes, span), handling);
  }
}

function parseRow(bytes: Buffer, span: Span): unknown {
  try {
    return parseSpan(bytes, span);
  } catch (error) {
    throw notJson(error);
  }
}

async function* readCsvRows(csv: string, handling: Handling): AsyncGenerator<ImportRow> {
  for await (const row of readCsv(csv, handling)) {
    yield JSON.stringify(row).length > ROW_BYTES_MAX ? TOO_LONG : readRow(row, handling);
  }
}

const sizeOf = ({ from, to }: Span): number => to - from;
const NAME_LENGTH_MAX = 64;
const shortened = (name: string): string => name.slice(0, NAME_LENGTH_MAX);

function noObject(bytes: Buffer): AppError {
  // A long one is not worth building to tell a list from what is no JSON at all.
  if (bytes.length <= SMALL_BYTES_MAX) parseSpan(bytes, { from: startOf(bytes), to: bytes.length });
  return invalid({ body: ['The body must be a JSON object.'] });
}

const notJson = (cause: unknown) => new AppError('bad_request', 'The body is not valid JSON.', { cause });
