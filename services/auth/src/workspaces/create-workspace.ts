import type { EventContext } from '@waymark/contract/event';
import { memberAdded, workspaceCreated } from '@waymark/contract/events';
import type { PlanName } from '@waymark/contract/plans';
import { taken } from '@waymark/contract/problems';
import { AppError, invalid } from '@waymark/kernel/errors';
import type { User } from '../users/user-store.js';
import { addMember } from './add-member.js';
import type { WorkspaceContext } from './context.js';
import type { Workspace } from './workspace-store.js';

/** Thrown inside the transaction to roll it back. */
class SlugTaken extends AppError {
  constructor() {
    const error = invalid({ slug: [taken('slug')] });
    super(error.code, error.message, error);
  }
}

export const isSlugTaken = (error: unknown): boolean => error instanceof SlugTaken;

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
