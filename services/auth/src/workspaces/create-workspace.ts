import type { EventContext } from '@waymark/contract/event';
import { memberAdded, workspaceCreated } from '@waymark/contract/events';
import type { PlanName } from '@waymark/contract/plans';
import { taken } from '@waymark/contract/problems';
import { AppError, invalid } from '@waymark/kernel/errors';
import type { User } from '../users/user-store.js';
import { addMember } from './add-member.js';
import type { WorkspaceContext } from './context.js';
import type { Workspace } from './workspace-store.js';
import { checkCap } from '../limits/check-cap.js';
import { checkMayCreateWorkspace } from './growth.js';

/** Thrown inside the transaction to roll it back. */
class SlugTaken extends AppError {
  constructor() {
    const error = invalid({ slug: [taken('slug')] });
    super(error.code, error.message, error);
  }
}

/** Creates a workspace together with its owner, so that it never lacks one. */
export async function createWorkspace(
  ctx: Pick<WorkspaceContext, 'db' | 'users' | 'workspaces'> & {
    config: Pick<WorkspaceContext['config'], 'DEFAULT_PLAN'>;
  },
  event: EventContext,
  input: { slug: string; name: string; owner: User; plan: PlanName | null },
): Promise<Workspace> {
  const { slug, name, owner } = input;
  const now = new Date();
  const workspace: Workspace = { _id: slug, name, plan: input.plan, memberChanges: 0, createdAt: now };
  const plan = input.plan ?? ctx.config.DEFAULT_PLAN;
  const inWorkspace = { ...event, workspace: slug };
  return ctx.db.transaction(async (tx) => {
    const outcome = await ctx.workspaces.insertWorkspace(workspace, tx.session);
    if (outcome === 'slug_taken') throw new SlugTaken();
    const membership = { workspace: slug, userId: owner._id, role: 'owner' as const, enteredAt: now, createdAt: now };
    await addMember(ctx, membership, tx.session);
    tx.emit(
      workspaceCreated.create(
        inWorkspace,
        { name, plan },
        { target: { type: 'workspace', id: slug, label: name }, changes: { plan: { from: null, to: plan } } },
      ),
      memberAdded.create(
        inWorkspace,
        { user_id: owner._id, email: owner.email, role: 'owner' },
        { target: { type: 'user', id: owner._id, label: owner.email }, changes: { role: { from: null, to: 'owner' } } },
      ),
    );
    return workspace;
  });
}

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
    if (!(error instanceof SlugTaken)) await ctx.limits.refund([use]);
    throw error;
  }
}
