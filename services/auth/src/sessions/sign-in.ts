import { randomBytes } from 'node:crypto';
import type { EventContext } from '@waymark/contract/event';
import { sessionCreated, sessionFailed } from '@waymark/contract/events';
import { newId } from '@waymark/contract/ids';
import type { Actor } from '@waymark/contract/identity';
import type { Transaction } from '@waymark/kernel/mongo/database';
import { AppError } from '@waymark/kernel/errors';
import type { AuthContext } from '../context.js';
import { hashOfSecret } from '../secret-hash.js';
import type { Slot } from '../limits/slots.js';
import type { User } from '../users/store.js';
import { sessionEnded } from './session-ended.js';

/** Has no workspaces and no known addresses. */
const UNKNOWN_USER = 'unknown';
const LIFETIME_MS = 14 * 24 * 3600 * 1000;

/**
 * Always starts a new session and ignores any session the browser sends (prevents session fixation).
 * @throws AppError `unauthenticated`, the same for an unknown e-mail and a wrong password; `rate_limit_exceeded`
 */
export async function signIn(
  ctx: AuthContext,
  event: EventContext,
  input: { email: string; password: string },
): Promise<{ user: User; plaintext: string; expiresAt: Date }> {
  const address = event.ipAddress ?? null;
  const user = await ctx.users.byEmail(input.email);
  // From here, known and unknown e-mails take the same steps, so that the response time reveals nothing.
  const userId = user?._id ?? UNKNOWN_USER;
  const slot = await ctx.signInLimits.take({ email: input.email, address, userId });
  const matches = await checkPassword(ctx, user, { password: input.password, address }, slot);
  const workspaces = await ctx.workspaces.enteredBy(userId);
  if (!user || !matches) {
    await recordFailure(ctx, event, user, { email: input.email, workspaces });
    throw new AppError('unauthenticated', 'The email or the password is wrong.');
  }

  const plaintext = randomBytes(32).toString('base64url');
  const session = {
    _id: newId('ses'),
    hash: hashOfSecret(plaintext),
    userId: user._id,
    createdAt: new Date(),
    expiresAt: new Date(Date.now() + LIFETIME_MS),
  };
  await ctx.db.transaction(async (tx) => {
    await ctx.sessions.insert(session, tx.session);
    await endOldest(ctx, tx, event, user, workspaces);
    tx.emit(
      sessionCreated.create(
        { ...event, actor: actorOf(user) },
        { user_id: user._id, email: user.email, workspaces },
        { target: { type: 'user', id: user._id, label: user.email }, changes: {} },
      ),
    );
  });
  await ctx.signInLimits.succeeded(user, address, slot);
  return { user, plaintext, expiresAt: session.expiresAt };
}

/** Refunds the attempt when the password could not be checked. */
async function checkPassword(
  ctx: AuthContext,
  user: User | null,
  { password, address }: { password: string; address: string | null },
  slot: Slot,
): Promise<boolean> {
  try {
    return await ctx.passwords.verify(user?.passwordHash, password, address);
  } catch (error) {
    await ctx.signInLimits.giveBack(slot);
    throw error;
  }
}

/** Ends the user's oldest sessions over the limit, which includes the new one. */
async function endOldest(
  ctx: AuthContext,
  tx: Transaction,
  event: EventContext,
  user: User,
  workspaces: string[],
): Promise<void> {
  const ended = await ctx.sessions.deleteOldest(user._id, ctx.config.MAX_SESSIONS_PER_USER, tx.session);
  for (const { userId } of ended) {
    tx.emit(sessionEnded({ ...event, actor: actorOf(user) }, { user_id: userId, email: user.email, workspaces }));
  }
}

export function actorOf(user: User): Actor {
  return { type: 'user', id: user._id, name: user.name, email: user.email, token_id: null };
}

async function recordFailure(
  ctx: AuthContext,
  event: EventContext,
  user: User | null,
  attempt: { email: string; workspaces: string[] },
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
