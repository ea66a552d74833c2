import type { EventContext } from '@waymark/shared/contract/event';
import { tooManyRequests } from '@waymark/shared/kernel/errors';
import type { AuthContext } from '../context.js';
import { checkCap } from '../limits/check-cap.js';
import type { User } from '../users/store.js';
import { createWorkspace, isSlugTaken } from './create-workspace.js';
import type { Workspace } from './store.js';

/**
 * For a user who asks for it themselves: each workspace brings limits and a quota of its own, so a user makes so many
 * attempts a day. The refusal of further ones does not depend on the slug.
 * @throws AppError `rate_limit_exceeded`, or `validation_failed` for one who owns as many as they may
 */
export async function createOwnWorkspace(
  ctx: Pick<AuthContext, 'db' | 'workspaces' | 'config' | 'newWorkspaces'>,
  event: EventContext,
  input: { slug: string; name: string; owner: User },
): Promise<Workspace> {
  // At most the workspaces of a day come at once, so that a limit of this size needs no lock.
  const owned = await ctx.workspaces.countMemberships({ userId: input.owner._id, role: 'owner' });
  checkCap('workspaces', 'user', ctx.config.MAX_WORKSPACES_PER_USER, owned);
  const taken = await ctx.newWorkspaces.take(input.owner._id);
  if ('retryAfterSeconds' in taken) throw tooManyRequests('Too many new workspaces today.', taken.retryAfterSeconds);
  try {
    return await createWorkspace(ctx, event, { ...input, plan: null });
  } catch (error) {
    // A taken slug counts: without a limit, guesses would find the workspaces of others.
    if (!isSlugTaken(error)) await ctx.newWorkspaces.giveBack(taken.slot);
    throw error;
  }
}
