import type { ClientSession } from 'mongoose';
import { userErased } from '@waymark/contract/erasures';
import { memberRemoved } from '@waymark/contract/events';
import { AppError } from '@waymark/kernel/errors';
import type { User } from '../users/user-store.js';
import type { Membership } from '../workspaces/workspace-store.js';
import type { ErasureContext } from './context.js';

/**
 * Erases a user with their sessions, tokens and memberships. Their links and other resources stay, under an id that leads
 * to no one; every service removes their name, e-mail address and addresses in the background.
 * @throws AppError `conflict` while the user is the last owner of a workspace
 */
export async function eraseUser(ctx: ErasureContext, user: User): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const memberships = await ctx.workspaces.findMembershipsOfUser(user._id, tx.session);
    // In the order of their slugs, so that two such transactions cannot deadlock.
    for (const { workspace } of memberships) await ctx.workspaces.lockMembers(workspace, tx.session);
    await checkIsReplaceable(ctx, memberships, tx.session);
    for (const membership of memberships) {
      await ctx.workspaces.removeMember(membership, tx.session);
      const { workspace, role } = membership;
      const target = { type: 'user', id: user._id, label: null };
      const data = { user_id: user._id, email: '', role };
      tx.emit(memberRemoved.create({ workspace }, data, { target, changes: { role: { from: role, to: null } } }));
    }
    const sessions = await ctx.sessions.deleteOtherSessions(user._id, null, tx.session);
    const tokens = await ctx.tokens.deleteTokens({ userId: user._id }, tx.session);
    await ctx.users.deleteUser(user._id, tx.session);
    await ctx.orders.insertOrder({ kind: 'user', subject: user._id, orderedBy: null }, tx.session);
    const removed = { memberships: memberships.length, tokens, sessions };
    await ctx.erasures.insertErasure({ kind: 'user', subject: user._id, email: user.emailKey }, removed, tx.session);
    tx.emit(userErased.create({ workspace: null }, { user_id: user._id, email: user.emailKey }));
  });
}

/** @throws AppError `conflict` while the user is the last owner of a workspace */
export async function checkIsReplaceable(
  { workspaces }: Pick<ErasureContext, 'workspaces'>,
  memberships: Membership[],
  session?: ClientSession,
): Promise<void> {
  const orphaned: string[] = [];
  for (const { workspace, role } of memberships) {
    if (role === 'owner' && (await workspaces.countOwners(workspace, session)) === 1) orphaned.push(workspace);
  }
  if (orphaned.length === 0) return;
  throw new AppError(
    'conflict',
    `The user is the last owner of ${orphaned.join(', ')}. Make another member the owner, or erase the workspace first.`,
  );
}
