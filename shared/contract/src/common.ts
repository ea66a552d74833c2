import { z } from 'zod';
import { dateOrTime, firstMomentOf } from './date-or-time.js';
import {
  asIssue,
  invisibleCharacters,
  notAllowed,
  repeated,
  report,
  required,
  tooLong,
  wrongType,
  type Problem,
} from './problems.js';
import { asName, asTyped, isVisible, isVisibleInLines } from './visible-text.js';

export const timestamp = z.iso.datetime({ precision: 3 });
/** Accepts one of these words; the message lists them. */
export const choice = <const T extends readonly string[]>(name: string, words: T) =>
  z.enum(words, {
    error: ({ input }) => (input === undefined ? required(name) : notAllowed(name, words)).message,
  });

/** Reports a missing field and one of another type with different messages. */
export const requiredText = (name: string) =>
  z.string({ error: ({ input }) => (input === undefined ? required(name) : wrongType(name, 'text')).message });

/** The parameter of every export as CSV. */
export const csvQuery = {
  bom: z
    .stringbool({ error: 'The bom must be true or false.' })
    .meta({ type: 'boolean' })
    .default(false)
    .meta({ description: 'Whether the file begins with a byte order mark, by which Excel reads it as UTF-8.' }),
};

export const slugOf = (field: string) =>
  requiredText(field).regex(
    /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
    `The ${field} must be 1 to 63 characters from a-z, 0-9 and -, and must not begin or end with -.`,
  );
export const workspaceSlug = slugOf('workspace');

/** NFC shortens a text by less. Normalizing a long text may take minutes, so a longer text is refused first. */
export const TYPED_MAX_TIMES = 4;
interface TextLimit {
  max: number;
  /** Brings the text into its normal form. */
  typed?: (text: string) => string;
}
export const typedText = (text: z.ZodString, name: string, { max, typed = asTyped }: TextLimit) => {
  const issue = { ...asIssue(tooLong(name, max)), abort: true };
  return text
    .refine((given) => given.length <= TYPED_MAX_TIMES * max, issue)
    .overwrite(typed)
    .max(max, { error: issue.error, abort: true });
};

/** A name by which users distinguish things of one kind. */
export const nameOf = (max: number) =>
  typedText(requiredText('name'), 'name', { max, typed: asName })
    .min(1, 'The name must not be empty.')
    .refine(isVisible, asIssue(invisibleCharacters('name')));

/** An optional text for people; `null` when it has no visible characters. */
export const optionalText = (name: string, max: number, isSeen = isVisible) =>
  typedText(z.string({ error: wrongType(name, 'text').message }), name, { max })
    .refine(isSeen, asIssue(invisibleCharacters(name)))
    .transform((text) => text || null);
