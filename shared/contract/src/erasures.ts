import { z } from 'zod';
import { BROKER_SERVICES, type BrokerService } from './broker-services.js';
import { defineEvent, type EventDefinition } from './event.js';

/** The kinds of data that every service can erase. */
export const erasureKind = z.enum(['workspace', 'user']);
export type ErasureKind = z.infer<typeof erasureKind>;

/** Identifies the erasure of a workspace, by its slug, or of a user, by the id. */
export const erasureId = (kind: ErasureKind, subject: string): string => `${kind}:${subject}`;

/** Leaves no audit entry: the audit log of the workspace is erased too. */
export const workspaceDeleted = defineEvent('workspace.deleted', 1, z.object({ slug: z.string() }));
/** The e-mail address finds what names it alone, such as invitations. Services delete it soon after the erasure. */
export const userErased = defineEvent('user.erased', 1, z.object({ user_id: z.string(), email: z.string() }));
export type ErasureOrderData = z.infer<typeof workspaceDeleted.schema> | z.infer<typeof userErased.schema>;
export const ERASURE_ORDERS = [workspaceDeleted, userErased] as readonly EventDefinition<ErasureOrderData>[];

/** The progress of one service. */
export const erasureReport = z.object({
  kind: erasureKind,
  /** The slug of the workspace, or the id of the user. */
  subject: z.string(),
  /** The number of removed or anonymized documents and rows, by collection. */
  removed: z.record(z.string(), z.number().int()),
  /** True once the service holds nothing more; a later report adds what arrived late. */
  is_complete: z.boolean(),
});
export type ErasureReport = z.infer<typeof erasureReport>;

/** The report of each service to auth. */
export const ERASURE_REPORTS = Object.fromEntries(
  BROKER_SERVICES.map((service) => [service, defineEvent(`${service}.erased`, 1, erasureReport)]),
) as Record<BrokerService, EventDefinition<ErasureReport>>;
