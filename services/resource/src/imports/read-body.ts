import { createImport, type CreateImportBody } from '@waymark/contract/imports';
import { notJsonObject } from '@waymark/contract/problems';
import { invalid } from '@waymark/kernel/errors';
import type { Handling } from '@waymark/kernel/http/handling';
import { noProblems, parseBody } from '@waymark/kernel/http/input';
import { parseJson } from '@waymark/kernel/http/json';
import { readCsv } from './read-csv.js';
import { readRow, TOO_LONG, type ImportRow } from './read-row.js';

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

/** Blocks the event loop once, for up to 100 ms. */
function parseObject(bytes: Buffer): Record<string, unknown> {
  const body = parseJson(bytes, VALUES_MAX);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalid({ body: [notJsonObject()] });
  return body as Record<string, unknown>;
}
