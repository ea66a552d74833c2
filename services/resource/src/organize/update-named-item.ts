import { changesBetween } from '@waymark/contract/audit-changes';
import { missing } from '@waymark/kernel/errors';
import type { Transaction } from '@waymark/kernel/mongo/database';
import { runChange } from '../links/run-change.js';
import type { UpdateRequest } from './change-request.js';
import type { NamedItemContext } from './context.js';
import { nameTaken } from './create-named-item.js';
import { eventDataOf, type NamedItem, type NamedItemKind } from './named-item.js';

export async function updateNamedItem<Item extends NamedItem, Body extends { name?: string }>(
  ctx: NamedItemContext<Item>,
  kind: NamedItemKind<Item, Body>,
  { workspace, event, signal, id, body, check }: UpdateRequest<Item, Partial<Body>>,
): Promise<Item> {
  const store = ctx.store;
  const update = async (tx: Transaction) => {
    const before = await store.findItem(workspace, id, tx.session);
    if (!before) throw missing(kind.noun, id);
    check?.(before);
    const { name = before.name } = body;
    const after = kind.apply({ ...before, name, nameKey: kind.nameKey(name), updatedAt: new Date() }, body);
    const changes = changesBetween(kind.audited, before, after);
    if (Object.keys(changes).length === 0) return before;
    if ((await store.updateItem(after, tx.session)) === 'name_taken') throw nameTaken();
    const target = { type: kind.target, id, label: after.name };
    tx.emit(kind.events.updated.create(event, eventDataOf(after), { target, changes }));
    return after;
  };
  return runChange(ctx, { workspace, signal }, update);
}
