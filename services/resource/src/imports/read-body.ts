import { createImport, type CreateImportBody } from '@waymark/contract/imports';
import { notJsonObject, tooDeep, tooMany } from '@waymark/contract/problems';
import { AppError, invalid } from '@waymark/kernel/errors';
import type { Handling } from '@waymark/kernel/http/handling';
import { noProblems, parseBody } from '@waymark/kernel/http/input';
import { readCsv } from './read-csv.js';
import { readRow, TOO_LONG, type ImportRow } from './read-row.js';

/** As for every other body. */
const DEPTH_MAX = 64;
/** Fifty for each of 10,000 rows, more than 10 MiB of valid rows can have; parsed they take 60 MB. */
const VALUES_MAX = 500_000;
/** More than any spelling of a valid row takes. */
const ROW_LENGTH_MAX = 64 * 1024;

export interface ImportBody {
  options: CreateImportBody['options'];
  rows: AsyncIterable<ImportRow> | Iterable<ImportRow>;
}

/** @throws AppError like a route whose body is parsed before its handler; reading the rows of a `csv` throws likewise */
export function readBody(bytes: Buffer, handling: Handling): ImportBody {
  const given = parseObject(bytes.length === 0 ? Buffer.from('{}') : bytes);
  const { links } = given;
  // Each row is checked on its own.
  const whole = Array.isArray(links) ? { ...given, links: links.map(() => null) } : given;
  const problems = noProblems();
  const body = parseBody(createImport, whole, { problems, handling });
  if (!body) throw invalid(problems);
  const { options, csv } = body;
  return { options, rows: Array.isArray(links) ? readLinks(links, handling) : readCsv(csv!, handling) };
}

function* readLinks(links: unknown[], handling: Handling): Generator<ImportRow> {
  for (const row of links) yield JSON.stringify(row).length > ROW_LENGTH_MAX ? TOO_LONG : readRow(row, handling);
}

function parseObject(bytes: Buffer): Record<string, unknown> {
  checkValues(bytes);
  const body = parseJson(bytes);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalid({ body: [notJsonObject()] });
  return body as Record<string, unknown>;
}

/** Blocks the event loop once, for up to 100 ms. */
function parseJson(bytes: Buffer): unknown {
  try {
    // Without a byte order mark, which some programs put in front.
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    throw new AppError('bad_request', 'The body is not valid JSON.', { cause: error });
  }
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
/** `[` and `{`, `]` and `}`: each pair differs in this bit alone. */
const BRACE_BIT = 0x20;
const [OPEN, CLOSE] = [0x7b, 0x7d];

/** Refuses a body whose values would fill the heap; one that is not JSON may pass. */
function checkValues(bytes: Buffer): void {
  let depth = 0;
  let values = 1;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index]!;
    if (byte === QUOTE) index = endOfText(bytes, index);
    else if (byte === COMMA) values += 1;
    else if ((byte | BRACE_BIT) === OPEN) {
      depth += 1;
      values += 1;
    } else if ((byte | BRACE_BIT) === CLOSE) depth -= 1;
    if (depth > DEPTH_MAX) throw invalid({ body: [tooDeep('body', DEPTH_MAX)] });
    if (values > VALUES_MAX) throw invalid({ body: [tooMany('body', VALUES_MAX, 'values')] });
  }
}

function endOfText(bytes: Buffer, start: number): number {
  let index = start + 1;
  while (index < bytes.length && bytes[index] !== QUOTE) index += bytes[index] === BACKSLASH ? 2 : 1;
  return index;
}
