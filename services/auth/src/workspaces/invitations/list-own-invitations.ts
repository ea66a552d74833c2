import type { UserBody } from '@waymark/contract/users';
import type { User, UserStore } from '../../users/user-store.js';
import type { WorkspaceStore } from '../workspace-store.js';
import type { InvitationStore } from './invitation-store.js';

/** The newest ones: a user answers them, and then sees the others. */
const LISTED_MAX = 50;

export interface OwnInvitationsContext {
  users: Pick<UserStore, 'findUsers'>;
  workspaces: Pick<WorkspaceStore, 'findWorkspaces'>;
  invitations: Pick<InvitationStore, 'findInvitationsTo'>;
}

/** Returns the invitations to the user's address, for the user to accept or decline. */
export async function listOwnInvitations(ctx: OwnInvitationsContext, user: User): Promise<UserBody['invitations']> {
  if (user.isEmailUnproven) return [];
  const invitations = await ctx.invitations.findInvitationsTo(user.email, LISTED_MAX);
  if (invitations.length === 0) return [];
  const [workspaces, inviters] = await Promise.all([
    ctx.workspaces.findWorkspaces(invitations.map(({ workspace }) => workspace)),
    ctx.users.findUsers(invitations.map(({ invitedBy }) => invitedBy)),
  ]);
  const workspaceNames = new Map(workspaces.map(({ _id, name }) => [_id, name]));
  const inviterNames = new Map(inviters.map(({ _id, name }) => [_id, name]));
  return invitations.map((invitation) => ({
    id: invitation._id,
    workspace: { slug: invitation.workspace, name: workspaceNames.get(invitation.workspace) ?? invitation.workspace },
    role: invitation.role,
    invited_by: { name: inviterNames.get(invitation.invitedBy) ?? '' },
    created_at: invitation.createdAt.toISOString(),
    expires_at: invitation.expiresAt.toISOString(),
  }));
}
