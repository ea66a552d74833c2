import { z } from 'zod';
import { boundedList, createdAt, item, page, paginated, perPage, timestamp, wordSelector } from './common.js';
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
const ON_DUPLICATE =
  'What happens to a row whose code a link on the same host has: `skip` leaves the link as it is, `update` changes ' +
  'the fields that the row has, `fail` is an error of the row.';
const DRY_RUN = 'Whether nothing is changed: the results say what would happen to each row.';
export type OnDuplicate = z.infer<typeof onDuplicate>;

const optional = <T extends string | boolean>(schema: z.ZodType<T>, otherwise: T) =>
  schema
    .nullable()
    .default(otherwise as z.core.util.NoUndefined<T>)
    .transform((value) => value ?? otherwise);
const importOptions = z.object(
  {
    on_duplicate: optional(onDuplicate, 'fail').describe(`${ON_DUPLICATE} \`fail\` unless given.`),
    dry_run: optional(z.boolean({ error: 'The dry_run must be true or false.' }), false).describe(
      `${DRY_RUN} \`false\` unless given.`,
    ),
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
    })
      .nullish()
      .describe('1 to 10,000 rows, each with the fields of a new link. Either this or `csv` is required.'),
    csv: z
      .string({ error: 'The csv must be text.' })
      .nullish()
      .describe('CSV of up to 10,000 rows, whose first line names the columns. Either this or `links` is required.'),
    options: importOptions
      .nullish()
      .transform((options) => options ?? importOptions.parse({}))
      .describe('How to import; `null` for the defaults.'),
  })
  .refine(({ links, csv }) => (links == null) !== (csv == null), {
    ...asIssue(EITHER),
    path: ['links'],
    when: () => true,
  })
  .describe('Links to create or update, as `links` or as `csv`.');
export type CreateImportBody = z.infer<typeof createImport>;

export const importStatus = z
  .enum(['queued', 'processing', 'completed', 'completed_with_errors', 'failed'])
  .describe(
    '`completed`: no row failed; `completed_with_errors`: some did; `failed`: an error of the server stopped it before ' +
      'the last row. The other two are unfinished.',
  );
export type ImportStatus = z.infer<typeof importStatus>;

export const rowErrorCode = z
  .enum(['validation_failed', 'duplicate', 'server_error'])
  .describe(
    '`validation_failed`: the row is invalid, or a quota is reached; `duplicate`: a link has its code; ' +
      '`server_error`: the import stopped at this row.',
  );
export type RowErrorCode = z.infer<typeof rowErrorCode>;

const rowProblem = z.object({
  field: z
    .string()
    .nullable()
    .describe('Path of the field, e.g. `utm_defaults.utm_term`, or `quota`; `null` for the row as a whole.'),
  code: rowErrorCode,
  message: z.string().describe('What is wrong, for people; may change.'),
  problem_code: problemCode
    .optional()
    .describe('What is wrong, for programs. Absent for some errors of a whole row, and in rows of earlier versions.'),
  params: problemParams.optional(),
  details: quotaDetails.optional().describe('Only if a quota is reached, as in the error of a request.'),
});
export type RowProblem = z.infer<typeof rowProblem>;

const rowNumber = z.number().int().describe('Number of the row, from 1, without header and empty lines of a CSV.');

const rowError = z.object({ row: rowNumber, ...rowProblem.shape });
export type RowError = z.infer<typeof rowError>;

export const rowOutcome = z
  .enum(['created', 'updated', 'unchanged', 'skipped', 'failed'], {
    error: 'The outcome must be created, updated, unchanged, skipped or failed.',
  })
  .describe(
    'What the row has done, or would do in a dry run. `unchanged`: its link has these values already; `skipped`: ' +
      'left out by `on_duplicate`.',
  );
export type RowOutcome = z.infer<typeof rowOutcome>;

export const importRow = z
  .object({
    row: rowNumber,
    outcome: rowOutcome,
    link_id: z
      .string()
      .nullable()
      .describe('Link that the row created or matched; `null` if it failed, and in a dry run.'),
    short_code: z
      .string()
      .nullable()
      .describe('Code of that link; `null` if the row failed, and if a dry run would generate it.'),
    short_url: z
      .string()
      .nullable()
      .describe('URL of that link when the row was processed; `null` if `short_code` is.'),
    errors: z.array(rowProblem).describe('Why the row failed, at most 10 entries; empty if it did not.'),
  })
  .describe('The result of one row of an import.');
export type ImportRowBody = z.infer<typeof importRow>;

const rowCount = (meaning: string) => z.number().int().describe(meaning);

export const linkImport = z
  .object({
    id: z.string().describe('`imp_…`; never changes.'),
    status: importStatus,
    options: z
      .object({ on_duplicate: onDuplicate.describe(ON_DUPLICATE), dry_run: z.boolean().describe(DRY_RUN) })
      .describe('The options of the request, with their defaults.'),
    total_rows: rowCount('Rows that were sent.'),
    processed_rows: rowCount('Rows that have a result so far.'),
    created_count: rowCount('Rows that created a link, or would in a dry run.'),
    updated_count: rowCount('Rows that changed a link, or would in a dry run.'),
    unchanged_count: rowCount('Rows that matched a link and changed none of its fields.'),
    skipped_count: rowCount('Rows whose link `on_duplicate` left as it is.'),
    failed_count: rowCount('Rows that have errors.'),
    errors: z.array(rowError).describe('The first 1,000 errors, in the order of the rows.'),
    rows_kept_until: timestamp
      .nullable()
      .describe('When the results of the rows expire, in UTC: after 30 days. `null` if none were stored.'),
    created_at: createdAt,
    started_at: timestamp.nullable().describe('When the first row was begun, in UTC; `null` while it is `queued`.'),
    finished_at: timestamp.nullable().describe('When it ended, in UTC; `null` until then.'),
  })
  .describe('An import of links: its options, its progress and its first errors.');
export type LinkImportBody = z.infer<typeof linkImport>;

export const importSummary = linkImport
  .omit({ errors: true })
  .describe('An import of links without its errors: its options and its progress.');

/** An import, and a link to all of its errors. */
const importWithRows = item(
  linkImport,
  z
    .object({
      truncated: z.boolean().describe('Whether there are more errors than `errors` has.'),
      rows_url: z.string().describe('URL of the results of all rows.'),
    })
    .describe('Where to read what `errors` lacks.'),
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
