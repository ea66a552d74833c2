import { changesBetween } from '@waymark/contract/audit-changes';
import { newId } from '@waymark/contract/ids';
import { taken } from '@waymark/contract/problems';
import type { Transaction } from '@waymark/kernel/mongo/database';
import { invalid } from '@waymark/kernel/errors';
import { runChange } from '../links/run-change.js';
import type { CreateRequest } from './change-request.js';
import type { NamedItemContext } from './context.js';
import { eventDataOf, type NamedItem, type NamedItemKind } from './named-item.js';

export const nameTaken = () => invalid({ name: [taken('name')] });

export async function createNamedItem<Item extends NamedItem, Body>(
  ctx: NamedItemContext<Item>,
  kind: NamedItemKind<Item, Body>,
  { workspace, event, signal, body }: CreateRequest<Body & { name: string }>,
): Promise<Item> {
  const now = new Date();
  const named: NamedItem = {
    _id: newId(kind.idPrefix),
    workspace,
    name: body.name,
    nameKey: kind.nameKey(body.name),
    createdAt: now,
    updatedAt: now,
  };
  const item = kind.apply({ ...kind.blank, ...named } as Item, body);
  const { quota, max } = ctx.cap;
  await quota.prepareReservation(workspace, max);
  const insert = async (tx: Transaction) => {
    await quota.reserveUnits({ owner: workspace, limit: max }, tx.session);
    if ((await ctx.store.insertItem(item, tx.session)) === 'name_taken') throw nameTaken();
    const target = { type: kind.target, id: item._id, label: item.name };
    const changes = changesBetween(kind.audited, null, item);
    tx.emit(kind.events.created.create(event, eventDataOf(item), { target, changes }));
    return item;
  };
  return runChange(ctx, { workspace, signal }, insert);
}
