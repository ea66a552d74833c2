import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { IMPORT_ROWS_MAX } from '@waymark/contract/imports';
import { UTM_KEYS } from '@waymark/contract/links';
import {
  columnMissing,
  columnRepeated,
  csvInvalid,
  knownColumns,
  tooMany,
  unknownName,
  type Problem,
} from '@waymark/contract/problems';
import { yieldingToEventLoop } from '@waymark/kernel/async/yielding-to-event-loop';
import { invalid } from '@waymark/kernel/errors';
import { withoutGuard } from '@waymark/kernel/http/csv';
import type { Handling } from '@waymark/kernel/http/handling';
import { nearestTo } from '@waymark/kernel/http/unknown-names';
import { EXPORT_ONLY_COLUMNS } from '../links/export-columns.js';
import { readRow, refusedLine, TOO_LONG, type ImportRow } from './read-row.js';

const TEXT_COLUMNS = [
  'destination_url',
  'short_code',
  'title',
  'campaign_tag',
  'query_policy',
  'starts_at',
  'expires_at',
  'expired_url',
  'status',
  'domain_id',
  'folder_id',
  'utm_template_id',
] as const;
const NUMBER_COLUMNS = ['max_scans', 'redirect_status'] as const;
const COLUMNS: readonly string[] = [...TEXT_COLUMNS, ...NUMBER_COLUMNS, 'forward_path', ...UTM_KEYS, 'tag_ids'];

/** A file from an export is imported unchanged. */
const isKnown = (column: string): boolean => COLUMNS.includes(column) || EXPORT_ONLY_COLUMNS.includes(column);

/** Columns of fixed words, which users also write in capitals. */
const WORD_COLUMNS: readonly string[] = ['query_policy', 'status', 'forward_path'];

/** The line that some spreadsheets put before the columns. */
const TELLS_SEPARATOR = /^"?sep=([,;\t])"?(?:[,;\t]*)$/i;
const SEPARATORS = [',', ';', '\t'];

const SLICE_BYTES = 16 * 1024;
const FIRST_LINE_LENGTH_MAX = 64 * 1024;
/** An export has some twenty columns. */
const COLUMNS_MAX = 100;
/** The parser holds a line in memory as a whole. */
const LINE_BYTES_MAX = 2 * 1024 * 1024;
/** More than any spelling of a valid cell takes. */
const CELL_LENGTH_MAX = 64 * 1024;
const PROBLEMS_MAX = 20;
const NAME_LENGTH_MAX = 40;

/** A program that reads a file with a mark and adds one writes two. */
const BYTE_ORDER_MARKS = /^\ufeff+/;

type Cells = Record<string, string>;

/**
 * Yields the rows of a CSV text whose first line has the column names. It follows RFC 4180, and takes what spreadsheets
 * write besides: semicolons or tabs, a line `sep=`, any mixture of line ends, lines and columns without content.
 * @throws AppError `validation_failed` on `csv` for a text without readable rows
 */
export async function* readCsv(given: string, handling: Handling): AsyncGenerator<ImportRow> {
  const text = given.replace(BYTE_ORDER_MARKS, '').replace(/\r\n?/g, '\n');
  const layout = layoutOf(text);
  let rows = 0;
  let columns: string[] | undefined;
  try {
    for await (const line of linesOf(text, layout)) {
      if (line.record.every((cell) => cell.trim() === '')) continue;
      if (!columns) {
        columns = readColumns(line.record, handling);
        continue;
      }
      rows += 1;
      if (rows > IMPORT_ROWS_MAX) throw unreadable(tooMany('csv', IMPORT_ROWS_MAX, 'rows'));
      yield badLine(columns, line) ?? readRow(cellsOf(columns, line), handling);
    }
  } catch (error) {
    throw error instanceof CsvError ? unreadable(csvInvalid(messageOf(error), { line: error['lines'] })) : error;
  }
  if (rows === 0) throw unreadable(csvInvalid('The csv must have a line of columns and at least one row.'));
}

const unreadable = (...problems: Problem[]) => invalid({ csv: problems });

interface CsvLayout {
  separator: string;
  /** The number of the line with the column names, from 1. */
  firstLine: number;
}

/**
 * Determines how the file is written. Spreadsheets separate cells as the user's language does; no column name contains a
 * separator.
 * @throws AppError `validation_failed` when a line before the rows is too long, or has too many columns
 */
function layoutOf(text: string): CsvLayout {
  const first = lineFrom(text, 0, 1);
  const told = TELLS_SEPARATOR.exec(first)?.[1];
  const firstLine = told === undefined ? 1 : 2;
  const columns = told === undefined ? first : lineFrom(text, first.length + 1, 2);
  const separator = told ?? SEPARATORS.find((each) => columns.includes(each)) ?? ',';
  if (columns.split(separator).length > COLUMNS_MAX)
    throw unreadable(csvInvalid(`Line ${firstLine} has more than ${COLUMNS_MAX} cells.`, { line: firstLine }));
  return { separator, firstLine };
}

function lineFrom(text: string, start: number, number: number): string {
  const line = text.slice(start, start + FIRST_LINE_LENGTH_MAX + 1).split('\n', 1)[0]!;
  if (line.length <= FIRST_LINE_LENGTH_MAX) return line;
  throw unreadable(csvInvalid(`Line ${number} has more than ${FIRST_LINE_LENGTH_MAX} characters.`, { line: number }));
}

