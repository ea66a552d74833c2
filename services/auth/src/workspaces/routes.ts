import type { Identity, WorkspaceAccess } from '@waymark/contract/identity';
import type { UpdateWorkspaceBody, WorkspaceBody, WorkspaceDetailsBody } from '@waymark/contract/workspaces';
import type { Role } from '@waymark/contract/roles';
import { AppError, invalid, missing } from '@waymark/kernel/errors';
import type { Handlers } from '@waymark/kernel/http/api';
import { created, item, paginated } from '@waymark/kernel/http/reply';
import { secondFactorMissing } from '@waymark/contract/problems';
import type { WorkspaceContext } from './context.js';
import { createOwnWorkspace } from './create-workspace.js';
import { findUsage } from './find-usage.js';
import { updateWorkspace } from './update-workspace.js';
import type { Workspace, WorkspaceSettings } from './workspace-store.js';
import { findVisibleMemberships } from './visible-memberships.js';
import { hasSecondFactor } from '../users/second-factor.js';

export type PresentWorkspace = (workspace: Workspace, role: Role) => WorkspaceBody;

/** Returns the function that presents a workspace to a member with this role. */
export const workspacePresenter =
  (config: WorkspaceContext['config']): PresentWorkspace =>
  (workspace, role) => ({
    slug: workspace._id,
    name: workspace.name,
    role,
    plan: workspace.plan ?? config.DEFAULT_PLAN,
    require_two_factor: workspace.requiresTwoFactor ?? false,
    created_at: workspace.createdAt.toISOString(),
  });

export function workspaceHandlers(
  ctx: WorkspaceContext,
): Pick<Handlers<'auth'>, 'workspaces.list' | 'workspaces.create' | 'workspaces.show' | 'workspaces.update'> {
  const present = workspacePresenter(ctx.config);
  const presentDetails = async (
    workspace: Workspace,
    { role, plan }: WorkspaceAccess,
  ): Promise<WorkspaceDetailsBody> => ({
    ...present(workspace, role),
    usage: await findUsage(ctx, workspace._id, plan),
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
    'workspaces.create': async ({ identity, body, eventContext, url, once }) => {
      const owner = await ctx.users.findUser(identity.actor.id!);
      if (!owner) throw new AppError('unauthenticated', 'Unauthenticated.');
      return once(
        () => createOwnWorkspace(ctx, eventContext, { ...body, owner }),
        (workspace: Workspace) =>
          created(present(workspace, 'owner'), new URL(`${url.pathname}/${workspace._id}`, url)),
      );
    },
    'workspaces.show': async ({ workspace: access }) => {
      const workspace = await ctx.workspaces.findWorkspace(access.slug);
      if (!workspace) throw missing('workspace', access.slug, '');
      return item(await presentDetails(workspace, access));
    },
    'workspaces.update': async ({ workspace: access, identity, body, eventContext, condition }) => {
      if (body.require_two_factor) await checkOwnSecondFactor(ctx, identity);
      // `If-Match` does not compare the usage, which no request sets.
      const check = condition((current: Workspace) => ({ ...present(current, access.role), usage: null }));
      const change = { slug: access.slug, settings: settingsOf(body), check };
      return item(await presentDetails(await updateWorkspace(ctx, eventContext, change), access));
    },
  };
}

const settingsOf = ({ name, require_two_factor: isRequired }: UpdateWorkspaceBody): Partial<WorkspaceSettings> => ({
  ...(name !== undefined && { name }),
  ...(isRequired !== undefined && { requiresTwoFactor: isRequired }),
});

/**
 * Prevents administrators from locking themselves out, and so the whole workspace where the installation has no second
 * factor at all.
 * @throws AppError `validation_failed` when the caller has no second factor
 */
async function checkOwnSecondFactor(
  { users, sessions, identities }: Pick<WorkspaceContext, 'users' | 'sessions' | 'identities'>,
  { actor, session_id: sessionId }: Identity,
): Promise<void> {
  const userId = actor.id ?? '';
  const [user, session, linked] = await Promise.all([
    users.findUser(userId),
    sessionId === null ? null : sessions.findSession(sessionId),
    sessionId === null ? identities.findLinkedUsers([userId]) : null,
  ]);
  if (user && hasSecondFactor(user, session, linked?.has(userId) ?? false)) return;
  throw invalid({ require_two_factor: [secondFactorMissing('Enable two-factor sign-in of your own account first.')] });
}
