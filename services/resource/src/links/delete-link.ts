import type { EventContext } from '@waymark/shared/contract/event';
import { linkDeleted } from '@waymark/shared/contract/events';
import { notFound } from '@waymark/shared/kernel/errors';
import type { ResourceContext } from '../context.js';
import { codeOf, snapshotOf } from './link.js';

export async function deleteLink(ctx: ResourceContext, event: EventContext, workspace: string, id: string) {
  await ctx.db.transaction(async (tx) => {
    const link = await ctx.links.delete(workspace, id, tx.session);
    if (!link) throw notFound();
    await ctx.codes.release(codeOf(link), tx.session);
    const last = { ...link, revision: link.revision + 1 };
    const target = { type: 'link', id: link._id, label: link.title ?? link.shortCode };
    tx.emit(linkDeleted.create(event, { link: snapshotOf(last, ctx.config.SHORT_BASE_URL) }, { target, changes: {} }));
  });
}
