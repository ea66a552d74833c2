import { z } from 'zod';
import {
  choice,
  cursorPage,
  cursorPaging,
  EVERY,
  filter,
  item,
  requiredText,
  selector,
  timestamp,
  typedText,
  updatedSince,
  wordSelector,
} from './common.js';
import { atOrAfter, atOrBefore, dateOrTime } from './date-or-time.js';
import {
  asIssue,
  inexactNumber,
  outOfRange,
  report,
  required,
  requiredEither,
  tooLarge,
  tooManyBytes,
  wrongType,
} from './problems.js';
import { ANALYTICS_READERS, EVERY_ROLE } from './roles.js';
import type { RouteDefinition } from './route.js';
import { asTyped } from './visible-text.js';

export const META_MAX_BYTES = 10_000;

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Any JSON object, passed on unchanged: a copy by name would lose `__proto__`, which is an ordinary name here. */
const freeObject = z
  .custom<Record<string, unknown>>(isObject, { ...asIssue(wrongType('meta', 'object')), abort: false })
  .meta({ type: 'object', additionalProperties: true });
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** A larger integer would be stored as another number: JavaScript, like most JSON parsers, cannot represent it. */
const NUMBER_MAX = Number.MAX_SAFE_INTEGER;
const isExact = (value: unknown) => typeof value !== 'number' || Math.abs(value) <= NUMBER_MAX;

/** The path of the first number that would be stored as another one. */
function inexactPath(value: unknown, path = 'meta'): string | undefined {
  if (!isExact(value)) return path;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const found = inexactPath(inner, `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

const PATH_SHOWN_MAX = 100;
function refuseInexact(meta: unknown, ctx: z.RefinementCtx): void {
  const path = inexactPath(meta)?.slice(0, PATH_SHOWN_MAX);
  if (path === undefined) return;
  report(ctx, inexactNumber(path, NUMBER_MAX));
}

const linkName = (name: string, meaning: string) =>
  z
    .string({ error: `The ${name} must be text.` })
    .min(1, `The ${name} must not be empty.`)
    .max(64, `The ${name} must be at most 64 characters.`)
    .nullish()
    .describe(meaning);

const EARLIEST = Date.UTC(2000, 0);
const DAY_MS = 24 * 3600 * 1000;
/** A day ahead is accepted since clocks of callers may be wrong. */
const isPlausible = (value: string) => {
  const occurredAt = Date.parse(value);
  return occurredAt >= EARLIEST && occurredAt <= Date.now() + DAY_MS;
};

const LINK_REQUIRED = requiredEither('short_code', 'id');
type Names = { short_code?: unknown; id?: unknown };
const namesLink = ({ short_code: shortCode, id }: Names) => (shortCode ?? id ?? null) !== null;
/** Reported together with other problems, if the value is an object. */
const onField = (field: keyof Names) => ({
  path: [field],
  ...asIssue(LINK_REQUIRED),
  when: ({ value }: { value: unknown }) => isObject(value),
});

type Money = { value?: unknown; currency?: unknown };
const hasCurrency = ({ value, currency }: Money) => (value ?? null) === null || (currency ?? null) !== null;

const fields = z.object({
  short_code: linkName(
    'short_code',
    'Current or earlier short code of the link, in any case. Give it, its `id` or both.',
  ),
  id: linkName('id', 'Id of the link. Give it, its `short_code` or both.'),
  source: typedText(requiredText('source'), 'source', { max: 100 })
    .min(1, 'The source is required.')
    .describe('What reports the conversion, such as `shop`; 1 to 100 characters, without surrounding spaces.'),
  meta: freeObject
    .refine((meta) => bytesOf(meta) <= META_MAX_BYTES, {
      ...asIssue(tooManyBytes('meta', META_MAX_BYTES, 'bytes of JSON')),
      abort: true,
    })
    .superRefine(refuseInexact)
    .nullish()
    .meta({
      description: `Any JSON object of at most ${META_MAX_BYTES} bytes, kept as it is. A number beyond ${NUMBER_MAX} is a 422, since it would be stored as another one: send it as a string.`,
    }),
  value: z
    .number({ error: 'The value must be a number.' })
    .min(0, 'The value must not be negative.')
    .refine(isExact, asIssue(tooLarge('value', NUMBER_MAX)))
    .nullish()
    .describe(`Amount in units of \`currency\` (euros, not cents), from 0 to ${NUMBER_MAX}; none by default.`),
  currency: z
    .string({ error: 'The currency must be text.' })
    .regex(/^[A-Z]{3}$/, 'The currency must be three capital letters (ISO 4217).')
    .nullish()
    .describe('Three capital letters, by ISO 4217; required with a `value`.'),
  external_id: z
    .string({ error: 'The external_id must be text.' })
    .min(1, 'The external_id must not be empty.')
    .max(255, 'The external_id must be at most 255 characters.')
    .nullish()
    .describe(
      'Your own id of the conversion, 1 to 255 characters: a second one of the same `source` gets the first record, and records nothing.',
    ),
  occurred_at: z.iso
    .datetime({ offset: true, error: 'The occurred_at must be a date and time (ISO 8601).', abort: true })
    .refine(
      isPlausible,
      asIssue(outOfRange('occurred_at', 'not be before the year 2000 or more than one day in the future')),
    )
    .nullish()
    .describe('When it happened, with an offset from UTC: from the year 2000 to a day ahead; now by default.'),
});
export const recordConversion = fields
  .refine(namesLink, onField('short_code'))
  .refine(namesLink, onField('id'))
  .refine(hasCurrency, {
    path: ['currency'],
    ...asIssue(required('currency', ' with a value')),
    when: ({ value }) => isObject(value),
  });
