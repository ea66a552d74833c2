import type { AuditEntryBody } from '@waymark/contract/audit-logs';
import type { Event } from '@waymark/contract/event';
import type { Actor } from '@waymark/contract/identity';
import { derivedId, rePrefix } from '@waymark/contract/ids';

/** An event's entry in the log of one workspace. */
export interface Entry {
  /** Derived from the event and the workspace: a redelivered event gives the same entry. */
  _id: string;
  workspace: string;
  action: string;
  actor: Actor;
  target: AuditEntryBody['target'];
  /** JSON text: keeps the names and values exactly as they were recorded. */
  changes: string;
  ipAddress: string | null;
  requestId: string | null;
  createdAt: Date;
}

/** Yields an event's entries: one, or one per workspace of the user when the event belongs to no single workspace. */
export function* entriesOfEvent(event: Event): Generator<Entry> {
  const { audit, actor } = event;
  if (!audit) return;
  const content = {
    action: event.type,
    actor: recordedActor(actor),
    target: audit.target && { ...audit.target, label: textOrNull(audit.target.label) },
    changes: JSON.stringify(audit.changes),
    ipAddress: event.ip_address,
    requestId: event.request_id,
    createdAt: new Date(event.occurred_at),
  };
  for (const workspace of workspacesOf(event)) {
    const _id = workspace === event.workspace ? rePrefix(event.id, 'aud') : derivedId('aud', event.id, workspace);
    yield { _id, workspace, ...content };
  }
}

/** Without `token` where there is none: the hash covers only what is there, as it did before entries had it. */
const recordedActor = ({ token, ...actor }: Actor): Actor => ({
  ...actor,
  id: textOrNull(actor.id),
  name: textOrNull(actor.name),
  email: textOrNull(actor.email),
  ...(token && { token: { id: token.id, name: textOrNull(token.name) } }),
});

/** CSV cannot distinguish the empty string from null, and readers of an export must be able to compute the hash. */
const textOrNull = (text: string | null): string | null => (text === '' ? null : text);

function workspacesOf({ workspace, data }: Event): string[] {
  if (workspace !== null) return [workspace];
  const { workspaces } = (data ?? {}) as { workspaces?: unknown };
  return Array.isArray(workspaces) ? [...new Set(workspaces as string[])] : [];
}

/** The content of an entry: everything that is shown, and the part that its hash covers besides its position. */
export function entryContent({ actor, target, ...entry }: Entry) {
  return {
    id: entry._id,
    action: entry.action,
    actor: {
      id: actor.id,
      type: actor.type,
      name: actor.name,
      email: actor.email,
      token_id: actor.token_id,
      ...(actor.token && { token: { id: actor.token.id, name: actor.token.name } }),
    },
    target: target && { type: target.type, id: target.id, label: target.label },
    changes: entry.changes,
    ip_address: entry.ipAddress,
    request_id: entry.requestId,
    created_at: entry.createdAt.toISOString(),
  };
}
