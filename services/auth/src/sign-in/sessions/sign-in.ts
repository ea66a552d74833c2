import { randomBytes } from 'node:crypto';
import type { AuditChanges, EventContext } from '@waymark/contract/event';
import { sessionCreated } from '@waymark/contract/events';
import { newId } from '@waymark/contract/ids';
import type { Actor } from '@waymark/contract/identity';
import type { Transaction } from '@waymark/kernel/mongo/database';
import { hashSecret } from '../../secrets/hash-secret.js';
import { withNetwork } from '../../users/known-networks.js';
import { isDisabled, type SecondFactor, type SignInProof, type User } from '../../users/user-store.js';
import {
  checkSecondFactor,
  lacksSecondFactor,
  secondFactorRequired,
  wrongSecondFactor,
  type SecondFactorInput,
} from './check-second-factor.js';
import type { SessionContext } from './context.js';
import { recordFailure } from './failed-sign-ins.js';
import { createSessionEnded } from './session-ended.js';
import { WrongGuess } from './sign-in-limits.js';

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
  const { email } = input;
  const user = await ctx.users.findUserByEmail(email);
  // From here, known and unknown e-mails take the same steps, so that the response time reveals nothing.
  const guess = { email, address: event.ipAddress ?? null, user };
  try {
    return await ctx.signInLimits.limitPasswordGuess(guess, () => checkAndStartSession(ctx, event, { ...input, user }));
  } catch (error) {
    if (error instanceof WrongGuess) await recordFailure(ctx, event, guess);
    throw error;
  }
}

async function checkAndStartSession(
  ctx: SessionContext,
  event: EventContext,
  { user, password, userAgent, ...input }: Credentials & { user: User | null },
): Promise<SignedIn> {
  const address = event.ipAddress ?? null;
  const matches = await ctx.passwords.checkPassword(user?.passwordHash, password, address);
  if (!user || !matches || isDisabled(user)) throw wrongCredentials();
  const start = async (factor: SecondFactor | null) => {
    const signedIn = await startSession(ctx, event, { user, proof: { by: 'password', factor }, userAgent });
    if (!signedIn) throw factor ? wrongSecondFactor() : wrongCredentials();
    return signedIn;
  };
  if (!user.totp) return start(null);
  if (lacksSecondFactor(input)) throw secondFactorRequired('A second factor is required: totp_code or recovery_code.');
  const { totp } = user;
  return ctx.signInLimits.limitCodeGuess(user, address, async () =>
    start(await checkSecondFactor(ctx, input, { userId: user._id, totp })),
  );
}

const wrongCredentials = () => new WrongGuess('unauthenticated', 'The e-mail address or the password is wrong.');

export function actorOf(user: User): Actor {
  return { type: 'user', id: user._id, name: user.name, email: user.email, token_id: null };
}

interface NewSession {
  user: User;
  proof: SignInProof;
  userAgent: string | null;
}

/**
 * Stores a new session, and ends the user's oldest sessions over the limit, which includes the new one.
 * @returns `null` when the proof is no longer valid: the password was changed, or the code was used
 * @throws AppError `rate_limit_exceeded`
 */
export async function startSession(
  ctx: Pick<SessionContext, 'db' | 'config' | 'caps' | 'limits' | 'users' | 'sessions' | 'workspaces'>,
  event: EventContext,
  { user, proof, userAgent }: NewSession,
): Promise<SignedIn | null> {
  const { ipAddress = null } = event;
  const plaintext = randomBytes(32).toString('base64url');
  const now = new Date();
  const session = {
    _id: newId('ses'),
    hash: hashSecret(plaintext),
    userId: user._id,
    createdAt: now,
    lastSeenAt: now,
    expiresAt: new Date(now.getTime() + ctx.config.SESSION_LIFETIME_HOURS * HOUR_MS),
    ipAddress,
    userAgent: userAgent?.slice(0, USER_AGENT_MAX) ?? null,
    ...(proof.by === 'provider' && { isByProvider: true }),
  };
  const workspaces = await ctx.workspaces.findEnteredWorkspaces(user._id);
  const data = { user_id: user._id, email: user.email, workspaces };
  const mark = { proof, networks: withNetwork(user, ipAddress) };
  const eventOfUser = { ...event, actor: actorOf(user) };
  const storeSession = async (tx: Transaction): Promise<boolean> => {
    if (!(await ctx.users.markSignedIn(user, mark, tx.session))) return false;
    await ctx.sessions.insertSession(session, tx.session);
    const ended = await ctx.sessions.deleteOldestSessions(user._id, ctx.caps.sessions, tx.session);
    tx.emit(...ended.map(() => createSessionEnded(eventOfUser, data)));
    const target = { type: 'user', id: user._id, label: user.email };
    tx.emit(sessionCreated.create(eventOfUser, data, { target, changes: usedRecoveryCode(user, proof) }));
    return true;
  };
  const use = { limit: 'startedSessions', key: user._id } as const;
  const store = () => ctx.db.transaction(storeSession);
  const isStarted = await ctx.limits.run(use, 'Too many new sessions. Try again later.', store);
  return isStarted ? { user, plaintext, expiresAt: session.expiresAt } : null;
}

function usedRecoveryCode({ totp }: User, proof: SignInProof): AuditChanges {
  if (proof.by !== 'password' || !proof.factor || !('recoveryCode' in proof.factor)) return {};
  const left = totp!.recoveryCodes.length;
  return { recovery_codes: { from: left, to: left - 1 } };
}