export type RecordConversionBody = z.infer<typeof recordConversion>;

export const conversionStatus = z
  .enum(['recorded', 'pending', 'rejected'])
  .describe('`pending` while its link cannot be looked up; then `recorded`, or `rejected` when there is no such link.');
export type ConversionStatus = z.infer<typeof conversionStatus>;

export const conversion = z
  .object({
    id: z.string().describe('Unique id, beginning with `cnv_`.'),
    link_id: z.string().nullable().describe('Id of the link; `null` while pending, and when rejected.'),
    short_code: z
      .string()
      .nullable()
      .describe('Short code that the link had when the conversion was recorded; `null` where `link_id` is.'),
    source: z.string().describe('What reported the conversion.'),
    meta: freeObject.nullable().describe('The JSON object of the request; `null` when there was none.'),
    value: z.number().nullable().describe('Amount in units of `currency`; `null` when there was none.'),
    currency: z.string().nullable().describe('Three capital letters, by ISO 4217; `null` when there was none.'),
    external_id: z
      .string()
      .nullable()
      .describe('Id that the caller gave it, unique for each `source`; `null` when there was none.'),
    occurred_at: timestamp.describe('When it happened, in UTC: analytics counts it at this time.'),
    recorded_at: timestamp.describe('When the API accepted it, in UTC.'),
    status: conversionStatus.describe(
      '`recorded`: it counts. `pending`: its link could not be looked up yet. `rejected`: it has no such link, and never counts.',
    ),
    rejection: z.string().nullable().describe('Why it was rejected, for people; `null` unless it was.'),
    updated_at: timestamp.describe('When its status last changed, in UTC.'),
  })
  .describe('A conversion: what a visitor of a link did later, such as a purchase, as your server reported it.');
export type ConversionBody = z.infer<typeof conversion>;

const conversionSort = choice('sort', ['recorded_at', '-recorded_at', 'updated_at', '-updated_at']);

/** `all` disables the filter; a backslash in front makes it a source of that name. */
const sourceFilter = filter('source', 100, asTyped)
  .transform((value) => (value === EVERY ? undefined : value?.replace(/^\\(?=\\*all$)/, '')))
  .optional()
  .meta({
    description:
      'Only conversions of this source. Omit it, or pass `all`, for every one; write the source `all` as `\\all`.',
  });

const conversionFilters = z.object({
  link_id: selector('link_id', 64).describe(
    'Only conversions of the link with this id. Omit it, or pass `all`, for every one.',
  ),
  source: sourceFilter,
  external_id: filter('external_id', 255).describe('Only conversions with exactly this id of yours, of any source.'),
  status: wordSelector('status', conversionStatus.options).describe(
    'Only conversions with this status. Omit it, or pass `all`, for every one.',
  ),
  from: dateOrTime('from').optional().describe(atOrAfter('Only conversions that occurred')),
  to: dateOrTime('to').optional().describe(atOrBefore('Only conversions that occurred')),
  updated_since: updatedSince,
  sort: conversionSort
    .default('-recorded_at')
    .describe('A `-` in front puts the latest first; `-recorded_at` by default. The id breaks ties.'),
  ...cursorPaging,
});
export type ConversionFilters = z.output<typeof conversionFilters>;

const path = '/workspaces/{workspace}/conversions';

export const conversionRoutes = {
  'conversions.list': {
    method: 'GET',
    path,
    deployments: ['links'],
    service: 'analytics',
    access: { kind: 'workspace', ability: 'read', roles: ANALYTICS_READERS },
    query: conversionFilters,
    response: { status: 200, schema: cursorPage(conversion) },
  },
  // 201; 202 while the link is not known; 200 with the first record where the external_id is known already.
  'conversions.record': {
    method: 'POST',
    path,
    deployments: ['links'],
    service: 'analytics',
    access: { kind: 'workspace', ability: 'write', roles: EVERY_ROLE },
    body: recordConversion,
    idempotent: true,
    response: { status: 201, schema: item(conversion) },
  },
} as const satisfies Record<string, RouteDefinition>;
