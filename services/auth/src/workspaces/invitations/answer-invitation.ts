import type { EventContext } from '@waymark/contract/event';
import { invitationDeclined, invitationDeleted } from '@waymark/contract/events';
import { missing } from '@waymark/kernel/errors';
import type { CheckCurrent } from '@waymark/kernel/http/conditional';
import type { User } from '../../users/user-store.js';
import { acceptInvitation, type Acceptance } from './accept-invitation.js';
import type { InvitationContext } from './context.js';
import { eventPartsOf } from './event-parts.js';
import type { Invitation } from './invitation-store.js';

interface Answer {
  id: string;
  userId: string;
}

const noInvitation = ({ id }: Answer) => missing('invitation', id, 'to your e-mail address');

/** Accepts an invitation that `GET /user` lists. @throws AppError as `acceptInvitation` does */
export async function acceptListed(ctx: InvitationContext, event: EventContext, answer: Answer): Promise<Acceptance> {
  const { user, email } = await findInvited(ctx, answer);
  const invitation = await ctx.invitations.findInvitation({ id: answer.id, email });
  if (!invitation) throw noInvitation(answer);
  await ctx.db.transaction((tx) => acceptInvitation(ctx, { event, accepted: { invitation, user } }, tx));
  return { invitation, user };
}

/** @throws AppError `not_found` */
export async function declineListed(ctx: InvitationContext, event: EventContext, answer: Answer): Promise<void> {
  const { email } = await findInvited(ctx, answer);
  await ctx.db.transaction(async (tx) => {
    const invitation = await ctx.invitations.takeInvitation({ id: answer.id, email }, tx.session);
    if (!invitation) throw noInvitation(answer);
    await ctx.links.revokeLinks({ kind: 'invitation', subject: answer.id }, tx.session);
    const { data, target } = eventPartsOf(invitation);
    const inWorkspace = { ...event, workspace: invitation.workspace };
    tx.emit(invitationDeclined.create(inWorkspace, data, { target, changes: {} }));
  });
}

/** Withdraws an invitation. @throws AppError `not_found` */
export async function deleteInvitation(
  ctx: InvitationContext,
  event: EventContext,
  { workspace, id, check }: { workspace: string; id: string; check: CheckCurrent<Invitation> | undefined },
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const invitation = await ctx.invitations.takeInvitation({ id, workspace }, tx.session);
    if (!invitation) throw missing('invitation', id);
    check?.(invitation);
    await ctx.links.revokeLinks({ kind: 'invitation', subject: id }, tx.session);
    const { data, target } = eventPartsOf(invitation);
    tx.emit(invitationDeleted.create(event, data, { target, changes: {} }));
  });
}

/** Only a proven address receives invitations in the account. */
async function findInvited({ users }: InvitationContext, answer: Answer): Promise<{ user: User; email: string }> {
  const user = await users.findUser(answer.userId);
  if (!user || user.isEmailUnproven) throw noInvitation(answer);
  return { user, email: user.email };
}
