import type { EventContext } from '@waymark/contract/event';
import { newId } from '@waymark/contract/ids';
import { AppError, invalid, notFound, tooManyRequests } from '@waymark/kernel/errors';
import { checkNewPassword } from '../secrets/password.js';
import { emailKey, type User } from '../users/user-store.js';
import { acceptInvitation, type Acceptance } from './accept-invitation.js';
import type { InvitationContext } from './context.js';
import type { Invitation } from './invitation-store.js';

export interface NewAccount {
  name: string;
  email: string;
  password: string;
}

/** Returns the invitation of a link. @throws AppError `not_found`, the same for an unknown, expired and used link */
export async function findByToken(ctx: InvitationContext, token: string): Promise<Invitation> {
  const link = await ctx.links.findLink('invitation', token);
  const invitation = link && (await ctx.invitations.findInvitation({ id: link.subject }));
  if (!invitation) throw notFound();
  return invitation;
}

/** @throws AppError `forbidden` for an invitation to another address; as `acceptInvitation` does */
export async function acceptLinkAsUser(
  ctx: InvitationContext,
  event: EventContext,
  { invitation, userId }: { invitation: Invitation; userId: string },
): Promise<Acceptance> {
  const user = await ctx.users.findUser(userId);
  if (!user) throw new AppError('unauthenticated', 'Unauthenticated.');
  if (!isFor(invitation, user.email))
    throw new AppError('forbidden', 'This invitation is for another e-mail address than yours.');
  await ctx.db.transaction((tx) => acceptInvitation(ctx, { event, accepted: { invitation, user } }, tx));
  return { invitation, user };
}

/**
 * Creates an account and makes it a member, in one transaction. The account's address is unproven: the inviter has the
 * link as well, so that invitations to this address are not offered to the account.
 * @throws AppError `validation_failed` for a taken or another address, or a password that is easy to guess; `rate_limit_exceeded`; as
 * `acceptInvitation` does
 */
export async function acceptLinkAsNewUser(
  ctx: InvitationContext,
  event: EventContext,
  { invitation, account }: { invitation: Invitation; account: NewAccount },
): Promise<Acceptance> {
  if (!isFor(invitation, account.email)) throw invalid({ email: ['This invitation is for another e-mail address.'] });
  checkNewPassword('password', account.password, account.email);
  await checkAddressIsFree(ctx, invitation, account.email);
  const { name, email, password } = account;
  const passwordHash = await ctx.passwords.hashPassword(password, event.ipAddress ?? null);
  const createdAt = new Date();
  const row = { _id: newId('usr'), email, name, passwordHash, createdAt, isEmailUnproven: true };
  const user: User = { ...row, emailKey: emailKey(email) };
  await ctx.db.transaction(async (tx) => {
    if ((await ctx.users.insertUser(row, tx.session)) === 'email_taken') throw emailTaken();
    await acceptInvitation(ctx, { event, accepted: { invitation, user } }, tx);
  });
  return { invitation, user };
}

const isFor = (invitation: Invitation, email: string): boolean =>
  invitation.emailKey === null || invitation.emailKey === emailKey(email);

/** Says that the address has an account to a few holders of links only, so that links do not serve to find accounts. */
async function checkAddressIsFree(ctx: InvitationContext, { invitedBy }: Invitation, email: string): Promise<void> {
  const [user, retryAfter] = await Promise.all([
    ctx.users.findUserByEmail(email),
    ctx.takenEmails.secondsUntilPermit(invitedBy),
  ]);
  const tooMany = (seconds: number) =>
    tooManyRequests('Too many e-mail addresses that cannot be used. Try again later.', seconds);
  if (retryAfter > 0) throw tooMany(retryAfter);
  if (!user) return;
  const acquired = await ctx.takenEmails.acquirePermit(invitedBy);
  throw 'retryAfterSeconds' in acquired ? tooMany(acquired.retryAfterSeconds) : emailTaken();
}

const emailTaken = () =>
  invalid({ email: ['This e-mail address cannot be used for a new account. If it is yours, sign in first.'] });
