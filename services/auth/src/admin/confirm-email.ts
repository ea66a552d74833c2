import type { EventContext } from '@waymark/contract/event';
import { invalidOption } from '@waymark/kernel/errors';
import { unknownPassword } from '../secrets/password.js';
import { reclaimAccount, type Reclaimed } from '../workspaces/members/reclaim-account.js';
import type { User } from '../users/user-store.js';
import type { AdminContext } from './context.js';

/**
 * Records that the user owns the e-mail address of an account that an invitation link made: single sign-on and invitations
 * to the address then reach it. Nothing of the account's maker stays, also not the password.
 * @returns `null` when nothing was in doubt
 */
export async function confirmEmail(ctx: AdminContext, event: EventContext, user: User): Promise<Reclaimed | null> {
  if (!user.isEmailUnproven) return null;
  const workspaces = await ctx.workspaces.findEnteredWorkspaces(user._id);
  const passwordHash = await ctx.passwords.hashPassword(unknownPassword(), null);
  const proof = { user, event, workspaces, passwordHash, isProven: true };
  return ctx.db.transaction((tx) => reclaimAccount(ctx, proof, tx));
}

/** Returns what `confirmEmail` will end. */
export async function countReclaimed(ctx: AdminContext, user: User): Promise<Reclaimed | null> {
  if (!user.isEmailUnproven) return null;
  const now = await ctx.db.now();
  const [sessions, tokens] = await Promise.all([
    ctx.sessions.listSessions(user._id, now),
    ctx.tokens.countLiveTokens(user._id, now),
  ]);
  return { sessions: sessions.length, tokens, totp: user.totp !== undefined };
}

/** Says when and by whose invitation an account was made, and what confirming its address will end. */
export async function describeConfirmation(ctx: AdminContext, address: string): Promise<string> {
  const user = await ctx.users.findUserByEmail(address);
  if (!user) throw invalidOption('email', 'The user does not exist.');
  const inviter = user.invitedBy === undefined ? null : await ctx.users.findUser(user.invitedBy);
  const { sessions, tokens, totp } = (await countReclaimed(ctx, user))!;
  const made = `The account ${user.email} was made at ${user.createdAt.toISOString()} by an invitation of ${inviter?.email ?? 'an unknown user'}.`;
  const ended = `This ends its sessions (${sessions}), revokes its tokens (${tokens})${totp ? ', removes its second factor' : ''} and its password.`;
  return `${made} ${ended} Single sign-on and invitations then lead ${user.email} to this account.`;
}
