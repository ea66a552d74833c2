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
import { dateOrTime } from './date-or-time.js';
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
  .meta({ type: 'object' });
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

const linkName = (name: string) =>
  z
    .string({ error: `The ${name} must be text.` })
    .min(1, `The ${name} must not be empty.`)
    .max(64, `The ${name} must be at most 64 characters.`)
    .nullish()
    .meta({ description: 'Names the link: give its `short_code`, its `id` or both.' });

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
  short_code: linkName('short_code'),
  id: linkName('id'),
  source: typedText(requiredText('source'), 'source', { max: 100 }).min(1, 'The source is required.'),
  meta: freeObject
    .refine((meta) => bytesOf(meta) <= META_MAX_BYTES, {
      ...asIssue(tooManyBytes('meta', META_MAX_BYTES, 'bytes of JSON')),
      abort: true,
    })
    .superRefine(refuseInexact)
    .nullish()
    .meta({
      description: `Any JSON object of at most ${META_MAX_BYTES} bytes. A number beyond ${NUMBER_MAX} is a 422, since it would be stored as another one: send it as a string.`,
    }),
  value: z
    .number({ error: 'The value must be a number.' })
    .min(0, 'The value must not be negative.')
    .refine(isExact, asIssue(tooLarge('value', NUMBER_MAX)))
    .nullish(),
  currency: z
    .string({ error: 'The currency must be text.' })
    .regex(/^[A-Z]{3}$/, 'The currency must be three capital letters (ISO 4217).')
    .nullish()
    .meta({ description: 'Required with a `value`.' }),
  external_id: z
    .string({ error: 'The external_id must be text.' })
    .min(1, 'The external_id must not be empty.')
    .max(255, 'The external_id must be at most 255 characters.')
    .nullish(),
  occurred_at: z.iso
    .datetime({ offset: true, error: 'The occurred_at must be a date and time (ISO 8601).', abort: true })
    .refine(
      isPlausible,
      asIssue(outOfRange('occurred_at', 'not be before the year 2000 or more than one day in the future')),
    )
    .nullish(),
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

export const conversionStatus = z.enum(['recorded', 'pending', 'rejected']);
export type ConversionStatus = z.infer<typeof conversionStatus>;

/** A pending conversion has no link yet; a rejected one never gets one. */
export const conversion = z.object({
  id: z.string(),
  link_id: z.string().nullable(),
  short_code: z.string().nullable(),
  source: z.string(),
  meta: freeObject.nullable(),
  value: z.number().nullable(),
  currency: z.string().nullable(),
  external_id: z.string().nullable(),
  occurred_at: timestamp,
  recorded_at: timestamp,
  status: conversionStatus,
  rejection: z.string().nullable(),
  updated_at: timestamp,
});
export type ConversionBody = z.infer<typeof conversion>;

const conversionSort = choice('sort', ['recorded_at', '-recorded_at', 'updated_at', '-updated_at']);

/** `all` disables the filter; a backslash in front makes it a source of that name. */
const sourceFilter = filter('source', 100, asTyped)
  .transform((value) => (value === EVERY ? undefined : value?.replace(/^\\(?=\\*all$)/, '')))
  .optional()
  .meta({
    description: 'Only this source. Omit it, or pass `all`, for every one; write the source `all` as `\\all`.',
  });

const conversionFilters = z.object({
  link_id: selector('link_id', 64),
  source: sourceFilter,
  external_id: filter('external_id', 255).meta({ description: 'Only conversions with this external_id.' }),
  status: wordSelector('status', conversionStatus.options),
  from: dateOrTime('from').optional().meta({ description: 'Only conversions that occurred at this time or later.' }),
  to: dateOrTime('to').optional().meta({ description: 'Only conversions that occurred at this time or earlier.' }),
  updated_since: updatedSince,
  sort: conversionSort.default('-recorded_at'),
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
