import type { EventContext } from '@waymark/contract/event';
import { workspacePlanChanged } from '@waymark/contract/events';
import type { PlanName } from '@waymark/contract/plans';
import { invalid } from '@waymark/kernel/errors';
import type { AuthContext } from '../context.js';

export async function setPlan(
  ctx: Pick<AuthContext, 'db' | 'workspaces' | 'config'>,
  event: EventContext,
  slug: string,
  plan: PlanName,
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const before = await ctx.workspaces.setPlan(slug, plan, tx.session);
    if (!before) throw invalid({ slug: ['There is no such workspace.'] });
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
