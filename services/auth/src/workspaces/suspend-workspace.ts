import type { EventContext } from '@waymark/contract/event';
import { workspaceResumed, workspaceSuspended } from '@waymark/contract/events';
import { invalidOption } from '@waymark/kernel/errors';
import type { WorkspaceContext } from './context.js';
import type { Suspension } from './workspace-store.js';

type SuspendContext = Pick<WorkspaceContext, 'db' | 'workspaces'>;

/** Suspends a workspace, or changes the terms of its suspension; applies from the next request. */
export async function suspendWorkspace(
  ctx: SuspendContext,
  event: EventContext,
  { slug, reason, links }: { slug: string } & Pick<Suspension, 'reason' | 'links'>,
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const suspension = { reason, links, suspendedAt: new Date() };
    const workspace = await ctx.workspaces.setSuspension(slug, suspension, tx.session);
    if (!workspace) throw invalidOption('slug', 'The workspace does not exist.');
    const target = { type: 'workspace', id: slug, label: workspace.name };
    const changes = { reason: { from: null, to: reason }, links: { from: null, to: links } };
    const data = { revision: workspace.suspensionRevision!, reason, links };
    tx.emit(workspaceSuspended.create({ ...event, workspace: slug }, data, { target, changes }));
  });
}

/** Ends the suspension of a workspace. */
export async function resumeWorkspace(ctx: SuspendContext, event: EventContext, slug: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const workspace = await ctx.workspaces.setSuspension(slug, null, tx.session);
    if (!workspace) throw invalidOption('slug', 'The workspace does not exist.');
    const target = { type: 'workspace', id: slug, label: workspace.name };
    const data = { revision: workspace.suspensionRevision! };
    tx.emit(workspaceResumed.create({ ...event, workspace: slug }, data, { target, changes: {} }));
  });
}
