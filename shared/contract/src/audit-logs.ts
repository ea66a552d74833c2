import { z } from 'zod';
import { csvQuery, cursorPage, cursorPaging, timestamp } from './common.js';
import { atOrAfter, atOrBefore, dateOrTime } from './date-or-time.js';
import { ADMINISTRATORS } from './roles.js';
import type { RouteDefinition } from './route.js';
import { auditChanges, auditTarget } from './event.js';
import { actor } from './identity.js';

/** `token` is never absent here: it is `null` where there was none. */
const auditActor = z.object({
  type: actor.shape.type.describe('`user`: a person. `token`: a program. `system`: Waymark itself, without a request.'),
  id: actor.shape.id.describe(
    'Id of the user who acted, or who owns the token; `null` for Waymark and a failed sign-in.',
  ),
  name: actor.shape.name.describe('Name of the user, or `system`; `null` where unknown or erased.'),
  email: actor.shape.email.describe('E-mail address of the user; `null` where unknown or erased.'),
  token_id: actor.shape.token_id.describe('Id of the token of a program; `null` for others.'),
  token: z
    .object({
      id: z.string().describe('The same as `token_id`.'),
      name: z.string().nullable().describe('Name of the token at that time; `null` when it was erased.'),
    })
    .nullable()
    .describe('Token of a program; `null` for others.'),
});

export const auditEntry = z
  .object({
    id: z.string().describe('Unique id, beginning with `aud_`.'),
    action: z.string().describe('What was done, such as `link.updated`; `unreadable` in a damaged entry.'),
    actor: auditActor.describe('Who did it.'),
    target: auditTarget.nullable().describe('What it was done to; `null` when it was nothing in particular.'),
    changes: auditChanges.describe(
      'Changed fields by name: from `null` on creation, to `null` on deletion. Other actions have their details here, such as the filters of an export.',
    ),
    ip_address: z.string().nullable().describe('Address of the caller; `null` without a request, or when erased.'),
    request_id: z.string().nullable().describe('`X-Request-Id` of the response; `null` without a request.'),
    created_at: timestamp.describe('When it happened, in UTC; the entry appears a moment later.'),
    damaged: z
      .literal(true)
      .optional()
      .describe('Present where the entry was made unreadable in the database: such fields have replacements.'),
    redacted: z
      .literal(true)
      .optional()
      .describe('Present where the personal data of an erased user was removed from the entry.'),
  })
  .describe('An entry of the audit log: one change, sign-in or export.');
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

const REASONS =
  '`changed`: the content does not match its hash. `unlinked`: the entry before was replaced. `missing`: there is no such entry. ' +
  '`unexpected`: it has no place in the chain. `no_end`: the stored end is not valid. `rolled_back`: the log was reset to an earlier end. ' +
  '`unsigned_end`: the end has no valid signature.';
export const auditVerdict = z
  .object({
    valid: z.boolean().describe('Whether every entry is as it was appended, and none is missing or was added.'),
    reason: breakReason.optional().describe('The `reason` of `first_break`; absent while the log is valid.'),
    checked: z.number().int().describe('Entries from the first one on that fit together.'),
    first_break: z
      .object({
        seq: z.number().nullable().describe('Number of the entry in the log, from 1; `null` where it has none.'),
        id: z.string().nullable().describe('Id of the entry; `null` where it is missing or unreadable.'),
        reason: breakReason.describe(REASONS),
      })
      .nullable()
      .describe('Where the log first breaks; `null` while it is valid.'),
  })
  .describe('Whether the hash chain of the audit log is whole.');
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
  .describe('An action of the audit log, or `link.*` for all of one kind.');

export const auditFilters = z.object({
  action: auditAction
    .optional()
    .describe(
      'Only entries of this action, or of a group of actions (`link.*`). Omit it, or pass `all`, for every action.',
    ),
  actor: z
    .string({ error: 'The actor must be given once.' })
    .min(1, 'The actor must be an id or an e-mail address.')
    .max(320, 'The actor must be at most 320 characters.')
    .optional()
    .meta({
      description:
        'Only entries by this actor: the id or e-mail address of a user, or the id of a token, in any case. Omit it, or pass `all`, for every actor.',
    }),
  target: exactText(
    'target',
    'Only entries about the resource with exactly this id, such as `lnk_…`. Omit it, or pass `all`, for every resource.',
  ),
  request_id: exactText('request_id', 'Only entries of the request whose response had exactly this `X-Request-Id`.'),
  from: dateOrTime('from').optional().describe(atOrAfter('Only entries of what happened')),
  to: dateOrTime('to').optional().describe(atOrBefore('Only entries of what happened')),
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
    response: {
      status: 200,
      schema: z
        .object({ data: auditVerdict.describe('What the check has found.') })
        .describe('The answer with the verdict.'),
    },
  },
} as const satisfies Record<string, RouteDefinition>;
