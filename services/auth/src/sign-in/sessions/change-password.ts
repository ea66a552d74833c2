import type { EventContext } from '@waymark/contract/event';
import { userPasswordChanged } from '@waymark/contract/events';
import { item, type Reply } from '@waymark/kernel/http/reply';
import type { Transaction } from '@waymark/kernel/mongo/database';
import { runChange } from '../../limits/account-changes.js';
import { checkNewPassword, type PasswordChecker } from '../../secrets/password.js';
import { revokeUserTokens } from '../../workspaces/tokens/revoke-user-tokens.js';
import type { User } from '../../users/user-store.js';
import { checkOwnPassword } from './check-own-password.js';
import type { SessionContext } from './context.js';

interface PasswordChange {
  current: string;
  chosen: string;
  /** The caller's session, which stays open. */
  sessionId: string | null;
  revokesTokens: boolean;
}

/** What a change of the password ended, and what it left. */
export interface PasswordOutcome {
  endedSessions: number;
  revokedTokens: number;
  /** The user's tokens that still work, in all workspaces. */
  liveTokens: number;
}

/**
 * Changes the caller's password, and ends all other sessions in the same moment. Wrong current passwords count as attempts
 * to sign in.
 * @throws AppError `validation_failed` for a wrong current password or a new one that is easy to guess; `rate_limit_exceeded`
 */
export async function changePassword(
  ctx: SessionContext,
  event: EventContext,
  change: PasswordChange,
): Promise<PasswordOutcome> {
  const user = await checkOwnPassword(ctx, event, { password: change.current, field: 'current_password' });
  checkNewPassword('new_password', change.chosen, user.email);
  const { sessionId: keptSessionId, revokesTokens } = change;
  const password = { user, password: change.chosen, keptSessionId, revokesTokens };
  return runChange(ctx.limits, { userId: user._id, change: 'password' }, () => setPassword(ctx, event, password));
}

export interface PasswordContext extends Pick<
  SessionContext,
  'db' | 'users' | 'workspaces' | 'sessions' | 'links' | 'tokens'
> {
  passwords: Pick<PasswordChecker, 'hashPassword'>;
}

interface NewPassword {
  user: User;
  password: string;
  keptSessionId: string | null;
  revokesTokens: boolean;
}

/** Sets a password, and ends all sessions of the user but one in the same moment, and all tokens if asked to. */
export async function setPassword(
  ctx: PasswordContext,
  event: EventContext,
  password: NewPassword,
): Promise<PasswordOutcome> {
  const change = await preparePassword(ctx, event, password);
  return ctx.db.transaction((tx) => storePassword(ctx, { ...change, event }, tx));
}

interface PasswordUpdate {
  user: User;
  passwordHash: string;
  /** The workspaces that receive the event. */
  workspaces: string[];
  keptSessionId: string | null;
  revokesTokens: boolean;
}

/**
 * Does the slow part of setting a password, which needs no transaction.
 * @throws AppError as `PasswordChecker.hashPassword` does
 */
export async function preparePassword(
  ctx: Pick<PasswordContext, 'workspaces' | 'passwords'>,
  { ipAddress }: EventContext,
  { user, password, ...terms }: NewPassword,
): Promise<PasswordUpdate> {
  const passwordHash = await ctx.passwords.hashPassword(password, ipAddress ?? null);
  const workspaces = await ctx.workspaces.findEnteredWorkspaces(user._id);
  return { user, passwordHash, workspaces, ...terms };
}

/** Also ends the links that reset the password. */
export async function storePassword(
  ctx: PasswordContext,
  { user, passwordHash, workspaces, keptSessionId, revokesTokens, event }: PasswordUpdate & { event: EventContext },
  tx: Transaction,
): Promise<PasswordOutcome> {
  await ctx.users.setPassword(user._id, passwordHash, tx.session);
  await ctx.links.revokeLinks({ kind: 'password_reset', subject: user._id }, tx.session);
  const ended = await ctx.sessions.deleteOtherSessions(user._id, keptSessionId, tx.session);
  const revokedTokens = revokesTokens ? await revokeUserTokens(ctx, { event, userId: user._id }, tx) : 0;
  const left = keptSessionId === null ? 0 : 1;
  const target = { type: 'user', id: user._id, label: user.email };
  const data = { user_id: user._id, email: user.email, workspaces };
  const changes = {
    ...(ended > 0 && { sessions: { from: ended + left, to: left } }),
    ...(revokedTokens > 0 && { tokens: { from: revokedTokens, to: 0 } }),
  };
  tx.emit(userPasswordChanged.create(event, data, { target, changes }));
  const liveTokens = await ctx.tokens.countLiveTokens(user._id, new Date(), tx.session);
  return { endedSessions: ended, revokedTokens, liveTokens };
}

export const presentPasswordOutcome = ({ endedSessions, revokedTokens, liveTokens }: PasswordOutcome): Reply =>
  item({ ended_sessions: endedSessions, revoked_tokens: revokedTokens }, { live_tokens: liveTokens });
