import type { ClientSession } from 'mongoose';
import type { EventContext } from '@waymark/contract/event';
import { invitationCreated } from '@waymark/contract/events';
import type { WorkspaceAccess } from '@waymark/contract/identity';
import { newId } from '@waymark/contract/ids';
import { alreadyInvited, alreadyMember } from '@waymark/contract/problems';
import type { Role } from '@waymark/contract/roles';
import { invalid } from '@waymark/kernel/errors';
import { checkCap } from '../../limits/check-cap.js';
import type { NewMail } from '../../mail/mail-store.js';
import { checkMayChangeOwners } from '../members/owner-rules.js';
import type { InvitationContext } from './context.js';
import { eventPartsOf } from './event-parts.js';
import type { Invitation } from './invitation-store.js';

export interface NewInvitation {
  workspace: WorkspaceAccess;
  email: string | null;
  role: Role;
  invitedBy: string;
}

export interface IssuedInvitation {
  invitation: Invitation;
  /** The token of its link; it is not stored. */
  token: string;
  /** Whether a mail with another link waits to be sent. */
  isMailed: boolean;
}

/** Stands for the user of an address without an account, so that both take the same steps. */
const UNKNOWN_USER = 'unknown';

/**
 * Invites to a workspace. Takes the same steps and gives the same answer whether or not the address has an account.
 * @throws AppError `forbidden` for the owner role by an admin; `validation_failed` for a member, a second invitation of
 * one address, or too many invitations; `rate_limit_exceeded`
 */
export async function createInvitation(
  ctx: InvitationContext,
  event: EventContext,
  input: NewInvitation,
): Promise<IssuedInvitation> {
  checkMayChangeOwners(input.workspace.role, input.role);
  const use = { limit: 'sentInvitations', key: input.invitedBy } as const;
  await ctx.limits.countOrRefuse([use], 'Too many invitations. Try again later.');
  // The invitation needs no mail: its link works, and `isMailed` says that there is none.
  const isMailed = input.email !== null && ctx.config.SMTP_URL !== undefined && (await ctx.mails.hasRoom());
  return ctx.db.transaction(async (tx) => {
    await ctx.workspaces.lockMembers(input.workspace.slug, tx.session);
    await checkAddress(ctx, input, tx.session);
    const workspace = input.workspace.slug;
    const current = await ctx.invitations.countInvitations({ workspace }, tx.session);
    const limit = ctx.config.MAX_INVITATIONS_PER_WORKSPACE;
    checkCap({ resource: 'invitations', owner: 'workspace', limit, current });
    const id = newId('inv');
    const { token, expiresAt } = await ctx.links.issueLink({ kind: 'invitation', subject: id }, tx.session);
    const { email, role, invitedBy } = input;
    const row = { _id: id, workspace, email, role, invitedBy, createdAt: new Date(), expiresAt };
    const invitation = await ctx.invitations.insertInvitation(row, tx.session);
    const { data, target } = eventPartsOf(invitation);
    const changes = { email: { from: null, to: email }, role: { from: null, to: role } };
    tx.emit(invitationCreated.create(event, data, { target, changes }));
    if (isMailed) await ctx.mails.enqueueMail(mailOf(id, event), tx.session);
    return { invitation, token, isMailed };
  });
}

const mailOf = (id: string, { ipAddress, requestId }: EventContext): NewMail => ({
  kind: 'invitation',
  subject: id,
  ipAddress: ipAddress ?? null,
  requestId: requestId ?? null,
});

/** The inviter sees the members of the workspace, so that saying who is one reveals nothing. */
async function checkAddress(
  ctx: InvitationContext,
  { workspace: { slug: workspace }, email }: NewInvitation,
  session: ClientSession,
): Promise<void> {
  if (email === null) return;
  const user = await ctx.users.findUserByEmail(email);
  if (await ctx.workspaces.findMembership(workspace, user?._id ?? UNKNOWN_USER, session))
    throw invalid({ email: [alreadyMember()] });
  if ((await ctx.invitations.countInvitations({ workspace, email }, session)) > 0)
    throw invalid({ email: [alreadyInvited()] });
}
