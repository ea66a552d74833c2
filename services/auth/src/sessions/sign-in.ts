import { randomBytes } from 'node:crypto';
import type { AuditChanges, EventContext } from '@waymark/contract/event';
import { sessionCreated } from '@waymark/contract/events';
import { newId } from '@waymark/contract/ids';
import type { Actor } from '@waymark/contract/identity';
import { AppError } from '@waymark/kernel/errors';
import type { Transaction } from '@waymark/kernel/mongo/database';
import { hashSecret } from '../secrets/hash-secret.js';
import { isDisabled, type SignInProof, type User } from '../users/user-store.js';
import { checkPasswordAttempt, UNKNOWN_USER } from './check-password-attempt.js';
import {
  checkSecondFactor,
  lacksSecondFactor,
  secondFactorRequired,
  type SecondFactorInput,
} from './check-second-factor.js';
import type { SessionContext } from './context.js';
import { recordFailure } from './report-failures.js';
import { createSessionEnded } from './session-ended.js';

const HOUR_MS = 3600 * 1000;
const USER_AGENT_MAX = 512;

interface Credentials extends SecondFactorInput {
  email: string;
  password: string;
  userAgent: string | null;
}

export interface SignedIn {
  user: User;
  plaintext: string;
  expiresAt: Date;
}

/**
 * Always starts a new session and ignores any session the browser sends (prevents session fixation).
 * @throws AppError `unauthenticated`, the same for an unknown e-mail, a wrong password and a disabled user, and with
 * `details.totp_required` when the password is right and the second factor is missing or wrong; `rate_limit_exceeded`
 */
export async function signIn(ctx: SessionContext, event: EventContext, input: Credentials): Promise<SignedIn> {
  const { email, password, userAgent } = input;
  const address = event.ipAddress ?? null;
  const user = await ctx.users.findUserByEmail(email);
  // From here, known and unknown e-mails take the same steps, so that the response time reveals nothing.
  const { permit, matches } = await checkPasswordAttempt(ctx, { email, password, address, user });
  const refund = async (error: unknown): Promise<never> => {
    await ctx.signInLimits.refundAttempt(permit);
    throw error;
  };
  const workspaces = await ctx.workspaces.findEnteredWorkspaces(user?._id ?? UNKNOWN_USER);
  const fail = async (error: AppError): Promise<never> => {
    await recordFailure(ctx, event, { user, email, workspaces });
    throw error;
  };
  if (!user || !matches || isDisabled(user)) return fail(wrongCredentials());
  if (lacksSecondFactor(user, input))
    return refund(secondFactorRequired('A second factor is required: totp_code or recovery_code.'));
  const codePermits = user.totp ? await ctx.signInLimits.countSecondFactor(user._id, address) : [];
  const refundBoth = async (error: unknown): Promise<never> => {
    await ctx.signInLimits.refundSecondFactor(codePermits);
    return refund(error);
  };
  const factor = await checkSecondFactor(ctx, user, input).catch(refundBoth);
  if (factor === 'wrong') return fail(wrongSecondFactor());
  const proof = { by: 'password', factor } as const;
  const signedIn = await startSession(ctx, event, { user, proof, workspaces, userAgent }).catch(refundBoth);
  if (!signedIn) return fail(factor ? wrongSecondFactor() : wrongCredentials());
  await ctx.signInLimits.refundSecondFactor(codePermits);
  await ctx.signInLimits.recordSuccess(user, address, permit);
  return signedIn;
}

const wrongCredentials = () => new AppError('unauthenticated', 'The e-mail address or the password is wrong.');
const wrongSecondFactor = () => secondFactorRequired('The code is wrong or has been used before.');

export function actorOf(user: User): Actor {
  return { type: 'user', id: user._id, name: user.name, email: user.email, token_id: null };
}

interface NewSession {
  user: User;
  proof: SignInProof;
  workspaces: string[];
  userAgent: string | null;
}

/**
 * Stores a new session, and ends the user's oldest sessions over the limit, which includes the new one.
 * @returns `null` when the proof is no longer valid: the password was changed, or the code was used
 * @throws AppError `rate_limit_exceeded`
 */
export async function startSession(
  ctx: Pick<SessionContext, 'db' | 'config' | 'users' | 'sessions' | 'accountLimits'>,
  event: EventContext,
  { user, proof, workspaces, userAgent }: NewSession,
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
    ...(proof.by === 'provider' && { isByProvider: true }),
  };
  const data = { user_id: user._id, email: user.email, workspaces };
  const eventOfUser = { ...event, actor: actorOf(user) };
  const storeSession = async (tx: Transaction): Promise<boolean> => {
    if (!(await ctx.users.markSignedIn(user, proof, tx.session))) return false;
    await ctx.sessions.insertSession(session, tx.session);
    const ended = await ctx.sessions.deleteOldestSessions(user._id, ctx.config.MAX_SESSIONS_PER_USER, tx.session);
    tx.emit(...ended.map(() => createSessionEnded(eventOfUser, data)));
    const target = { type: 'user', id: user._id, label: user.email };
    tx.emit(sessionCreated.create(eventOfUser, data, { target, changes: usedRecoveryCode(user, proof) }));
    return true;
  };
  const isStarted = await ctx.accountLimits.runSessionStart(user._id, () => ctx.db.transaction(storeSession));
  return isStarted ? { user, plaintext, expiresAt: session.expiresAt } : null;
}

function usedRecoveryCode({ totp }: User, proof: SignInProof): AuditChanges {
  if (proof.by !== 'password' || !proof.factor || !('recoveryCode' in proof.factor)) return {};
  const left = totp!.recoveryCodes.length;
  return { recovery_codes: { from: left, to: left - 1 } };
}
