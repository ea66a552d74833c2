import type { EventContext } from '@waymark/contract/event';
import { sessionFailed } from '@waymark/contract/events';
import { ANONYMOUS } from '@waymark/contract/identity';
import type { BuildEvent, CountedEvents } from '../../activity/counted-events.js';
import type { User, UserStore } from '../../users/user-store.js';
import type { WorkspaceStore } from '../../workspaces/workspace-store.js';
import { accountKey } from './sign-in-limits.js';

interface FailedAttempt {
  /** `null` for an unknown e-mail, which takes the same steps as a known one. */
  user: User | null;
  email: string;
}

export function recordFailure(
  { countedEvents }: { countedEvents: CountedEvents },
  { ipAddress = null, requestId = null }: EventContext,
  { user, email }: FailedAttempt,
): Promise<void> {
  return countedEvents.count('session.failed', user?._id ?? accountKey(email), { ipAddress, requestId });
}

/** An unknown e-mail belongs to no workspace, so that no log would show the event. */
export function failedSignInEvent({
  users,
  workspaces,
}: {
  users: Pick<UserStore, 'findUser'>;
  workspaces: Pick<WorkspaceStore, 'findEnteredWorkspaces'>;
}): BuildEvent {
  return async ({ subject: id, count, ipAddress, requestId }) => {
    const user = await users.findUser(id);
    if (!user) return null;
    const { email } = user;
    return sessionFailed.create(
      { workspace: null, actor: ANONYMOUS, ipAddress, requestId },
      { user_id: id, email, workspaces: await workspaces.findEnteredWorkspaces(id) },
      { target: { type: 'user', id, label: email }, changes: { count: { from: null, to: count } } },
    );
  };
}
