import type { EventContext } from '@waymark/contract/event';
import { tooManyRequests } from '@waymark/kernel/errors';
import type { AuthContext } from '../context.js';
import { checkCap } from '../limits/check-cap.js';
import type { User } from '../users/store.js';
import { createWorkspace, isSlugTaken } from './create-workspace.js';
import type { Workspace } from './store.js';

/**
 * Creates a workspace on a user's own request. Each workspace has its own limits and quota, so a user may only make a
 * limited number of attempts per day; the refusal of further ones does not depend on the slug.
 * @throws AppError `rate_limit_exceeded`, or `validation_failed` when the user owns the maximum number
 */
export async function createOwnWorkspace(
  ctx: Pick<AuthContext, 'db' | 'workspaces' | 'config' | 'newWorkspaces'>,
  event: EventContext,
  input: { slug: string; name: string; owner: User },
): Promise<Workspace> {
  // Not exact under concurrency, which the daily limit bounds; so this cap needs no lock.
  const owned = await ctx.workspaces.countMemberships({ userId: input.owner._id, role: 'owner' });
  checkCap('workspaces', 'user', ctx.config.MAX_WORKSPACES_PER_USER, owned);
  const taken = await ctx.newWorkspaces.take(input.owner._id);
  if ('retryAfterSeconds' in taken) throw tooManyRequests('Too many new workspaces today.', taken.retryAfterSeconds);
  try {
    return await createWorkspace(ctx, event, { ...input, plan: null });
  } catch (error) {
    // A taken slug counts as an attempt: otherwise a user could guess the names of other workspaces without limit.
    if (!isSlugTaken(error)) await ctx.newWorkspaces.giveBack(taken.slot);
    throw error;
  }
}
