import { z } from 'zod';
import { item, timestamp } from './common.js';
import { CONTENT_EDITORS, EVERY_ROLE } from './roles.js';
import type { RouteDefinition } from './route.js';

export const IMPORT_ROWS_MAX = 10_000;
const IMPORT_BYTES_MAX = 10 * 1024 * 1024;
/** Of a job; `failed_count` counts all. */
export const IMPORT_ERRORS_MAX = 1000;

export const onDuplicate = z.enum(['skip', 'update', 'fail'], {
  error: 'The on_duplicate must be skip, update or fail.',
});
export type OnDuplicate = z.infer<typeof onDuplicate>;

const optional = <T extends string | boolean>(schema: z.ZodType<T>, otherwise: T) =>
  schema
    .nullable()
    .default(otherwise as z.core.util.NoUndefined<T>)
    .transform((value) => value ?? otherwise);
const importOptions = z.object(
  {
    on_duplicate: optional(onDuplicate, 'fail'),
    dry_run: optional(z.boolean({ error: 'The dry_run must be true or false.' }), false),
  },
  { error: 'The options must be an object.' },
);

const EITHER = 'Give either links or csv.';

/** Rows are looked at one by one: a bad one is an error of its row, not of the request. */
export const createImport = z
  .object({
    links: z
      .array(z.unknown(), { error: 'The links must be a list.' })
      .min(1, 'The links must have at least one row.')
      .max(IMPORT_ROWS_MAX, `The links must have at most ${IMPORT_ROWS_MAX} rows.`)
      .nullish(),
    csv: z.string({ error: 'The csv must be text.' }).nullish(),
    options: importOptions.nullish().transform((options) => options ?? importOptions.parse({})),
  })
  .refine(({ links, csv }) => (links == null) !== (csv == null), {
    error: EITHER,
    path: ['links'],
    when: () => true,
  });
export type CreateImportBody = z.infer<typeof createImport>;

export const importStatus = z.enum(['queued', 'processing', 'completed', 'completed_with_errors', 'failed']);
export type ImportStatus = z.infer<typeof importStatus>;

export const rowErrorCode = z.enum(['validation_failed', 'duplicate', 'quota_exceeded', 'server_error']);
export type RowErrorCode = z.infer<typeof rowErrorCode>;

const rowError = z.object({
  /** From 1, without the line of the columns. */
  row: z.number().int(),
  /** `null` for a row as a whole. */
  field: z.string().nullable(),
  code: rowErrorCode,
  message: z.string(),
});
export type RowError = z.infer<typeof rowError>;

export const linkImport = z.object({
  id: z.string(),
  status: importStatus,
  options: z.object({ on_duplicate: onDuplicate, dry_run: z.boolean() }),
  total_rows: z.number().int(),
  processed_rows: z.number().int(),
  created_count: z.number().int(),
  updated_count: z.number().int(),
  skipped_count: z.number().int(),
  failed_count: z.number().int(),
  /** The first of them, at most `IMPORT_ERRORS_MAX`. */
  errors: z.array(rowError),
  created_at: timestamp,
  started_at: timestamp.nullable(),
  finished_at: timestamp.nullable(),
});
export type LinkImportBody = z.infer<typeof linkImport>;

const path = '/workspaces/{workspace}/links';

export const importRoutes = {
  'imports.create': {
    method: 'POST',
    path: `${path}/import`,
    deployments: ['links'],
    service: 'resource',
    access: { kind: 'workspace', ability: 'write', roles: CONTENT_EDITORS },
    body: createImport,
    bodyLimitBytes: IMPORT_BYTES_MAX,
    rawBody: true,
    idempotent: true,
    response: { status: 202, schema: item(linkImport) },
  },
  'imports.show': {
    method: 'GET',
    path: `${path}/imports/{id}`,
    deployments: ['links'],
    service: 'resource',
    access: { kind: 'workspace', ability: 'read', roles: EVERY_ROLE },
    response: { status: 200, schema: item(linkImport) },
  },
} as const satisfies Record<string, RouteDefinition>;
