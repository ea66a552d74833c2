import type { EventContext } from '@waymark/contract/event';
import { workspacePlanChanged } from '@waymark/contract/events';
import type { PlanName } from '@waymark/contract/plans';
import { invalidOption } from '@waymark/kernel/errors';
import type { WorkspaceContext } from './context.js';

export async function setPlan(
  ctx: Pick<WorkspaceContext, 'db' | 'workspaces'> & { config: Pick<WorkspaceContext['config'], 'DEFAULT_PLAN'> },
  event: EventContext,
  { slug, plan }: { slug: string; plan: PlanName },
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const before = await ctx.workspaces.setPlan(slug, plan, tx.session);
    if (!before) throw invalidOption('slug', 'The workspace does not exist.');
    const from = before.plan ?? ctx.config.DEFAULT_PLAN;
    if (from === plan) return;
    tx.emit(
      workspacePlanChanged.create(
        { ...event, workspace: slug },
        { from, to: plan },
        { target: { type: 'workspace', id: slug, label: before.name }, changes: { plan: { from, to: plan } } },
      ),
    );
  });
}
