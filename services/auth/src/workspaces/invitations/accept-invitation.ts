import type { ClientSession } from 'mongoose';
import type { EventContext } from '@waymark/contract/event';
import { invitationAccepted, memberAdded } from '@waymark/contract/events';
import { ADMINISTRATORS } from '@waymark/contract/roles';
import { AppError, missing } from '@waymark/kernel/errors';
import type { Transaction } from '@waymark/kernel/mongo/database';
import { checkMemberCaps } from '../members/set-member.js';
import { isDisabled, type User, type UserStore } from '../../users/user-store.js';
import { addMember } from '../add-member.js';
import type { WorkspaceStore } from '../workspace-store.js';
import type { InvitationContext } from './context.js';
import { eventPartsOf } from './event-parts.js';
import type { Invitation } from './invitation-store.js';

export interface Acceptance {
  invitation: Invitation;
  user: User;
}

/**
 * Makes the user a member, by their own consent. Call it in a transaction; of any number of concurrent calls one succeeds.
 * @throws AppError `not_found` when the invitation is used, withdrawn or expired; `conflict` for a member, and when the
 * inviter could not grant the role now; `forbidden` while the workspace is suspended; `validation_failed` at a limit
 */
export async function acceptInvitation(
  ctx: InvitationContext,
  { event, accepted }: { event: EventContext; accepted: Acceptance },
  tx: Transaction,
): Promise<void> {
  const { user } = accepted;
  const { _id: id, workspace } = accepted.invitation;
  // Also serializes with changes of the inviter's role, and with a suspension.
  await ctx.workspaces.lockMembers(workspace, tx.session);
  if ((await ctx.workspaces.findWorkspace(workspace, tx.session))?.suspension)
    throw new AppError('forbidden', SUSPENDED);
  const invitation = await ctx.invitations.takeInvitation({ id }, tx.session);
  if (!invitation) throw missing('invitation', id, '');
  await ctx.links.revokeLinks({ kind: 'invitation', subject: id }, tx.session);
  if (!(await mayGrant(ctx, invitation, tx.session))) throw new AppError('conflict', INVITER_CANNOT_GRANT);
  if (await ctx.workspaces.findMembership(workspace, user._id, tx.session))
    throw new AppError('conflict', 'You are already a member of this workspace.');
  await checkMemberCaps(ctx, tx.session, { workspace, user, changedBy: 'self' });
  const now = new Date();
  const { role, invitedBy } = invitation;
  await addMember(ctx, { workspace, userId: user._id, role, enteredAt: now, createdAt: now }, tx.session);

  const actor = { type: 'user' as const, id: user._id, name: user.name, email: user.email, token_id: null };
  const inWorkspace = { ...event, workspace, actor };
  const { data, target } = eventPartsOf(invitation);
  const added = { user_id: user._id, email: user.email, role };
  tx.emit(
    invitationAccepted.create(inWorkspace, data, { target, changes: { user_id: { from: null, to: user._id } } }),
    memberAdded.create(inWorkspace, added, {
      target: { type: 'user', id: user._id, label: user.email },
      changes: { role: { from: null, to: role }, invited_by: { from: null, to: invitedBy } },
    }),
  );
}

/** The operator's reason is for members alone. */
export const SUSPENDED = 'The workspace is suspended. Accept the invitation when it is resumed.';
const INVITER_CANNOT_GRANT =
  'The person who sent this invitation can no longer grant this role. Ask for a new invitation.';

interface InviterContext {
  users: Pick<UserStore, 'findUser'>;
  workspaces: Pick<WorkspaceStore, 'findMembership'>;
}

/** Whether the inviter could grant the role at this moment: an invitation grants no more. */
export async function mayGrant(
  { users, workspaces }: InviterContext,
  { workspace, role, invitedBy }: Invitation,
  session?: ClientSession,
): Promise<boolean> {
  const inviter = await users.findUser(invitedBy);
  const membership = await workspaces.findMembership(workspace, invitedBy, session);
  if (!inviter || isDisabled(inviter) || !membership || !ADMINISTRATORS.includes(membership.role)) return false;
  return role !== 'owner' || membership.role === 'owner';
}
