import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { IMPORT_ROWS_MAX } from '@waymark/contract/imports';
import { UTM_KEYS } from '@waymark/contract/links';
import { invalid } from '@waymark/kernel/errors';
import { withoutGuard } from '@waymark/kernel/http/csv';
import type { Handling } from '@waymark/kernel/http/handling';
import { nearestTo } from '@waymark/kernel/http/unknown-names';
import { EXPORT_ONLY_COLUMNS } from '../links/export-columns.js';

const TEXT_COLUMNS = [
  'destination_url',
  'short_code',
  'title',
  'campaign_tag',
  'query_policy',
  'status',
  'domain_id',
  'folder_id',
  'utm_template_id',
] as const;
const COLUMNS: readonly string[] = [...TEXT_COLUMNS, ...UTM_KEYS, 'tag_ids'];

/** A file from an export is imported unchanged. */
const isKnown = (column: string): boolean => COLUMNS.includes(column) || EXPORT_ONLY_COLUMNS.includes(column);

/** Columns of fixed words, which users also write in capitals. */
const WORD_COLUMNS: readonly string[] = ['query_policy', 'status'];

/** A longer line is refused, since the parser would hold it in memory as a whole. */
const LINE_BYTES_MAX = 2 * 1024 * 1024;
const SLICE_BYTES = 64 * 1024;
/** An export has some twenty; each unknown one of a file costs time. */
const COLUMNS_MAX = 100;
const PROBLEMS_MAX = 20;
const NAME_LENGTH_MAX = 40;

type Cells = Record<string, string>;

/**
 * Yields the rows of a CSV text (RFC 4180, the first line has the column names), as the JSON body has them. An empty
 * cell is an absent field; any other content, without surrounding spaces, is data.
 * @throws AppError `validation_failed` on `csv` for a text without readable rows
 */
export async function* readCsv(text: string, handling: Handling): AsyncGenerator<object> {
  if (!isSeparatedWithCommas(text)) throw unreadable('The columns must be separated with commas.');
  let rows = 0;
  let columns: string[] | undefined;
  try {
    for await (const line of linesOf(text)) {
      if (!columns && tellsSeparator(line)) continue;
      if (!columns) {
        columns = readColumns(line.record, handling);
        continue;
      }
      rows += 1;
      if (rows > IMPORT_ROWS_MAX) throw unreadable(`The csv must have at most ${IMPORT_ROWS_MAX} rows.`);
      yield readRow(columns, line);
    }
  } catch (error) {
    throw error instanceof CsvError ? unreadable(messageOf(error)) : error;
  }
  if (rows === 0) throw unreadable('The csv must have a line of columns and at least one row.');
}

/** No column name contains a semicolon or a tab, so without a comma these are the separators. */
function isSeparatedWithCommas(text: string): boolean {
  const [columns = ''] = /[^\r\n]+/.exec(text) ?? [];
  return columns.includes(',') || !/[;\t]/.test(columns);
}

interface Line {
  record: string[];
  info: { lines: number };
}

/** True for the line that some spreadsheets put before the columns. */
const tellsSeparator = ({ record }: Line): boolean => record.join(',').toLowerCase() === 'sep=,';

/** The parser accepts lines of any length: `readRow`, which knows the columns, checks the number of cells. */
function linesOf(text: string): AsyncIterable<Line> {
  const options = {
    bom: true,
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: LINE_BYTES_MAX,
    info: true,
  } as const;
  return Readable.from(slices(text)).pipe(parse(options));
}

const unreadable = (...messages: string[]) => invalid({ csv: messages });

/** Yields slices of bytes: a slice of text could end within a character. */
function* slices(text: string): Generator<Buffer> {
  const bytes = Buffer.from(text);
  for (let offset = 0; offset < bytes.length; offset += SLICE_BYTES) yield bytes.subarray(offset, offset + SLICE_BYTES);
}

/** Ignores unknown columns only for a client that requests it, under both prefixes. */
function readColumns(cells: string[], { preference }: Handling): string[] {
  if (cells.length > COLUMNS_MAX) throw unreadable(`The csv must have at most ${COLUMNS_MAX} columns.`);
  const columns = cells.map((cell) => cell.trim().toLowerCase());
  const unknown = preference === 'lenient' ? [] : columns.filter((column) => !isKnown(column));
  const repeated = new Set(columns.filter((column, index) => columns.indexOf(column) < index));
  const problems = [
    ...[...new Set(unknown)].slice(0, PROBLEMS_MAX).map(unknownColumn),
    ...[...repeated].filter((column) => COLUMNS.includes(column)).map((column) => `The column ${column} is repeated.`),
    ...(columns.includes('destination_url') ? [] : ['The column destination_url is missing.']),
  ];
  if (problems.length > 0)
    throw unreadable(...problems.slice(0, PROBLEMS_MAX), `The columns are: ${COLUMNS.join(', ')}.`);
  return columns;
}

function unknownColumn(column: string): string {
  const nearest = nearestTo(column, COLUMNS);
  const name = JSON.stringify(column.slice(0, NAME_LENGTH_MAX));
  return `There is no column ${name}.${nearest === undefined ? '' : ` Did you mean "${nearest}"?`}`;
}

function readRow(columns: string[], { record: cells, info }: Line): object {
  if (cells.length < columns.length)
    throw unreadable(`Line ${info.lines} ends before the column ${columns[cells.length]}.`);
  if (cells.length > columns.length)
    throw unreadable(`Line ${info.lines} has ${cells.length} cells for ${columns.length} columns.`);
  const given: Cells = {};
  columns.forEach((column, index) => {
    const cell = withoutGuard(cells[index]!.trim());
    if (cell !== '') given[column] = WORD_COLUMNS.includes(column) ? cell.toLowerCase() : cell;
  });
  const tagIds = given['tag_ids']?.split(';').flatMap((id) => id.trim() || []);
  const utm = UTM_KEYS.filter((key) => given[key] !== undefined).map((key) => [key, given[key]]);
  return {
    ...Object.fromEntries(
      TEXT_COLUMNS.flatMap((column) => (given[column] === undefined ? [] : [[column, given[column]]])),
    ),
    ...(utm.length > 0 && { utm_defaults: Object.fromEntries(utm) as Cells }),
    ...(tagIds && tagIds.length > 0 && { tag_ids: tagIds }),
  };
}

function messageOf(error: CsvError): string {
  const line = String(error['lines']);
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') return `The quote that is opened in line ${line} is not closed.`;
  if (error.code === 'CSV_MAX_RECORD_SIZE') return `Line ${line} is longer than ${LINE_BYTES_MAX} bytes.`;
  return `Line ${line} is not valid CSV: ${error.code.replace(/^CSV_/, '').toLowerCase().replaceAll('_', ' ')}.`;
}