interface Line {
  record: string[];
  info: { lines: number };
}

function linesOf(text: string, { separator, firstLine }: CsvLayout): AsyncIterable<Line> {
  const options = {
    delimiter: separator,
    record_delimiter: '\n',
    from_line: firstLine,
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: LINE_BYTES_MAX,
    info: true as const,
  };
  // Lines without content yield no row, so reading them must yield to the event loop as well.
  return Readable.from(yieldingToEventLoop(slices(text))).pipe(parse(options));
}

/** Yields slices of bytes: a slice of text could end within a character. */
function* slices(text: string): Generator<Buffer> {
  const bytes = Buffer.from(text);
  for (let offset = 0; offset < bytes.length; offset += SLICE_BYTES) yield bytes.subarray(offset, offset + SLICE_BYTES);
}

/** Ignores unknown columns only for a client that requests it, under both prefixes. */
function readColumns(cells: string[], { preference }: Handling): string[] {
  const columns = cells.map((cell) => cell.trim().toLowerCase());
  const unknown = preference === 'lenient' ? [] : columns.filter((column) => column !== '' && !isKnown(column));
  const repeated = new Set(columns.filter((column, index) => columns.indexOf(column) < index));
  const problems = [
    ...[...new Set(unknown)].slice(0, PROBLEMS_MAX).map(unknownColumn),
    ...[...repeated].filter((column) => COLUMNS.includes(column)).map((column) => columnRepeated(column)),
    ...(columns.includes('destination_url') ? [] : [columnMissing('destination_url')]),
  ];
  if (problems.length > 0) throw unreadable(...problems.slice(0, PROBLEMS_MAX), knownColumns(COLUMNS));
  return columns;
}

function unknownColumn(column: string): Problem {
  const nearest = nearestTo(column, COLUMNS);
  const name = JSON.stringify(column.slice(0, NAME_LENGTH_MAX));
  const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
  return unknownName('column', `There is no column ${name}.${hint}`, nearest);
}

/** Spreadsheets also write empty cells beyond the named columns, or leave them out. */
function badLine(columns: string[], { record: cells, info }: Line): ImportRow | undefined {
  if (cells.some((cell) => cell.length > CELL_LENGTH_MAX)) return TOO_LONG;
  const named = columns.findLastIndex((column) => column !== '') + 1;
  if (cells.length < named) return refusedLine(info.lines, `ends before the column ${columns[cells.length]}.`);
  const extra = cells.findLastIndex((cell) => cell.trim() !== '') + 1;
  if (extra > columns.length)
    return refusedLine(info.lines, `has ${cells.length} cells for ${columns.length} columns.`);
  return undefined;
}

/** Returns the row as a JSON body has it. An empty cell is an absent field; any other content, trimmed, is data. */
function cellsOf(columns: string[], { record: cells }: Line): object {
  const given: Cells = {};
  columns.forEach((column, index) => {
    const cell = withoutGuard((cells[index] ?? '').trim());
    if (cell === '') return;
    if (column === '') throw unreadable(csvInvalid(`The ${ordinal(index + 1)} column has no name.`));
    given[column] = WORD_COLUMNS.includes(column) ? cell.toLowerCase() : cell;
  });
  const { forward_path: forwardPath } = given;
  const tagIds = given['tag_ids']?.split(/[;,]/).flatMap((id) => id.trim() || []);
  const utm = UTM_KEYS.filter((key) => given[key] !== undefined).map((key) => [key, given[key]]);
  return {
    ...pick(given, TEXT_COLUMNS, (cell) => cell),
    ...pick(given, NUMBER_COLUMNS, (cell) => (DIGITS.test(cell) ? Number(cell) : cell)),
    ...(forwardPath !== undefined && { forward_path: TRUTHS[forwardPath] ?? forwardPath }),
    ...(utm.length > 0 && { utm_defaults: Object.fromEntries(utm) as Cells }),
    ...(tagIds && tagIds.length > 0 && { tag_ids: tagIds }),
  };
}

/** The schema refuses a cell of another form. */
const DIGITS = /^\d{1,15}$/;
/** Also as a German spreadsheet writes them. */
const TRUTHS: Readonly<Record<string, boolean>> = { true: true, false: false, wahr: true, falsch: false };

const pick = (given: Cells, columns: readonly string[], valueOf: (cell: string) => unknown): object =>
  Object.fromEntries(
    columns.flatMap((column) => (given[column] === undefined ? [] : [[column, valueOf(given[column])]])),
  );

const SUFFIXES: Record<string, string> = { one: 'st', two: 'nd', few: 'rd', other: 'th' };
const ordinals = new Intl.PluralRules('en', { type: 'ordinal' });
const ordinal = (count: number): string => `${count}${SUFFIXES[ordinals.select(count)]}`;

function messageOf(error: CsvError): string {
  const line = String(error['lines']);
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') return `The quote that is opened in line ${line} is not closed.`;
  if (error.code === 'CSV_MAX_RECORD_SIZE')
    return `The row that reaches line ${line} has more than ${LINE_BYTES_MAX} bytes.`;
  return `Line ${line} is not valid CSV: ${error.code.replace(/^CSV_/, '').toLowerCase().replaceAll('_', ' ')}.`;
}
