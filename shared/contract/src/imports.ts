import { z } from 'zod';
import { boundedList, item, page, paginated, perPage, timestamp, wordSelector } from './common.js';
import { asIssue, conflicting, tooMany } from './problems.js';
import { problemCode, problemParams } from './problem-schema.js';
import { quotaDetails } from './quota.js';
import { CONTENT_EDITORS, EVERY_ROLE } from './roles.js';
import type { RouteDefinition } from './route.js';

export const IMPORT_ROWS_MAX = 10_000;
export const IMPORT_BYTES_MAX = 10 * 1024 * 1024;
/** Errors that a job lists; its `failed_count` counts all of them. */
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

const EITHER = conflicting('Give either links or csv.', 'csv');

/** Rows are validated one by one: an invalid row is an error of that row, not of the request. */
export const createImport = z
  .object({
    links: boundedList(z.unknown(), {
      error: () => 'The links must be a list.',
      min: [1, 'The links must have at least one row.'],
      max: [IMPORT_ROWS_MAX, tooMany('links', IMPORT_ROWS_MAX, 'rows')],
    }).nullish(),
    csv: z.string({ error: 'The csv must be text.' }).nullish(),
    options: importOptions.nullish().transform((options) => options ?? importOptions.parse({})),
  })
  .refine(({ links, csv }) => (links == null) !== (csv == null), {
    ...asIssue(EITHER),
    path: ['links'],
    when: () => true,
  });
export type CreateImportBody = z.infer<typeof createImport>;

export const importStatus = z.enum(['queued', 'processing', 'completed', 'completed_with_errors', 'failed']);
export type ImportStatus = z.infer<typeof importStatus>;

export const rowErrorCode = z.enum(['validation_failed', 'duplicate', 'server_error']);
export type RowErrorCode = z.infer<typeof rowErrorCode>;

const rowProblem = z.object({
  /** `null` for a row as a whole. */
  field: z.string().nullable(),
  code: rowErrorCode,
  message: z.string(),
  problem_code: problemCode.optional().meta({
    description: 'Says what is wrong with the field. Absent for a row as a whole, and for rows of earlier versions.',
  }),
  params: problemParams.optional(),
  /** As in the error of a request that reaches a quota. */
  details: quotaDetails.optional(),
});
export type RowProblem = z.infer<typeof rowProblem>;

/** Counts from 1, without the header line. */
const rowNumber = z.number().int();

const rowError = z.object({ row: rowNumber, ...rowProblem.shape });
export type RowError = z.infer<typeof rowError>;

export const rowOutcome = z.enum(['created', 'updated', 'unchanged', 'skipped', 'failed'], {
  error: 'The outcome must be created, updated, unchanged, skipped or failed.',
});
export type RowOutcome = z.infer<typeof rowOutcome>;

export const importRow = z.object({
  row: rowNumber,
  outcome: rowOutcome,
  /** The link that the row created or matched; `null` in a dry run. */
  link_id: z.string().nullable(),
  /** `null` where a dry run would generate it. */
  short_code: z.string().nullable(),
  short_url: z.string().nullable(),
  /** Empty unless the row failed. */
  errors: z.array(rowProblem),
});
export type ImportRowBody = z.infer<typeof importRow>;

export const linkImport = z.object({
  id: z.string(),
  status: importStatus,
  options: z.object({ on_duplicate: onDuplicate, dry_run: z.boolean() }),
  total_rows: z.number().int(),
  processed_rows: z.number().int(),
  created_count: z.number().int(),
  updated_count: z.number().int(),
  /** Rows that matched a link and changed none of its fields. */
  unchanged_count: z.number().int(),
  skipped_count: z.number().int(),
  failed_count: z.number().int(),
  /** The first `IMPORT_ERRORS_MAX`. */
  errors: z.array(rowError),
  /** Until when the results of its rows are kept; `null` for an import of a version that stored none. */
  rows_kept_until: timestamp.nullable(),
  created_at: timestamp,
  started_at: timestamp.nullable(),
  finished_at: timestamp.nullable(),
});
export type LinkImportBody = z.infer<typeof linkImport>;

export const importSummary = linkImport.omit({ errors: true });

/** An import, and a link to all of its errors. */
const importWithRows = item(
  linkImport,
  z.object({
    /** Whether `errors` holds the first of the errors only. */
    truncated: z.boolean(),
    rows_url: z.string(),
  }),
);

const links = '/workspaces/{workspace}/links';
const imports = `${links}/imports`;
const readAccess = { kind: 'workspace', ability: 'read', roles: EVERY_ROLE } as const;

export const importRoutes = {
  'imports.create': {
    method: 'POST',
    path: `${links}/import`,
    deployments: ['links'],
    service: 'resource',
    access: { kind: 'workspace', ability: 'write', roles: CONTENT_EDITORS },
    body: createImport,
    bodyLimitBytes: IMPORT_BYTES_MAX,
    rawBody: true,
    idempotent: true,
    response: { status: 202, schema: item(linkImport) },
  },
  'imports.list': {
    method: 'GET',
    path: imports,
    deployments: ['links'],
    service: 'resource',
    access: readAccess,
    query: z.object({ page, per_page: perPage }),
    response: { status: 200, schema: paginated(importSummary) },
  },
  'imports.show': {
    method: 'GET',
    path: `${imports}/{id}`,
    deployments: ['links'],
    service: 'resource',
    access: readAccess,
    response: { status: 200, schema: importWithRows },
  },
  'imports.rows': {
    method: 'GET',
    path: `${imports}/{id}/rows`,
    deployments: ['links'],
    service: 'resource',
    access: readAccess,
    query: z.object({ outcome: wordSelector('outcome', rowOutcome.options), page, per_page: perPage }),
    response: { status: 200, schema: paginated(importRow) },
  },
} as const satisfies Record<string, RouteDefinition>;
