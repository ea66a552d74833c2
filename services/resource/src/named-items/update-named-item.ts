import { changesBetween } from '@waymark/contract/audit-changes';
import type { EventContext } from '@waymark/contract/event';
import { notFound } from '@waymark/kernel/errors';
import type { CheckCurrent } from '@waymark/kernel/http/conditional';
import type { ResourceContext } from '../context.js';
import { nameTaken } from './create-named-item.js';
import type { NamedItem, NamedItemKind } from './named-item.js';

export async function updateNamedItem<Item extends NamedItem, Body extends { name?: string }>(
  ctx: ResourceContext,
  kind: NamedItemKind<Item, Body>,
  event: EventContext,
  workspace: string,
  { id, body, check }: { id: string; body: Partial<Body>; check: CheckCurrent<Item> | undefined },
): Promise<Item> {
  const store = kind.storeOf(ctx);
  return ctx.db.transaction(async (tx) => {
    const before = await store.byId(workspace, id, tx.session);
    if (!before) throw notFound();
    check?.(before);
    const { name = before.name } = body;
    const after = kind.apply({ ...before, name, nameKey: kind.nameKey(name), updatedAt: new Date() }, body);
    const changes = changesBetween(kind.audited, before, after);
    if (Object.keys(changes).length === 0) return before;
    if ((await store.update(after, tx.session)) === 'name_taken') throw nameTaken();
    const target = { type: kind.target, id, label: after.name };
    tx.emit(kind.events.updated.create(event, { id, name: after.name }, { target, changes }));
    return after;
  });
}
