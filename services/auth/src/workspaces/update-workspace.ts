import type { AuditChanges, EventContext } from '@waymark/contract/event';
import { workspaceUpdated } from '@waymark/contract/events';
import { missing } from '@waymark/kernel/errors';
import type { CheckCurrent } from '@waymark/kernel/http/conditional';
import type { WorkspaceContext } from './context.js';
import type { Workspace, WorkspaceSettings } from './workspace-store.js';

interface Update {
  slug: string;
  settings: Partial<WorkspaceSettings>;
  check: CheckCurrent<Workspace> | undefined;
}

/** Changes the settings of a workspace; the slug never changes. */
export async function updateWorkspace(
  ctx: Pick<WorkspaceContext, 'db' | 'workspaces'>,
  event: EventContext,
  { slug, settings, check }: Update,
): Promise<Workspace> {
  return ctx.db.transaction(async (tx) => {
    await ctx.workspaces.lockMembers(slug, tx.session);
    const before = await ctx.workspaces.findWorkspace(slug, tx.session);
    if (!before) throw missing('workspace', slug, '');
    check?.(before);
    const after = { ...before, ...settings };
    const changes = changesBetween(before, after);
    if (Object.keys(changes).length === 0) return before;
    await ctx.workspaces.setSettings(slug, settings, tx.session);
    const target = { type: 'workspace', id: slug, label: after.name };
    tx.emit(workspaceUpdated.create(event, { name: after.name }, { target, changes }));
    return after;
  });
}

function changesBetween(before: Workspace, after: Workspace): AuditChanges {
  const [from, to] = [before.requiresTwoFactor ?? false, after.requiresTwoFactor ?? false];
  return {
    ...(before.name !== after.name && { name: { from: before.name, to: after.name } }),
    ...(from !== to && { require_two_factor: { from, to } }),
  };
}
