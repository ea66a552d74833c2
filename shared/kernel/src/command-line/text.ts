import { styleText } from 'node:util';
import type { Listing } from './command.js';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
const isEmpty = (value: Record<string, unknown>): boolean => Object.keys(value).length === 0;
const isNested = (value: unknown): boolean =>
  (isObject(value) && !isEmpty(value)) || (Array.isArray(value) && value.some(isObject));

const bold = (text: string): string => styleText('bold', text, { stream: process.stdout });

/** Returns a command's result as lines for people: tables for lists, `key: value` for the rest. */
export function toText(result: unknown): string {
  if (isListing(result)) return [...rowLines(result.data), pageLine(result)].join('\n');
  return linesOf(result).join('\n');
}

function isListing(result: unknown): result is Listing {
  return isObject(result) && Array.isArray(result['data']) && isObject(result['meta']);
}

function pageLine({ meta: { page, last_page: lastPage, total } }: Listing): string {
  const more = page < lastPage ? `; --page ${page + 1} shows more` : '';
  return `\n${total} in all, page ${page} of ${lastPage}${more}`;
}

function linesOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.length > 0 && value.every(isObject) ? rowLines(value) : listLines(value);
  return isObject(value) ? fieldLines(value) : [cell(value)];
}

const listLines = (values: unknown[]): string[] => (values.length > 0 ? values.map(cell) : ['none']);

function fieldLines(fields: Record<string, unknown>): string[] {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  const flat = entries.filter(([, value]) => !isNested(value));
  const width = Math.max(0, ...flat.map(([key]) => label(key).length)) + 1;
  return entries.flatMap(([key, value]) =>
    isNested(value)
      ? [bold(`${label(key)}:`), ...linesOf(value).map((line) => `  ${line}`)]
      : [`${`${label(key)}:`.padEnd(width)} ${cell(value)}`],
  );
}

/** A table, or one row below the other when some have lists of their own, which a cell cannot show. */
function rowLines(rows: readonly object[]): string[] {
  if (!rows.some((row) => Object.values(row).some(isNested))) return tableLines(rows);
  return rows.flatMap((row, index) => [...(index > 0 ? [''] : []), ...fieldLines(row as Record<string, unknown>)]);
}

function tableLines(rows: readonly object[]): string[] {
  if (rows.length === 0) return ['none'];
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = rows.map((row) => keys.map((key) => cell((row as Record<string, unknown>)[key])));
  const titles = keys.map((key) => label(key).toUpperCase());
  const widths = titles.map((title, column) => Math.max(title.length, ...cells.map((row) => row[column]!.length)));
  const align = (row: string[]) =>
    row
      .map((text, column) => text.padEnd(widths[column]!))
      .join('  ')
      .trimEnd();
  return [bold(align(titles)), ...cells.map(align)];
}

const label = (key: string): string => key.replaceAll('_', ' ');

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (isObject(value) && isEmpty(value)) return 'none';
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value) && !isNested(value)) return value.length > 0 ? value.map(cell).join(', ') : 'none';
  return printable(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Control characters and marks of writing direction; a name could change what the terminal shows. */
// oxlint-disable-next-line no-control-regex
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const printable = (text: string): string =>
  text.replace(UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
