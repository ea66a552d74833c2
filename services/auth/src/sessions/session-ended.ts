import type { EventContext } from '@waymark/shared/contract/event';
import { sessionDeleted } from '@waymark/shared/contract/events';

/** The event of a session that its user, or a newer one of too many, has ended. */
export function sessionEnded(event: EventContext, data: { user_id: string; email: string; workspaces: string[] }) {
  const target = { type: 'user', id: data.user_id, label: data.email };
  return sessionDeleted.create(event, data, { target, changes: {} });
}
