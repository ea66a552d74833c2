import type { PlanName } from '@waymark/contract/plans';
import type { UserBody } from '@waymark/contract/users';
import { listOwnInvitations, type OwnInvitationsContext } from '../../workspaces/invitations/list-own-invitations.js';
import type { User } from '../../users/user-store.js';
import { findCreationRefusal, type GrowthConfig } from '../../workspaces/growth.js';
import type { Membership, WorkspaceStore } from '../../workspaces/workspace-store.js';

export interface ProfileContext {
  config: GrowthConfig & { DEFAULT_PLAN: PlanName };
  workspaces: Pick<WorkspaceStore, 'findWorkspaces'>;
  users: OwnInvitationsContext['users'];
  invitations: OwnInvitationsContext['invitations'];
}

interface Profile {
  user: User;
  memberships: Membership[];
  token: UserBody['token'];
}

export async function presentUser(ctx: ProfileContext, { user, memberships, token }: Profile): Promise<UserBody> {
  const workspaces = await ctx.workspaces.findWorkspaces(memberships.map((membership) => membership.workspace));
  // A token shows its own workspace only.
  const invitations = token === null ? await listOwnInvitations(ctx, user) : [];
  const bySlug = new Map(workspaces.map((workspace) => [workspace._id, workspace]));
  return {
    id: user._id,
    name: user.name,
    email: user.email,
    created_at: user.createdAt.toISOString(),
    workspaces: memberships.map(({ workspace, role }) => ({
      slug: workspace,
      name: bySlug.get(workspace)?.name ?? workspace,
      role,
      plan: bySlug.get(workspace)?.plan ?? ctx.config.DEFAULT_PLAN,
    })),
    invitations,
    token,
    totp_enabled: user.totp !== undefined,
    // Only a session creates workspaces.
    can_create_workspace: token === null && findCreationRefusal(ctx.config, { memberships, workspaces }) === null,
  };
}
