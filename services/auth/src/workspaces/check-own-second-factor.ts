import type { Identity } from '@waymark/contract/identity';
import { secondFactorMissing } from '@waymark/contract/problems';
import { invalid } from '@waymark/kernel/errors';
import { hasSecondFactor } from '../users/second-factor.js';
import type { WorkspaceContext } from './context.js';

/**
 * Prevents administrators from locking themselves out, and so the whole workspace where the installation has no second
 * factor at all.
 * @throws AppError `validation_failed` when the caller has no second factor
 */
export async function checkOwnSecondFactor(
  { users, sessions, identities }: Pick<WorkspaceContext, 'users' | 'sessions' | 'identities'>,
  { actor, session_id: sessionId }: Identity,
): Promise<void> {
  const userId = actor.id ?? '';
  const [user, session, linked] = await Promise.all([
    users.findUser(userId),
    sessionId === null ? null : sessions.findSession(sessionId),
    sessionId === null ? identities.findLinkedUsers([userId]) : null,
  ]);
  if (user && hasSecondFactor(user, session, linked?.has(userId) ?? false)) return;
  throw invalid({ require_two_factor: [secondFactorMissing('Enable two-factor sign-in of your own account first.')] });
}