export const description = optionalText('description', 255, isVisibleInLines);
export const colour = z
  .string({ error: 'The color must be text.' })
  .regex(/^#[0-9a-fA-F]{6}$/, 'The color must be like #1a2b3c.');

const NUMBER_MAX = 1e12;
/** Plain digits, as a query carries them; numbers above `NUMBER_MAX` become `NUMBER_MAX`. */
const digits = (name: string) =>
  z
    .string({ error: repeated(name).message })
    .refine((text) => /^(0|-?[1-9]\d*)$/.test(text), asIssue(wrongType(name, 'integer')))
    .transform((text) => Math.max(-NUMBER_MAX, Math.min(Number(text), NUMBER_MAX)));

/** Documented to clients as a number. */
export const wholeNumber = (name: string, min: number, max: number) =>
  digits(name)
    .pipe(z.number().min(min, `The ${name} must be at least ${min}.`).max(max, `The ${name} must be at most ${max}.`))
    .meta({ type: 'integer', minimum: min, maximum: max });

/** Skipping further would overflow what a database accepts. */
const PAGE_MAX = 20_000_000;
const pageNumber = wholeNumber('page', 1, PAGE_MAX);
const pageSize = wholeNumber('per_page', 1, 100);
export const page = pageNumber.default(1).meta({ description: '1 unless given. A page past the last one is empty.' });
export const perPage = pageSize.default(15).meta({ description: '15 unless given.' });

/** The query of a list with a cap: without `page` and `per_page` the answer is the whole list. */
export const optionalPage = z.object({
  page: pageNumber.optional().meta({ description: 'With it, or with per_page, the answer is one page.' }),
  per_page: pageSize.optional().meta({ description: '15 where only page is given.' }),
});
export type OptionalPage = z.output<typeof optionalPage>;

/** A text that is empty after `typed` does not filter. */
export const filter = (name: string, max: number, typed = (text: string) => text) =>
  typedText(z.string({ error: repeated(name).message }), name, { max, typed })
    .transform((value) => value || undefined)
    .optional();

/** Disables a filter by an id, a name or a word. */
export const EVERY = 'all';

/** A filter by an id or a name that `all` disables; an unknown id or name matches nothing. */
export const selector = (name: string, max: number, typed?: (text: string) => string) =>
  filter(name, max, typed)
    .transform((value) => (value === EVERY ? undefined : value))
    .optional()
    .meta({ description: `Only this ${name}. Omit it, or pass \`all\`, for every one.` });

/** A filter by one of these words, which `all` disables. */
export const wordSelector = <const T extends readonly string[]>(name: string, words: T) =>
  choice(name, [EVERY, ...words])
    .transform((word) => (word === EVERY ? undefined : (word as T[number])))
    .optional()
    .meta({ description: `Only this ${name}. Omit it, or pass \`all\`, for every one.` });

/** Selects items that changed at this time or later. */
export const updatedSince = filter('updated_since', 64)
  .pipe(dateOrTime('updated_since').optional())
  .transform((text) => (text === undefined ? undefined : firstMomentOf(text)))
  .meta({
    description:
      'Only items that changed at this time or later: a date in UTC, or a time, e.g. `2026-01-31T12:00:00Z`.',
  });

interface ListLimits {
  /** The error for a value that is not a list. */
  error?: z.core.$ZodErrorMap<z.core.$ZodIssueInvalidType>;
  min?: [number, string];
  max: [number, Problem];
}

/**
 * A list in a body. Its length is checked before its elements: zod alone would validate every element of an oversized
 * list.
 */
export function boundedList<T extends z.ZodType>(
  element: T,
  { error, min, max: [max, problem] }: ListLimits,
): z.ZodType<z.output<T>[], z.input<T>[]> {
  const list = z.array(element, { error }).max(max, problem.message);
  const checkLength = (value: unknown, ctx: z.RefinementCtx): unknown => {
    if (!Array.isArray(value) || value.length <= max) return value;
    report(ctx, problem);
    return z.NEVER;
  };
  return z.preprocess(checkLength, min ? list.min(...min) : list) as never;
}

const items = new WeakSet<z.ZodType>();
/** The answer with one item, and optionally with `meta`. */
export function item<T extends z.ZodType>(data: T): z.ZodObject<{ data: T }>;
export function item<T extends z.ZodType, M extends z.ZodType>(data: T, meta: M): z.ZodObject<{ data: T; meta: M }>;
export function item(data: z.ZodType, meta?: z.ZodType): z.ZodObject {
  const schema = z.object({ data, ...(meta && { meta }) });
  items.add(schema);
  return schema;
}
/** True for an answer with one item: it has an entity tag. */
export const isItem = (schema: z.ZodType): boolean => items.has(schema);

const CURSOR_MAX = 4096;
/** The query of a list that clients read by page number or by cursor. */
export const cursorPaging = {
  page,
  per_page: perPage,
  cursor: filter('cursor', CURSOR_MAX).meta({
    description:
      'The `meta.next_cursor` of the previous response, instead of `page` and with the same filters and sort. New items do not shift the pages.',
  }),
};

export const list = <T extends z.ZodType>(data: T) => z.object({ data: z.array(data) });
const pageLinks = z.object({
  first: z.string(),
  last: z.string(),
  prev: z.string().nullable(),
  next: z.string().nullable(),
});
const pageMeta = z.object({
  current_page: z.number(),
  from: z.number().nullable(),
  last_page: z.number(),
  path: z.string(),
  per_page: z.number(),
  to: z.number().nullable(),
  total: z.number(),
});
export const paginated = <T extends z.ZodType>(data: T) =>
  z.object({ data: z.array(data), links: pageLinks, meta: pageMeta });
export const nextCursor = z.string().nullable().meta({
  description: 'With it as `cursor` the answer continues after this one; `null` on the last page.',
});
/** The answer to `cursorPaging`. `truncated`: more items match than `total` and the pages cover; cursors reach all. */
export const cursorPage = <T extends z.ZodType>(data: T) =>
  paginated(data).extend({ meta: pageMeta.extend({ truncated: z.boolean(), next_cursor: nextCursor }) });
/** Marks a list that the client requested whole and that is longer than its cap: its pages have the rest. */
const truncatedMeta = z.object({ truncated: z.literal(true), total: z.number() });
/** The answer to `optionalPage`. */
export const listOrPage = <T extends z.ZodType>(data: T) =>
  z.object({ data: z.array(data), links: pageLinks.optional(), meta: z.union([pageMeta, truncatedMeta]).optional() });

/** A list in one text, with commas between its entries. */
export const commaList = z.string().transform((value) =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);

/** `http://host:port` without a path. */
export const httpOrigin = z.url({ protocol: /^https?$/ }).transform((url) => new URL(url).origin);
