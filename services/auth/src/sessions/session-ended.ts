import type { EventContext } from '@waymark/contract/event';
import { sessionDeleted } from '@waymark/contract/events';

/** Builds the event of a session that its user ended, or that a newer one displaced. */
export function createSessionEnded(
  event: EventContext,
  data: { user_id: string; email: string; workspaces: string[] },
) {
  const target = { type: 'user', id: data.user_id, label: data.email };
  return sessionDeleted.create(event, data, { target, changes: {} });
}
