import { z } from 'zod';
import { page, paginated, perPage, timestamp } from './common.js';
import { ADMINISTRATORS } from './roles.js';
import type { RouteDefinition } from './route.js';
import { auditChanges, auditTarget } from './event.js';
import { actor } from './identity.js';

export const auditEntry = z.object({
  id: z.string(),
  action: z.string(),
  actor,
  target: auditTarget.nullable(),
  changes: auditChanges,
  ip_address: z.string().nullable(),
  request_id: z.string().nullable(),
  created_at: timestamp,
});
export type AuditEntryBody = z.infer<typeof auditEntry>;

/** A day or a point in time. */
const dateOrTime = z.union([z.iso.date(), z.iso.datetime({ offset: true })], {
  error: 'Must be a date (YYYY-MM-DD) or a time (ISO 8601).',
});

export const auditFilters = z.object({
  action: z
    .string()
    .max(64)
    .regex(/^[a-z_]+(\.[a-z_]+|\.\*)$/, 'The action must be an action name or a group like link.*')
    .optional(),
  actor: z.string().max(320).optional(),
  from: dateOrTime.optional(),
  to: dateOrTime.optional(),
});

export const auditRoutes = {
  'audit_logs.list': {
    method: 'GET',
    path: '/workspaces/{workspace}/audit-logs',
    versions: ['v1'],
    service: 'audit',
    access: { kind: 'workspace', ability: 'read', roles: ADMINISTRATORS },
    query: auditFilters.extend({ page, per_page: perPage }),
    response: { status: 200, schema: paginated(auditEntry) },
  },
} as const satisfies Record<string, RouteDefinition>;
