import type { EventContext } from '@waymark/contract/event';
import { newId } from '@waymark/contract/ids';
import { accountUnusable } from '@waymark/contract/problems';
import { AppError, invalid, notFound, tooManyRequests } from '@waymark/kernel/errors';
import { checkNewPassword } from '../../secrets/password.js';
import { reclaimAccount } from '../members/reclaim-account.js';
import { emailKey, isDisabled, type User } from '../../users/user-store.js';
import { mayInviteNewPeople } from '../growth.js';
import { acceptInvitation, SUSPENDED, type Acceptance } from './accept-invitation.js';
import type { InvitationContext } from './context.js';
import type { Invitation } from './invitation-store.js';

export interface NewAccount {
  name: string;
  email: string;
  password: string;
}

export interface FoundInvitation {
  invitation: Invitation;
  /** Whether only the mailbox of the invited address has this link. */
  isMailed: boolean;
}

/** Does not repeat the token: whoever sees an error may not see a link. */
export const noInvitationAtLink = () =>
  notFound('There is no invitation at this link. It has been used or withdrawn, or has expired.');

/** Returns the invitation of a link. @throws AppError `not_found`, the same for an unknown, expired and used link */
export async function findByToken(ctx: InvitationContext, token: string): Promise<FoundInvitation> {
  const link = await ctx.links.findLink('invitation', token);
  const invitation = link && (await ctx.invitations.findInvitation({ id: link.subject }));
  if (!invitation) throw noInvitationAtLink();
  return { invitation, isMailed: link.isMailed === true };
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
 * link as well, so that invitations to this address are not offered to the account. A bound invitation may also take over
 * such an account that another invitation made for its address.
 * @throws AppError `forbidden` where invitations make no accounts; `validation_failed` for a taken or another address, or a password that is easy to guess; `rate_limit_exceeded`; as
 * `acceptInvitation` does
 */
export async function acceptLinkAsNewUser(
  ctx: InvitationContext,
  event: EventContext,
  { account, ...found }: FoundInvitation & { account: NewAccount },
): Promise<Acceptance> {
  const { invitation } = found;
  await checkAllowsNewAccount(ctx, invitation);
  if (!isFor(invitation, account.email))
    throw invalid({ email: [accountUnusable('This invitation is for another e-mail address.')] });
  checkNewPassword('password', account.password, account.email);
  const squatted = await findReclaimable(ctx, found, account.email);
  const { name, email, password } = account;
  const passwordHash = await ctx.passwords.hashPassword(password, event.ipAddress ?? null);
  if (squatted) return reclaimByInvitation(ctx, { event, invitation, user: squatted, name, passwordHash });
  const createdAt = new Date();
  const { invitedBy } = invitation;
  const row = { _id: newId('usr'), email, name, passwordHash, createdAt, isEmailUnproven: true, invitedBy };
  const user: User = { ...row, emailKey: emailKey(email) };
  await ctx.db.transaction(async (tx) => {
    if ((await ctx.users.insertUser(row, tx.session)) === 'email_taken') throw emailTaken();
    await acceptInvitation(ctx, { event, accepted: { invitation, user } }, tx);
  });
  return { invitation, user };
}

interface NewOwner {
  user: User;
  name: string;
  passwordHash: string;
}

const ACCOUNT_NEEDED =
  'This invitation is for people who have an account here. Sign in to accept it, or ask the operator for an account.';

async function checkAllowsNewAccount(ctx: InvitationContext, { workspace, invitedBy }: Invitation): Promise<void> {
  if (await mayInviteNewPeople(ctx, invitedBy)) return;
  const isSuspended = (await ctx.workspaces.findWorkspace(workspace))?.suspension !== undefined;
  throw new AppError('forbidden', isSuspended ? SUSPENDED : ACCOUNT_NEEDED);
}

const isFor = (invitation: Invitation, email: string): boolean =>
  invitation.emailKey === null || invitation.emailKey === emailKey(email);

/**
 * Takes over an account that another invitation made for the address of this one. The result is as if this invitation had
 * made it: its address is unproven.
 */
async function reclaimByInvitation(
  ctx: InvitationContext,
  { event, invitation, ...reclaim }: { event: EventContext; invitation: Invitation } & NewOwner,
): Promise<Acceptance> {
  const user = { ...reclaim.user, name: reclaim.name };
  const workspaces = await ctx.workspaces.findEnteredWorkspaces(user._id);
  const actor = { type: 'user' as const, id: user._id, name: user.name, email: user.email, token_id: null };
  const terms = { ...reclaim, event: { ...event, actor }, workspaces, isProven: false };
  await ctx.db.transaction(async (tx) => {
    if (!(await reclaimAccount(ctx, { ...terms, isInFirstWorkspaceOnly: true }, tx))) throw emailTaken();
    await acceptInvitation(ctx, { event, accepted: { invitation, user } }, tx);
  });
  return { invitation, user };
}

/**
 * Returns the account of the address that this link takes over, or `null` without an account. Says that the address has an
 * account to a few holders of links only, so that links do not serve to find accounts.
 */
async function findReclaimable(ctx: InvitationContext, found: FoundInvitation, email: string): Promise<User | null> {
  const use = { limit: 'takenEmails', key: found.invitation.invitedBy } as const;
  const [user, retryAfter] = await Promise.all([ctx.users.findUserByEmail(email), ctx.limits.secondsUntilFree(use)]);
  if (retryAfter > 0) throw tooManyRequests(TOO_MANY_TAKEN, retryAfter);
  if (!user) return null;
  if (await isReclaimable(ctx, found, user)) return user;
  await ctx.limits.countOrRefuse([use], TOO_MANY_TAKEN);
  throw emailTaken();
}

const TOO_MANY_TAKEN = 'Too many e-mail addresses that cannot be used. Try again later.';

/**
 * Whether the link takes the account over: one with an unproven address that has entered no workspace but its first. The
 * inviter has the links that are not mailed, and must not get into the workspace of somebody else by them.
 */
async function isReclaimable(
  { workspaces }: Pick<InvitationContext, 'workspaces'>,
  { invitation, isMailed }: FoundInvitation,
  user: User,
): Promise<boolean> {
  if (invitation.emailKey !== user.emailKey || !user.isEmailUnproven || isDisabled(user)) return false;
  if (user.membershipChanges !== 1) return false;
  return isMailed || (await workspaces.countMemberships({ userId: user._id })) === 0;
}

const emailTaken = () =>
  invalid({
    email: [accountUnusable('This e-mail address cannot be used for a new account. If it is yours, sign in first.')],
  });
