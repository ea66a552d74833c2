import { z } from 'zod';
import { item, requiredText, timestamp, typedText } from './common.js';
import { EVERY_ROLE } from './roles.js';
import type { RouteDefinition } from './route.js';

export const META_MAX_BYTES = 10_000;

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Any JSON object, handed on as it is: copied name by name it would lose `__proto__`, which is a name like others here. */
const freeObject = z
  .custom<Record<string, unknown>>(isObject, { error: 'The meta must be an object.', abort: false })
  .meta({ type: 'object' });
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** Beyond it a number would be stored as another one: JavaScript, like most readers of JSON, has no larger whole ones. */
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
  ctx.addIssue({
    code: 'custom',
    message: `The number ${path} must not be beyond ${NUMBER_MAX}. Send it as a string.`,
  });
}

const linkName = (name: string) =>
  z
    .string({ error: `The ${name} must be text.` })
    .min(1, `The ${name} must not be empty.`)
    .max(64, `The ${name} must be at most 64 characters.`)
    .nullish()
    .meta({ description: 'Of the link; `short_code`, `id` or both are needed.' });

/** What can be written with a year of four digits. */
const isPresentable = (value: string) => {
  const at = Date.parse(value);
  return !(at < 0 || at >= Date.UTC(10_000, 0));
};

type Names = { short_code?: unknown; id?: unknown };
const namesLink = ({ short_code: shortCode, id }: Names) => (shortCode ?? id ?? null) !== null;
/** Told together with what else is wrong, of an object at least. */
const onField = (field: keyof Names) => ({
  path: [field],
  error: 'The short_code or the id of a link is required.',
  when: ({ value }: { value: unknown }) => isObject(value),
});

const fields = z.object({
  short_code: linkName('short_code'),
  id: linkName('id'),
  source: typedText(requiredText('source'), 'The source', 100).min(1, 'The source is required.'),
  meta: freeObject
    .refine((meta) => bytesOf(meta) <= META_MAX_BYTES, {
      error: `The meta must be at most ${META_MAX_BYTES} bytes of JSON.`,
      abort: true,
    })
    .superRefine(refuseInexact)
    .nullish()
    .meta({
      description: `Any JSON object of at most ${META_MAX_BYTES} bytes. A number beyond ${NUMBER_MAX} is a 422, since it would be stored as another one: send it as a string.`,
    }),
  value: z
    .number({ error: 'The value must be a number.' })
    .refine(isExact, `The value must not be beyond ${NUMBER_MAX}.`)
    .nullish(),
  currency: z
    .string({ error: 'The currency must be text.' })
    .regex(/^[A-Z]{3}$/, 'The currency must be three capital letters (ISO 4217).')
    .nullish(),
  external_id: z
    .string({ error: 'The external_id must be text.' })
    .min(1, 'The external_id must not be empty.')
    .max(255, 'The external_id must be at most 255 characters.')
    .nullish(),
  occurred_at: z.iso
    .datetime({ offset: true, error: 'The occurred_at must be a date and time (ISO 8601).', abort: true })
    .refine(isPresentable, 'The occurred_at must be between the years 1970 and 9999.')
    .nullish(),
});
export const recordConversion = fields.refine(namesLink, onField('short_code')).refine(namesLink, onField('id'));
export type RecordConversionBody = z.infer<typeof recordConversion>;

export const conversion = z.object({
  id: z.string(),
  link_id: z.string(),
  short_code: z.string(),
  source: z.string(),
  meta: freeObject.nullable(),
  value: z.number().nullable(),
  currency: z.string().nullable(),
  external_id: z.string().nullable(),
  occurred_at: timestamp,
  recorded_at: timestamp,
});
export type ConversionBody = z.infer<typeof conversion>;

export const conversionRoutes = {
  // 201, or 200 with the first record where the external_id is known already.
  'conversions.record': {
    method: 'POST',
    path: '/workspaces/{workspace}/conversions',
    deployments: ['links'],
    service: 'analytics',
    access: { kind: 'workspace', ability: 'write', roles: EVERY_ROLE },
    body: recordConversion,
    idempotent: true,
    response: { status: 201, schema: item(conversion) },
  },
} as const satisfies Record<string, RouteDefinition>;
