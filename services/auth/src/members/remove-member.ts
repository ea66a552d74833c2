import type { EventContext } from '@waymark/contract/event';
import { memberRemoved } from '@waymark/contract/events';
import { notFound } from '@waymark/kernel/errors';
import type { CheckCurrent } from '@waymark/kernel/http/conditional';
import type { AuthContext } from '../context.js';
import type { User } from '../users/store.js';
import type { Membership } from '../workspaces/store.js';
import { checkAnotherOwner, checkMayChangeOwner, type By } from './owner-rules.js';

/** Removes a membership and revokes its tokens, so that adding the user again does not reactivate them. */
export async function removeMember(
  ctx: Pick<AuthContext, 'db' | 'workspaces' | 'tokens'>,
  event: EventContext,
  input: { workspace: string; user: User; by: By; check?: CheckCurrent<Membership> },
): Promise<void> {
  const { workspace, user, by } = input;
  await ctx.db.transaction(async (tx) => {
    await ctx.workspaces.lockMembers(workspace, tx.session);
    const membership = await ctx.workspaces.membership(workspace, user._id, tx.session);
    if (!membership) throw notFound();
    input.check?.(membership);
    checkMayChangeOwner(by, membership.role);
    await checkAnotherOwner(ctx.workspaces, membership, tx.session);
    await ctx.workspaces.removeMember(membership, tx.session);
    const tokens = await ctx.tokens.revokeOf(workspace, user._id, tx.session);
    const target = { type: 'user', id: user._id, label: user.email };
    const changes = {
      role: { from: membership.role, to: null },
      ...(tokens > 0 && { tokens: { from: tokens, to: 0 } }),
    };
    const data = { user_id: user._id, email: user.email, role: membership.role };
    tx.emit(memberRemoved.create({ ...event, workspace }, data, { target, changes }));
  });
}
