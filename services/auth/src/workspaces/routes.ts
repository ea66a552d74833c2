import type { WorkspaceBody } from '@waymark/contract/workspaces';
import type { Role } from '@waymark/contract/roles';
import { AppError } from '@waymark/kernel/errors';
import type { Handlers } from '@waymark/kernel/http/api';
import { created, paginated } from '@waymark/kernel/http/reply';
import type { WorkspaceContext } from './context.js';
import { createOwnWorkspace } from './create-own-workspace.js';
import type { Workspace } from './workspace-store.js';
import { findVisibleMemberships } from './visible-memberships.js';

export function workspaceHandlers(
  ctx: WorkspaceContext,
): Pick<Handlers<'auth'>, 'workspaces.list' | 'workspaces.create'> {
  const present = (workspace: Workspace, role: Role): WorkspaceBody => ({
    slug: workspace._id,
    name: workspace.name,
    role,
    plan: workspace.plan ?? ctx.config.DEFAULT_PLAN,
    created_at: workspace.createdAt.toISOString(),
  });
  return {
    'workspaces.list': async ({ identity, query, url }) => {
      const memberships = await findVisibleMemberships(ctx, identity.actor);
      const roles = new Map(memberships.map(({ workspace, role }) => [workspace, role]));
      const page = { page: query.page, perPage: query.per_page };
      const { items, total } = await ctx.workspaces.listWorkspaces([...roles.keys()], page);
      const bodies = items.map((workspace) => present(workspace, roles.get(workspace._id)!));
      return paginated({ items: bodies, total }, { page, url });
    },
    'workspaces.create': async ({ identity, body, eventContext, once }) => {
      const owner = await ctx.users.findUser(identity.actor.id!);
      if (!owner) throw new AppError('unauthenticated', 'Unauthenticated.');
      return once(
        (workspace: Workspace) => created(present(workspace, 'owner'), null),
        () => createOwnWorkspace(ctx, eventContext, { ...body, owner }),
      );
    },
  };
}
