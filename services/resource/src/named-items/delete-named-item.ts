import { changesBetween } from '@waymark/shared/contract/audit-changes';
import type { EventContext } from '@waymark/shared/contract/event';
import { notFound } from '@waymark/shared/kernel/errors';
import type { ResourceContext } from '../context.js';
import type { NamedItem, NamedItemKind } from './named-item.js';

/** What refers to it loses the reference, and nothing else. */
export async function deleteNamedItem<Item extends NamedItem, Body>(
  ctx: ResourceContext,
  kind: NamedItemKind<Item, Body>,
  event: EventContext,
  workspace: string,
  id: string,
): Promise<void> {
  const item = await ctx.db.transaction(async (tx) => {
    const deleted = await kind.storeOf(ctx).delete(workspace, id, tx.session);
    if (!deleted) throw notFound();
    const target = { type: kind.target, id, label: deleted.name };
    const changes = changesBetween(kind.audited, deleted, null);
    tx.emit(kind.events.deleted.create(event, { id, name: deleted.name }, { target, changes }));
    return deleted;
  });
  await kind.detach?.(ctx, item);
}
