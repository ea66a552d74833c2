import type { EventContext } from '@waymark/contract/event';
import { AppError } from '@waymark/kernel/errors';
import { checkOwnPassword } from './check-own-password.js';
import type { SessionContext } from './context.js';
import type { SessionStore } from './session-store.js';

const RECENT_MS = 10 * 60_000;

/**
 * Protects what an unattended browser must not be able to do.
 * @throws AppError `forbidden` with `details.reauthenticate` unless the user of this session has signed in, or confirmed
 * it with the password, in the last ten minutes
 */
export async function checkRecentSignIn(
  { db, sessions }: Pick<SessionContext, 'db'> & { sessions: Pick<SessionStore, 'findSession'> },
  sessionId: string | null,
): Promise<void> {
  const session = sessionId === null ? null : await sessions.findSession(sessionId);
  const provenAt = session && (session.reauthenticatedAt ?? session.createdAt);
  if (provenAt && provenAt.getTime() > (await db.now()).getTime() - RECENT_MS) return;
  throw new AppError('forbidden', 'Confirm your password or sign in again: your sign-in is older than 10 minutes.', {
    details: { reauthenticate: true },
  });
}

/**
 * Confirms a session with the password of its user. The password is enough also with two-factor sign-in: the session
 * itself began with the second factor.
 * @throws AppError `validation_failed` for a wrong password; `rate_limit_exceeded`
 */
export async function reauthenticate(
  ctx: SessionContext,
  event: EventContext,
  { password, sessionId }: { password: string; sessionId: string },
): Promise<void> {
  await checkOwnPassword(ctx, event, { password, field: 'password' });
  await ctx.sessions.markReauthenticated(sessionId, await ctx.db.now());
}
