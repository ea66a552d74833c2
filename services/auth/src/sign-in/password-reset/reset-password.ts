import type { EventContext } from '@waymark/contract/event';
import { linkUnusable } from '@waymark/contract/problems';
import { invalid } from '@waymark/kernel/errors';
import { checkNewPassword } from '../../secrets/password.js';
import {
  preparePassword,
  storePassword,
  type PasswordContext,
  type PasswordOutcome,
} from '../sessions/change-password.js';
import { actorOf } from '../sessions/sign-in.js';
import { reclaimAccount, type ReclaimContext } from '../../workspaces/members/reclaim-account.js';
import { isDisabled } from '../../users/user-store.js';

const invalidLink = () => invalid({ token: [linkUnusable()] });

export type PasswordResetContext = PasswordContext & ReclaimContext;

export interface ResetOutcome extends PasswordOutcome {
  /** Whether the link proved the address: then the second factor of the account's maker is removed. */
  isEmailConfirmed: boolean;
  isTotpDisabled: boolean;
}

interface Reset {
  token: string;
  new_password: string;
  revoke_tokens: boolean;
}

/**
 * Sets a password by a one-time link: ends all sessions of the user in the same moment. Two-factor sign-in stays as it is,
 * except in an account whose address a mailed link proves: nothing of its maker stays.
 * @throws AppError `validation_failed` for a link that is not valid, or a password that is easy to guess; as `preparePassword` does
 */
export async function resetPassword(
  ctx: PasswordResetContext,
  event: EventContext,
  { token, new_password: password, revoke_tokens: revokesTokens }: Reset,
): Promise<ResetOutcome> {
  // Checked before the password is hashed: a caller without a link must not make auth work.
  const found = await ctx.links.findLink('password_reset', token);
  const user = found && (await ctx.users.findUser(found.subject));
  if (!user || isDisabled(user)) throw invalidLink();
  checkNewPassword('new_password', password, user.email);
  const change = await preparePassword(ctx, event, { user, password, keptSessionId: null, revokesTokens });
  const byUser = { ...event, actor: actorOf(user) };
  return ctx.db.transaction(async (tx) => {
    const link = await ctx.links.useLink('password_reset', token, tx.session);
    if (!link) throw invalidLink();
    const proof = { ...change, event: byUser, isProven: true };
    const reclaimed = link.isMailed && user.isEmailUnproven ? await reclaimAccount(ctx, proof, tx) : null;
    const outcome = await storePassword(ctx, { ...change, event: byUser }, tx);
    return {
      endedSessions: outcome.endedSessions + (reclaimed?.sessions ?? 0),
      revokedTokens: outcome.revokedTokens + (reclaimed?.tokens ?? 0),
      liveTokens: outcome.liveTokens,
      isEmailConfirmed: reclaimed !== null,
      isTotpDisabled: reclaimed?.totp ?? false,
    };
  });
}
