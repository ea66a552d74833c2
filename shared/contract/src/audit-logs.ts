import { z } from 'zod';
import { csvQuery, cursorPage, cursorPaging, timestamp } from './common.js';
import { dateOrTime } from './date-or-time.js';
import { ADMINISTRATORS } from './roles.js';
import type { RouteDefinition } from './route.js';
import { auditChanges, auditTarget } from './event.js';
import { actor } from './identity.js';

export const auditEntry = z.object({
  id: z.string(),
  action: z.string(),
  /** `name` is the user's; in entries of earlier versions, that of the token. */
  actor: actor.required({ token: true }),
  target: auditTarget.nullable(),
  changes: auditChanges,
  ip_address: z.string().nullable(),
  request_id: z.string().nullable(),
  created_at: timestamp,
  /** Present only in an entry that was changed in the database and is partly unreadable. */
  damaged: z.literal(true).optional(),
  /** Present only in an entry without the personal data of a user who was erased. */
  redacted: z.literal(true).optional(),
});
export type AuditEntryBody = z.infer<typeof auditEntry>;

/** Why a chain breaks off: see docs/audit.md. */
export const breakReason = z.enum([
  'missing',
  'changed',
  'unlinked',
  'unexpected',
  'no_end',
  'unsigned_end',
  'rolled_back',
]);

export const auditVerdict = z.object({
  valid: z.boolean(),
  reason: breakReason.optional().meta({ description: 'That of `first_break`, only while the log is not valid.' }),
  /** Entries that are as they were appended, from the first one on. */
  checked: z.number().int(),
  first_break: z.object({ seq: z.number().nullable(), id: z.string().nullable(), reason: breakReason }).nullable(),
});
export type AuditVerdict = z.infer<typeof auditVerdict>;

const exactText = (name: string, meaning: string) =>
  z
    .string({ error: `The ${name} must be given once.` })
    .min(1, `The ${name} must not be empty.`)
    .max(255, `The ${name} must be at most 255 characters.`)
    .optional()
    .meta({ description: meaning });

/** An action, or a group like `link.*`. */
export const auditAction = z
  .string({ error: 'The action must be given once.' })
  .max(64, 'The action must be at most 64 characters.')
  .meta({
    description: 'Only entries of this action, or of this group of actions. Omit it, or pass `all`, for every action.',
  });

export const auditFilters = z.object({
  action: auditAction.optional(),
  actor: z
    .string({ error: 'The actor must be given once.' })
    .min(1, 'The actor must be an id or an e-mail address.')
    .max(320, 'The actor must be at most 320 characters.')
    .optional()
    .meta({
      description: 'The id or e-mail address of a user, or the id of a token. Omit it, or pass `all`, for every actor.',
    }),
  target: exactText(
    'target',
    'The id of the changed resource, such as `lnk_…`. Omit it, or pass `all`, for every resource.',
  ),
  request_id: exactText('request_id', 'The `X-Request-Id` of the response that the caller received.'),
  from: dateOrTime('from').optional(),
  to: dateOrTime('to').optional(),
});
export type AuditFilters = z.output<typeof auditFilters>;

const path = '/workspaces/{workspace}/audit-logs';
const access = { kind: 'workspace', ability: 'read', roles: ADMINISTRATORS } as const;

export const auditRoutes = {
  'audit_logs.list': {
    method: 'GET',
    path,
    versions: ['v1'],
    service: 'audit',
    access,
    query: auditFilters.extend(cursorPaging),
    response: { status: 200, schema: cursorPage(auditEntry) },
  },
  'audit_logs.export': {
    method: 'GET',
    path: `${path}/export`,
    versions: ['v1'],
    service: 'audit',
    access: { ...access, entitlement: 'audit_logs.export' },
    query: auditFilters.extend(csvQuery),
    response: { status: 200, contentTypes: ['text/csv; charset=utf-8'] },
  },
  'audit_logs.verify': {
    method: 'GET',
    path: `${path}/verify`,
    versions: ['v1'],
    service: 'audit',
    access,
    response: { status: 200, schema: z.object({ data: auditVerdict }) },
  },
} as const satisfies Record<string, RouteDefinition>;
