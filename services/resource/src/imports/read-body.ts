import { createImport, IMPORT_ROWS_MAX, type CreateImportBody } from '@waymark/contract/imports';
import { notJsonObject, tooManyBytes } from '@waymark/contract/problems';
import { AppError, invalid } from '@waymark/kernel/errors';
import type { Handling } from '@waymark/kernel/http/handling';
import { noProblems, parseBody } from '@waymark/kernel/http/input';
import { readCsv } from './read-csv.js';
import { readRow, TOO_LONG, type ImportRow } from './read-row.js';
import { elementsOf, InvalidJson, isList, membersOf, parseSpan, startOf, type Span } from './scan-json.js';

/** The limit of a member other than the rows: far more than `options` needs. */
const SMALL_BYTES_MAX = 64 * 1024;
/** More than any spelling of a valid row takes. */
const ROW_BYTES_MAX = 64 * 1024;

export interface ImportBody {
  options: CreateImportBody['options'];
  rows: AsyncIterable<ImportRow> | Iterable<ImportRow>;
}

/**
 * Reads the body of an import. It finds the rows in the bytes and parses them one at a time.
 * @throws AppError like a route whose body is parsed before its handler; reading the rows throws likewise
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
      throw invalid({ [shortened(name)]: [tooManyBytes(shortened(name), SMALL_BYTES_MAX, 'bytes long')] });
    }
  }
  const links = members.get('links');
  const spans = links && isList(bytes, links) ? rowSpans(bytes, links) : null;
  const others = [...members].filter(([name]) => name !== 'links' || !spans);
  const given = Object.fromEntries(others.map(([name, span]) => [name, parseMember(bytes, name, span)]));
  const whole = { ...given, ...(spans && { links: spans.map(() => null) }) };
  const body = parseBody(createImport, whole, { problems, handling });
  if (!body) throw invalid(problems);
  const { options, csv } = body;
  return {
    options,
    rows: spans ? readSpans(bytes, spans, handling) : readCsv(csv!, handling),
  };
}

/** Keeps one row more than allowed, which is enough to refuse them. */
function rowSpans(bytes: Buffer, links: Span): Span[] {
  const spans: Span[] = [];
  for (const span of elementsOf(bytes, links)) {
    if (spans.length <= IMPORT_ROWS_MAX) spans.push(span);
  }
  return spans;
}

/** Does not parse a long `links` that is no list: the schema refuses `{}` likewise. */
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

const sizeOf = ({ from, to }: Span): number => to - from;
const NAME_LENGTH_MAX = 64;
const shortened = (name: string): string => name.slice(0, NAME_LENGTH_MAX);

function noObject(bytes: Buffer): AppError {
  // Parsing a long body would only tell another JSON value from invalid JSON.
  if (bytes.length <= SMALL_BYTES_MAX) parseSpan(bytes, { from: startOf(bytes), to: bytes.length });
  return invalid({ body: [notJsonObject()] });
}

const notJson = (cause: unknown) => new AppError('bad_request', 'The body is not valid JSON.', { cause });
