import type { ClientSession } from 'mongoose';
import type { AuditChanges, EventContext } from '@waymark/contract/event';
import { userUpdated } from '@waymark/contract/events';
import type { Transaction } from '@waymark/kernel/mongo/database';
import type { OneTimeLinkStore } from '../../secrets/one-time-link-store.js';
import { revokeUserTokens, type UserTokensContext } from '../tokens/revoke-user-tokens.js';
import type { Reclaiming, User, UserStore } from '../../users/user-store.js';

export interface ReclaimContext extends UserTokensContext {
  users: Pick<UserStore, 'reclaimUser'>;
  links: Pick<OneTimeLinkStore, 'revokeLinks'>;
  /** Structural: the store of sessions is in a higher layer. */
  sessions: {
    deleteOtherSessions: (userId: string, keptId: string | null, session: ClientSession) => Promise<number>;
  };
}

/** What the maker of the account had, and has no longer. */
export interface Reclaimed {
  sessions: number;
  tokens: number;
  totp: boolean;
}

interface Reclaim extends Reclaiming {
  user: User;
  event: EventContext;
  /** The workspaces that receive the event. */
  workspaces: string[];
}

/**
 * Takes an account with an unproven address from its maker, who can be an inviter and not the owner of the address: replaces
 * the password, ends all sessions and links that reset it, revokes all tokens, and removes the second factor. Call it in a transaction.
 * @returns `null` when the account is no longer as required
 */
export async function reclaimAccount(
  ctx: ReclaimContext,
  { user, event, workspaces, ...reclaiming }: Reclaim,
  tx: Transaction,
): Promise<Reclaimed | null> {
  const { _id: id, email } = user;
  const before = await ctx.users.reclaimUser(id, reclaiming, tx.session);
  if (!before) return null;
  await ctx.links.revokeLinks({ kind: 'password_reset', subject: id }, tx.session);
  const reclaimed = {
    sessions: await ctx.sessions.deleteOtherSessions(id, null, tx.session),
    tokens: await revokeUserTokens(ctx, { event, userId: id }, tx),
    totp: before.totp !== undefined,
  };
  const target = { type: 'user', id, label: email };
  const changes = changesOf(reclaimed, reclaiming.isProven);
  tx.emit(userUpdated.create(event, { user_id: id, email, workspaces }, { target, changes }));
  return reclaimed;
}

const changesOf = ({ sessions, tokens, totp }: Reclaimed, isProven: boolean): AuditChanges => ({
  ...(isProven && { email_confirmed: { from: false, to: true } }),
  password_of_maker: { from: true, to: false },
  ...(sessions > 0 && { sessions: { from: sessions, to: 0 } }),
  ...(tokens > 0 && { tokens: { from: tokens, to: 0 } }),
  ...(totp && { totp_enabled: { from: true, to: false } }),
});
