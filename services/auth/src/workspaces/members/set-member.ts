import type { ClientSession } from 'mongoose';
import type { EventContext } from '@waymark/contract/event';
import { memberAdded, memberRoleChanged } from '@waymark/contract/events';
import type { Role } from '@waymark/contract/roles';
import { missing } from '@waymark/kernel/errors';
import type { CheckCurrent } from '@waymark/kernel/http/conditional';
import { checkCap } from '../../limits/check-cap.js';
import type { User } from '../../users/user-store.js';
import { addMember } from '../add-member.js';
import type { Membership } from '../workspace-store.js';
import type { MemberContext } from './context.js';
import { checkHasAnotherOwner, checkMayChangeOwners, type ChangedBy } from './owner-rules.js';

/** `change` requires a member, `set` accepts others too: only the operator adds members without their consent. */
type Mode = 'change' | 'set';

/** Adds a member or changes a member's role; applies from the next request. */
export async function setMember(
  ctx: Pick<MemberContext, 'db' | 'users' | 'workspaces' | 'config' | 'caps'>,
  event: EventContext,
  input: {
    workspace: string;
    user: User;
    role: Role;
    changedBy: ChangedBy;
    mode: Mode;
    check?: CheckCurrent<Membership>;
  },
): Promise<Membership> {
  const { workspace, user, role, changedBy, mode } = input;
  return ctx.db.transaction(async (tx) => {
    await ctx.workspaces.lockMembers(workspace, tx.session);
    const before = await ctx.workspaces.findMembership(workspace, user._id, tx.session);
    if (!before && mode === 'change') throw missing('member', user._id);
    if (before) input.check?.(before);
    if (before?.role === role) return before;
    checkMayChangeOwners(changedBy, before?.role, role);

    const now = new Date();
    const after = before
      ? { ...before, role, updatedAt: now }
      : { workspace, userId: user._id, role, enteredAt: now, createdAt: now, updatedAt: now };
    if (before) {
      await checkHasAnotherOwner(ctx.workspaces, before, tx.session);
      await ctx.workspaces.setRole(after as Membership, tx.session);
    } else {
      await checkMemberCaps(ctx, tx.session, input);
      await addMember(ctx, after, tx.session);
    }
    const definition = before ? memberRoleChanged : memberAdded;
    const target = { type: 'user', id: user._id, label: user.email };
    const changes = { role: { from: before?.role ?? null, to: role } };
    const data = { user_id: user._id, email: user.email, role };
    tx.emit(definition.create({ ...event, workspace }, data, { target, changes }));
    return after as Membership;
  });
}

/**
 * Limits the members of a workspace, and the workspaces of a user that the operator did not add: both can be listed
 * without pages, and events carry them.
 */
export async function checkMemberCaps(
  { workspaces, config, caps }: Pick<MemberContext, 'workspaces' | 'config' | 'caps'>,
  session: ClientSession,
  { workspace, user, changedBy }: { workspace: string; user: User; changedBy: ChangedBy },
): Promise<void> {
  const members = await workspaces.countMembers(workspace, session);
  checkCap({ resource: 'members', owner: 'workspace', limit: config.MAX_MEMBERS_PER_WORKSPACE, current: members });
  if (changedBy === 'operator') return;
  const memberships = await workspaces.countMemberships({ userId: user._id }, session);
  checkCap({
    resource: 'memberships',
    owner: 'user',
    limit: caps.memberships,
    current: memberships,
  });
}
