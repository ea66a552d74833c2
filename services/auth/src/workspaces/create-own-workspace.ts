import type { EventContext } from '@waymark/contract/event';
import { checkCap } from '../limits/check-cap.js';
import type { User } from '../users/user-store.js';
import type { WorkspaceContext } from './context.js';
import { createWorkspace, isSlugTaken } from './create-workspace.js';
import { checkMayCreateWorkspace } from './growth.js';
import type { Workspace } from './workspace-store.js';

/**
 * Creates a workspace on a user's own request. Each workspace has its own limits and quota, so a user has a
 * limited number of attempts per day; beyond it every slug gets the same answer.
 * @throws AppError `forbidden` where the operator does not allow it, `rate_limit_exceeded`, or `validation_failed` when the user owns the maximum number
 */
export async function createOwnWorkspace(
  ctx: WorkspaceContext,
  event: EventContext,
  input: { slug: string; name: string; owner: User },
): Promise<Workspace> {
  await checkMayCreateWorkspace(ctx, input.owner._id);
  // Not exact under concurrency, which the daily limit bounds; so this cap needs no lock.
  const owned = await ctx.workspaces.countMemberships({ userId: input.owner._id, role: 'owner' });
  checkCap({
    resource: 'workspaces',
    owner: 'user',
    limit: ctx.caps.ownWorkspaces,
    current: owned,
  });
  const use = { limit: 'newWorkspaces', key: input.owner._id } as const;
  await ctx.limits.countOrRefuse([use], 'Too many new workspaces in one day. Try again later.');
  try {
    return await createWorkspace(ctx, event, { ...input, plan: null });
  } catch (error) {
    // A taken slug counts as an attempt: otherwise a user could guess the names of other workspaces without limit.
    if (!isSlugTaken(error)) await ctx.limits.refund([use]);
    throw error;
  }
}
