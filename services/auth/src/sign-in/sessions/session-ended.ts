import type { AuditChanges, EventContext } from '@waymark/contract/event';
import { sessionDeleted } from '@waymark/contract/events';

interface SessionOwner {
  user_id: string;
  email: string;
  workspaces: string[];
}

/** Builds the event of a session that its user ended, or that a newer one displaced. */
export function createSessionEnded(event: EventContext, data: SessionOwner, changes: AuditChanges = {}) {
  const target = { type: 'user', id: data.user_id, label: data.email };
  return sessionDeleted.create(event, data, { target, changes });
}

/**
 * Builds the event of sessions that ended together, none for no session. One event for all of them: each is an entry in the
 * audit log of every workspace of the user.
 */
export function createSessionsEnded(
  event: EventContext,
  data: SessionOwner,
  { ended, left }: { ended: number; left: number },
) {
  return ended === 0 ? [] : [createSessionEnded(event, data, { sessions: { from: ended + left, to: left } })];
}
