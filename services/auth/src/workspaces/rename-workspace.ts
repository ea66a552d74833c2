import type { EventContext } from '@waymark/contract/event';
import { workspaceUpdated } from '@waymark/contract/events';
import { notFound } from '@waymark/kernel/errors';
import type { CheckCurrent } from '@waymark/kernel/http/conditional';
import type { WorkspaceContext } from './context.js';
import type { Workspace } from './workspace-store.js';

/** Changes the name that members see; the slug never changes. */
export async function renameWorkspace(
  ctx: Pick<WorkspaceContext, 'db' | 'workspaces'>,
  event: EventContext,
  { slug, name, check }: { slug: string; name: string | undefined; check: CheckCurrent<Workspace> | undefined },
): Promise<Workspace> {
  return ctx.db.transaction(async (tx) => {
    await ctx.workspaces.lockMembers(slug, tx.session);
    const before = await ctx.workspaces.findWorkspace(slug, tx.session);
    if (!before) throw notFound();
    check?.(before);
    if (name === undefined || name === before.name) return before;
    await ctx.workspaces.setName(slug, name, tx.session);
    const target = { type: 'workspace', id: slug, label: name };
    const changes = { name: { from: before.name, to: name } };
    tx.emit(workspaceUpdated.create(event, { name }, { target, changes }));
    return { ...before, name };
  });
}
