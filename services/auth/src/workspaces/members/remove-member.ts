import type { EventContext } from '@waymark/contract/event';
import { memberRemoved } from '@waymark/contract/events';
import { missing } from '@waymark/kernel/errors';
import type { CheckCurrent } from '@waymark/kernel/http/conditional';
import type { User } from '../../users/user-store.js';
import type { Membership } from '../workspace-store.js';
import type { MemberContext } from './context.js';
import { checkHasAnotherOwner, checkMayChangeOwners, type ChangedBy } from './owner-rules.js';

/** Removes a membership and revokes its tokens, so that adding the user again does not reactivate them. */
export async function removeMember(
  ctx: Pick<MemberContext, 'db' | 'workspaces' | 'tokens'>,
  event: EventContext,
  input: { workspace: string; user: User; changedBy: ChangedBy; check?: CheckCurrent<Membership> },
): Promise<void> {
  const { workspace, user, changedBy } = input;
  await ctx.db.transaction(async (tx) => {
    await ctx.workspaces.lockMembers(workspace, tx.session);
    const membership = await ctx.workspaces.findMembership(workspace, user._id, tx.session);
    if (!membership) throw missing('member', user._id);
    input.check?.(membership);
    checkMayChangeOwners(changedBy, membership.role);
    await checkHasAnotherOwner(ctx.workspaces, membership, tx.session);
    await ctx.workspaces.removeMember(membership, tx.session);
    const tokens = await ctx.tokens.revokeTokensOfUser(workspace, user._id, tx.session);
    const target = { type: 'user', id: user._id, label: user.email };
    const changes = {
      role: { from: membership.role, to: null },
      ...(tokens > 0 && { tokens: { from: tokens, to: 0 } }),
    };
    const data = { user_id: user._id, email: user.email, role: membership.role };
    tx.emit(memberRemoved.create({ ...event, workspace }, data, { target, changes }));
  });
}
