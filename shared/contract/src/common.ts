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
export const createdAt = timestamp.describe('Time of creation, in UTC.');
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
    .describe('Whether the file begins with a byte order mark, by which Excel reads it as UTF-8; not by default.'),
};

export const slugOf = (field: string) =>
  requiredText(field).regex(
    /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
    `The ${field} must be 1 to 63 characters from a-z, 0-9 and -, and must not begin or end with -.`,
  );
export const workspaceSlug = slugOf('workspace').describe('Slug of the workspace, which never changes.');

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
export const page = pageNumber
  .default(1)
  .describe('Number of the page, from 1, which is the default. A page past the last one is empty.');
export const perPage = pageSize.default(15).describe('Items on a page: 1 to 100, 15 unless given.');

/** The query of a list with a cap: without `page` and `per_page` the answer is the whole list. */
export const optionalPage = z.object({
  page: pageNumber
    .optional()
    .describe('Number of the page, from 1. Without it and `per_page` the answer is the whole list, up to a maximum.'),
  per_page: pageSize.optional().describe('Items on a page: 1 to 100, 15 if only `page` is given.'),
});
export type OptionalPage = z.output<typeof optionalPage>;

/** A text that is empty after `typed` does not filter. */
export const filter = (name: string, max: number, typed = (text: string) => text) =>
  typedText(z.string({ error: repeated(name).message }), name, { max, typed })
    .transform((value) => value || undefined)
    .optional();

/** Disables a filter by an id, a name or a word. */
export const EVERY = 'all';

/** `link` of `link_id`, `QR code` of `qr_code_id`. */
const nounOf = (name: string): string => name.replace(/_id$/, '').replace('qr_code', 'QR code');

/** A filter by an id or a name that `all` disables; an unknown id or name matches nothing. */
export const selector = (name: string, max: number, typed?: (text: string) => string) =>
  filter(name, max, typed)
    .transform((value) => (value === EVERY ? undefined : value))
    .optional()
    .describe(`Only items of this ${nounOf(name)}; an unknown one has none. Omit it, or pass \`all\`, for every one.`);

/** A filter by one of these words, which `all` disables. */
export const wordSelector = <const T extends readonly string[]>(name: string, words: T) =>
  choice(name, [EVERY, ...words])
    .transform((word) => (word === EVERY ? undefined : (word as T[number])))
    .optional()
    .describe(`Only items with this ${name}. Omit it, or pass \`all\`, for every one.`);

/** Selects items that changed at this time or later. */
export const updatedSince = filter('updated_since', 64)
  .pipe(dateOrTime('updated_since').optional())
  .transform((text) => (text === undefined ? undefined : firstMomentOf(text)))
  .describe('Only items that changed at this time or later: a date in UTC, or a time, e.g. `2026-01-31T12:00:00Z`.');

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
  const schema = z
    .object({ data: data.describe('What the request shows, creates or changes.'), ...(meta && { meta }) })
    .describe('The answer with one item.');
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
  cursor: filter('cursor', CURSOR_MAX).describe(
    'The `meta.next_cursor` of the previous response, instead of `page` and with the same filters and sort. New items do not shift the pages.',
  ),
};

export const list = <T extends z.ZodType>(data: T, meaning = 'All items: this list has no pages.') =>
  z.object({ data: z.array(data).describe(meaning) }).describe('The answer with a whole list.');
export const pageLinks = z
  .object({
    first: z.string().describe('URL of the first page.'),
    last: z.string().describe('URL of the last page that `meta.total` covers.'),
    prev: z.string().nullable().describe('URL of the previous page; `null` on the first, and if read by `cursor`.'),
    next: z.string().nullable().describe('URL of the next page; `null` on the last.'),
  })
  .describe('Absolute URLs of pages of a list.');
export const pageMeta = z
  .object({
    current_page: z.number().describe('Number of this page, from 1.'),
    from: z.number().nullable().describe('Position of its first item in the list, from 1; `null` on an empty page.'),
    last_page: z.number().describe('Number of the last page; 1 if the list is empty.'),
    path: z.string().describe('URL of the list without its query.'),
    per_page: z.number().describe('Items on a full page.'),
    to: z.number().nullable().describe('Position of its last item in the list; `null` on an empty page.'),
    total: z.number().describe('Items on all pages together.'),
  })
  .describe('Where a page is in its list.');
const PAGE_MEANING = 'The answer with one page of a list.';
export const paginated = <T extends z.ZodType>(data: T) =>
  z
    .object({
      data: z.array(data).describe('Items of this page, in the order of the list.'),
      links: pageLinks.describe('Other pages, with the same filters and sort.'),
      meta: pageMeta.describe('Where this page is in the list.'),
    })
    .describe(PAGE_MEANING);
export const nextCursor = z
  .string()
  .nullable()
  .describe('With it as `cursor` the answer continues after this one; `null` on the last page.');
export const cursorMeta = pageMeta
  .extend({
    truncated: z.boolean().describe('Whether more items match than `total` and the pages cover; cursors reach all.'),
    next_cursor: nextCursor,
  })
  .describe('Where a page is in a list, and where the next one begins.');
/** The answer to `cursorPaging`. */
export const cursorPage = <T extends z.ZodType>(data: T) =>
  paginated(data)
    .extend({ meta: cursorMeta.describe('Where this page is, and where the next one begins.') })
    .describe(PAGE_MEANING);
/** Marks a list that the client requested whole and that is longer than its cap: its pages have the rest. */
const truncatedMeta = z.object({
  truncated: z.literal(true).describe('The list is cut off at its maximum: its pages have the rest.'),
  total: z.number().describe('Items in the whole list.'),
});
/** The answer to `optionalPage`. */
export const listOrPage = <T extends z.ZodType>(data: T) =>
  z
    .object({
      data: z.array(data).describe('The whole list, up to a maximum, or the page that the query names.'),
      links: pageLinks.optional().describe('Only with a page: other pages, with the same filters and sort.'),
      meta: z
        .union([pageMeta, truncatedMeta])
        .optional()
        .describe('Where the page is in the list. Without a page it is present only if the list is cut off.'),
    })
    .describe('The answer with a whole list, or with one page of it.');

/** A list in one text, with commas between its entries. */
export const commaList = z.string().transform((value) =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);

/** `http://host:port` without a path. */
export const httpOrigin = z.url({ protocol: /^https?$/ }).transform((url) => new URL(url).origin);
