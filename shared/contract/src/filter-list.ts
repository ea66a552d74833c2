import { z } from 'zod';
import { EVERY, TYPED_MAX_TIMES } from './common.js';
import { entriesTooLong, notAllowed, repeated, report, tooMany, type Problem } from './problems.js';
import { asTyped } from './visible-text.js';

/** Any of the values, or, negated, none of them. */
export interface FilterList {
  values: readonly string[];
  isNegated: boolean;
}

/** More values would make a query as long as a client can think of. */
export const FILTER_VALUES_MAX = 50;
const VALUE_LENGTH_MAX = 255;

/** Between commas that no backslash precedes. */
const PARTS = /(?:\\[^]|[^,\\]|\\$)+/g;
const ESCAPED = /^\\(all)$|\\([,!\\])/g;

/**
 * A filter by several values, separated by commas; `!` in front negates the whole list. A backslash makes the comma, `!`
 * or backslash after it a part of the value; `\all` is the value `all`.
 */
export const listFilter = (name: string, words?: readonly string[]) =>
  z
    .string({ error: repeated(name).message })
    .transform((text, ctx): FilterList | undefined => {
      const list = readList(text);
      if (list === undefined) return undefined;
      const problem = problemOf(name, list, words);
      if (problem === undefined) return list;
      report(ctx, problem);
      return z.NEVER;
    })
    .optional();

export const describedList = (subject: string, words?: readonly string[]) =>
  `${subject} Up to ${FILTER_VALUES_MAX} values, separated by commas${words ? ` (${words.map((word) => `\`${word}\``).join(', ')})` : ''}; ` +
  'a leading `!` excludes them. `all` is no filter.';

/** Returns `undefined` for a text that selects everything. */
export function readList(text: string): FilterList | undefined {
  if (text.trim() === EVERY) return undefined;
  const isNegated = text.startsWith('!');
  const parts = (isNegated ? text.slice(1) : text).match(PARTS) ?? [];
  const values = new Set(parts.map((part) => readValue(part)).filter((value) => value !== ''));
  // An empty list selects nothing and excludes nothing: a form sends its empty fields so.
  return values.size === 0 ? undefined : { values: [...values], isNegated };
}

/** A text that is far too long is not put into its normal form, which may take minutes. */
function readValue(part: string): string {
  const value = part.trim().replace(ESCAPED, '$1$2');
  return value.length > TYPED_MAX_TIMES * VALUE_LENGTH_MAX ? value : asTyped(value);
}

function problemOf(name: string, { values }: FilterList, words?: readonly string[]): Problem | undefined {
  if (values.length > FILTER_VALUES_MAX) return tooMany(name, FILTER_VALUES_MAX, 'values');
  if (words && values.some((value) => !words.includes(value))) return notAllowed(name, [EVERY, ...words]);
  return values.some((value) => value.length > VALUE_LENGTH_MAX) ? entriesTooLong(name, VALUE_LENGTH_MAX) : undefined;
}

/** The list as a client may send it. */
export function formatList({ values, isNegated }: FilterList): string {
  const escaped = values.map((value) => value.replace(/[,\\]|^!|^all$/g, '\\$&'));
  return `${isNegated ? '!' : ''}${escaped.join(',')}`;
}
