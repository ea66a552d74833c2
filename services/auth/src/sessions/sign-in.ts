import { randomBytes } from 'node:crypto';
import type { EventContext } from '@waymark/contract/event';
import { sessionCreated, sessionFailed } from '@waymark/contract/events';
import { newId } from '@waymark/contract/ids';
import type { Actor } from '@waymark/contract/identity';
import { AppError } from '@waymark/kernel/errors';
import { hashSecret } from '../secrets/hash-secret.js';
import type { User } from '../users/user-store.js';
import type { SessionContext } from './context.js';
import { createSessionEnded } from './session-ended.js';

/** Has no workspaces and no known addresses. */
const UNKNOWN_USER = 'unknown';
const HOUR_MS = 3600 * 1000;
const USER_AGENT_MAX = 512;

interface Credentials {
  email: string;
  password: string;
  userAgent: string | null;
}

interface SignedIn {
  user: User;
  plaintext: string;
  expiresAt: Date;
}

/**
 * Always starts a new session and ignores any session the browser sends (prevents session fixation).
 * @throws AppError `unauthenticated`, the same for an unknown e-mail and a wrong password; `rate_limit_exceeded`
 */
export async function signIn(ctx: SessionContext, event: EventContext, input: Credentials): Promise<SignedIn> {
  const { email, password, userAgent } = input;
  const address = event.ipAddress ?? null;
  const user = await ctx.users.findUserByEmail(email);
  // From here, known and unknown e-mails take the same steps, so that the response time reveals nothing.
  const userId = user?._id ?? UNKNOWN_USER;
  const permit = await ctx.signInLimits.countAttempt({ email, address, userId });
  const matches = await ctx.passwords
    .checkPassword(user?.passwordHash, password, address)
    .catch(async (error: unknown) => {
      // The password could not be checked, so the attempt does not count.
      await ctx.signInLimits.refundAttempt(permit);
      throw error;
    });
  const workspaces = await ctx.workspaces.findEnteredWorkspaces(userId);
  if (!user || !matches) {
    await recordFailure(ctx, event, { user, email, workspaces });
    throw wrongCredentials();
  }
  const signedIn = await startSession(ctx, event, { user, workspaces, userAgent });
  if (!signedIn) throw wrongCredentials();
  await ctx.signInLimits.recordSuccess(user, address, permit);
  return signedIn;
}

const wrongCredentials = () => new AppError('unauthenticated', 'The e-mail address or the password is wrong.');

export function actorOf(user: User): Actor {
  return { type: 'user', id: user._id, name: user.name, email: user.email, token_id: null };
}

/**
 * Stores a new session, and ends the user's oldest sessions over the limit, which includes the new one.
 * @returns `null` when the password was changed after it was checked
 */
async function startSession(
  ctx: SessionContext,
  event: EventContext,
  { user, workspaces, userAgent }: { user: User; workspaces: string[]; userAgent: string | null },
): Promise<SignedIn | null> {
  const plaintext = randomBytes(32).toString('base64url');
  const now = new Date();
  const session = {
    _id: newId('ses'),
    hash: hashSecret(plaintext),
    userId: user._id,
    createdAt: now,
    lastSeenAt: now,
    expiresAt: new Date(now.getTime() + ctx.config.SESSION_LIFETIME_HOURS * HOUR_MS),
    ipAddress: event.ipAddress ?? null,
    userAgent: userAgent?.slice(0, USER_AGENT_MAX) ?? null,
  };
  const data = { user_id: user._id, email: user.email, workspaces };
  const eventOfUser = { ...event, actor: actorOf(user) };
  const isStarted = await ctx.db.transaction(async (tx) => {
    if (!(await ctx.users.markSignedIn(user, tx.session))) return false;
    await ctx.sessions.insertSession(session, tx.session);
    const ended = await ctx.sessions.deleteOldestSessions(user._id, ctx.config.MAX_SESSIONS_PER_USER, tx.session);
    tx.emit(...ended.map(() => createSessionEnded(eventOfUser, data)));
    const target = { type: 'user', id: user._id, label: user.email };
    tx.emit(sessionCreated.create(eventOfUser, data, { target, changes: {} }));
    return true;
  });
  return isStarted ? { user, plaintext, expiresAt: session.expiresAt } : null;
}

async function recordFailure(
  ctx: SessionContext,
  event: EventContext,
  { user, ...attempt }: { user: User | null; email: string; workspaces: string[] },
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    tx.emit(
      sessionFailed.create(
        event,
        { user_id: user?._id ?? null, ...attempt },
        { target: user && { type: 'user', id: user._id, label: user.email }, changes: {} },
      ),
    );
    await Promise.resolve();
  });
}
