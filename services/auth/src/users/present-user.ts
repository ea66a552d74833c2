import type { UserBody } from '@waymark/contract/users';
import type { Plans } from '../workspaces/plans.js';
import type { Membership, WorkspaceStore } from '../workspaces/store.js';
import type { AuthConfig } from '../config.js';
import type { User } from './store.js';

export async function presentUser(
  ctx: { workspaces: WorkspaceStore; config: AuthConfig; plans: Plans },
  { user, memberships, token }: { user: User; memberships: Membership[]; token: UserBody['token'] },
): Promise<UserBody> {
  const found = await ctx.workspaces.bySlugs(memberships.map((membership) => membership.workspace));
  const bySlug = new Map(found.map((workspace) => [workspace._id, workspace]));
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
    token,
  };
}
