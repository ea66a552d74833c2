import { z } from 'zod';
import { newId } from './ids.js';
import { actor, SYSTEM_ACTOR, type Actor } from './identity.js';

export const auditTarget = z.object({
  type: z.string().describe('Kind of the resource, such as `link` or `webhook`.'),
  id: z.string().describe('Id of the resource; the slug of a workspace, and of its audit log and analytics.'),
  label: z.string().nullable().describe('Name or title at that time; `null` when there was none, or when erased.'),
});
export const auditChanges = z
  .record(
    z.string(),
    z.object({
      from: z.unknown().describe('Value before; `null` when there was none.'),
      to: z.unknown().describe('Value afterwards; `null` when there is none.'),
    }),
  )
  .describe('Changed fields by name.');
export type AuditChanges = z.infer<typeof auditChanges>;

/** The part of an event for the audit log; an event without it leaves no entry. */
const auditRecord = z.object({ target: auditTarget.nullable(), changes: auditChanges });

export const envelope = z.object({
  id: z.string().startsWith('evt_'),
  type: z.string(),
  version: z.number().int(),
  occurred_at: z.iso.datetime(),
  /** `null` for events of a user that belong to no single workspace. */
  workspace: z.string().nullable(),
  actor,
  ip_address: z.string().nullable(),
  request_id: z.string().nullable(),
  traceparent: z.string().nullable(),
  audit: auditRecord.nullable(),
  data: z.unknown(),
});

export type Event<Data = unknown> = Omit<z.infer<typeof envelope>, 'data'> & { data: Data };

export interface EventDefinition<Data = unknown> {
  type: string;
  version: number;
  schema: z.ZodType<Data>;
  /** Builds the event: the only way to make one. */
  create(context: EventContext, data: Data, audit?: z.infer<typeof auditRecord>): Event<Data>;
}

/** The actor and the workspace of an event; the request's part is empty for work that no request started. */
export interface EventContext {
  id?: string;
  workspace: string | null;
  actor?: Actor;
  ipAddress?: string | null;
  requestId?: string | null;
  traceparent?: string | null;
}

export function defineEvent<S extends z.ZodType>(
  type: string,
  version: number,
  schema: S,
): EventDefinition<z.infer<S>> {
  return {
    type,
    version,
    schema: schema as z.ZodType<z.infer<S>>,
    create: (context, data, audit) => ({
      id: context.id ?? newId('evt'),
      type,
      version,
      occurred_at: new Date().toISOString(),
      workspace: context.workspace,
      actor: context.actor ?? SYSTEM_ACTOR,
      ip_address: context.ipAddress ?? null,
      request_id: context.requestId ?? null,
      traceparent: context.traceparent ?? null,
      audit: audit ?? null,
      data,
    }),
  };
}
