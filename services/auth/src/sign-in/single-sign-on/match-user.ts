import { nameOf } from '@waymark/contract/common';
import type { EventContext } from '@waymark/contract/event';
import { userCreated, userIdentityLinked } from '@waymark/contract/events';
import { newId } from '@waymark/contract/ids';
import { EMAIL_MAX } from '@waymark/contract/users';
import { AppError, unavailable } from '@waymark/kernel/errors';
import type { Transaction } from '@waymark/kernel/mongo/database';
import { unknownPassword } from '../../secrets/password.js';
import { reclaimAccount } from '../../workspaces/members/reclaim-account.js';
import { emailKey, isDisabled, type User } from '../../users/user-store.js';
import type { SingleSignOnContext } from './context.js';
import type { ProvenIdentity } from './identity-provider.js';

const NAME_MAX = 100;

export const noAccount = () =>
  new AppError('forbidden', 'No account belongs to this identity. Ask the operator for an account.');

/** Thrown inside the transaction to roll it back: a concurrent sign-in has stored the user or the identity first. */
class MatchedMeanwhile extends AppError {
  constructor() {
    const { code, message, headers } = unavailable();
    super(code, message, { headers });
  }
}

/**
 * Returns the user of an identity: by issuer and subject; the first time by the verified e-mail address, if the user owns it
 * and has no other identity of this provider; else a new user, if the operator allows it.
 * @returns `null` when no user belongs to it
 */
export async function matchUser(
  ctx: SingleSignOnContext,
  event: EventContext,
  identity: ProvenIdentity,
): Promise<User | null> {
  try {
    return await matchOnce(ctx, event, identity);
  } catch (error) {
    if (!(error instanceof MatchedMeanwhile)) throw error;
    // The second attempt finds what the concurrent sign-in has stored.
    return matchOnce(ctx, event, identity);
  }
}

async function matchOnce(
  ctx: SingleSignOnContext,
  event: EventContext,
  identity: ProvenIdentity,
): Promise<User | null> {
  const { issuer, subject, email } = identity;
  const known = await ctx.identities.findIdentity(issuer, subject);
  if (known) return ctx.users.findUser(known.userId);
  if (email === null) return null;
  const user = await ctx.users.findUserByEmail(email);
  const canCreate = ctx.config.OIDC_CREATE_USERS && email.length <= EMAIL_MAX;
  if (!user) return canCreate ? createUser(ctx, event, { ...identity, email }) : null;
  const linked = await ctx.identities.findIdentityOf(user._id, issuer);
  // A concurrent sign-in may have linked this identity since the first look-up.
  if (linked) return linked.subject === subject ? user : null;
  // The caller refuses this user: no identity may be linked to an account that is closed.
  if (isDisabled(user)) return user;
  const workspaces = await ctx.workspaces.findEnteredWorkspaces(user._id);
  const link = { event, identity, user, workspaces };
  if (user.isEmailUnproven) await reclaimAndLink(ctx, link);
  else await ctx.db.transaction((tx) => linkIdentity(ctx, link, tx));
  return user;
}

/** The provider proves the address of an account that an invitation link made: nothing of its maker stays. */
async function reclaimAndLink(ctx: SingleSignOnContext, link: Link): Promise<void> {
  const passwordHash = await ctx.passwords.hashPassword(unknownPassword(), link.event.ipAddress ?? null);
  await ctx.db.transaction(async (tx) => {
    await reclaimAccount(ctx, { ...link, passwordHash, isProven: true }, tx);
    await linkIdentity(ctx, link, tx);
  });
}

interface Link {
  event: EventContext;
  identity: ProvenIdentity;
  user: User;
  workspaces: string[];
}

async function linkIdentity(
  { identities }: Pick<SingleSignOnContext, 'identities'>,
  { event, identity: { issuer, subject }, user, workspaces }: Link,
  tx: Transaction,
): Promise<void> {
  const isLinked = await identities.insertIdentity({ issuer, subject, userId: user._id }, tx.session);
  if (!isLinked) throw new MatchedMeanwhile();
  const target = { type: 'user', id: user._id, label: user.email };
  const changes = { identity: { from: null, to: issuer } };
  tx.emit(userIdentityLinked.create(event, { user_id: user._id, email: user.email, workspaces }, { target, changes }));
}

/** The user gets a random password that is not shown; a password reset sets another. */
async function createUser(
  ctx: SingleSignOnContext,
  event: EventContext,
  identity: ProvenIdentity & { email: string },
): Promise<User> {
  const { email } = identity;
  const name = nameOf(NAME_MAX).safeParse(identity.name ?? '').data ?? email.split('@')[0]!.slice(0, NAME_MAX);
  const passwordHash = await ctx.passwords.hashPassword(unknownPassword(), event.ipAddress ?? null);
  const row = { _id: newId('usr'), email, name, passwordHash, createdAt: new Date() };
  const user: User = { ...row, emailKey: emailKey(email) };
  const target = { type: 'user', id: user._id, label: email };
  const changes = { email: { from: null, to: email }, name: { from: null, to: name } };
  await ctx.db.transaction(async (tx) => {
    const outcome = await ctx.users.insertUser(row, tx.session);
    if (outcome === 'email_taken') throw new MatchedMeanwhile();
    tx.emit(userCreated.create(event, { user_id: user._id, email, workspaces: [] }, { target, changes }));
    await linkIdentity(ctx, { event, identity, user, workspaces: [] }, tx);
  });
  return user;
}
