import { changesBetween } from '@waymark/contract/audit-changes';
import type { Transaction } from '@waymark/kernel/mongo/database';
import { missing } from '@waymark/kernel/errors';
import { runChange } from '../links/run-change.js';
import type { DeleteRequest } from './change-request.js';
import type { NamedItemContext } from './context.js';
import { eventDataOf, type NamedItem, type NamedItemKind } from './named-item.js';

/** Deletes an item. Links that refer to it lose only the reference. */
export async function deleteNamedItem<Item extends NamedItem, Body>(
  ctx: NamedItemContext<Item>,
  kind: NamedItemKind<Item, Body>,
  { workspace, event, signal, id, check }: DeleteRequest<Item>,
): Promise<void> {
  const { quota } = ctx.cap;
  await quota.prepareReservation(workspace, null);
  const remove = async (tx: Transaction) => {
    const deleted = await ctx.store.deleteItem(workspace, id, tx.session);
    if (!deleted) throw missing(kind.noun, id);
    check?.(deleted);
    await quota.releaseUnits({ owner: workspace }, tx.session);
    const target = { type: kind.target, id, label: deleted.name };
    const changes = changesBetween(kind.audited, deleted, null);
    tx.emit(kind.events.deleted.create(event, eventDataOf(deleted), { target, changes }));
    return deleted;
  };
  const item = await runChange(ctx, { workspace, signal }, remove);
  await ctx.detach?.(item);
}
