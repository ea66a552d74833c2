import type { EventContext } from '@waymark/contract/event';
import { notFound } from '@waymark/kernel/errors';
import type { CheckCurrent } from '@waymark/kernel/http/conditional';
import type { ResourceContext } from '../context.js';
import type { Owner } from '../quota/owner.js';
import type { TaggedLink } from './link.js';
import { tagged } from './references.js';
import { saveLink } from './save-link.js';

export async function deleteLink(
  ctx: ResourceContext,
  event: EventContext,
  owner: Owner,
  id: string,
  check?: CheckCurrent<TaggedLink>,
): Promise<void> {
  await ctx.counts.total.prepareReservation(owner.slug, null);
  await ctx.changes.run(owner.slug, () =>
    ctx.db.transaction(async (tx) => {
      const before = await ctx.links.byId(owner.slug, id, tx.session);
      if (!before) throw notFound();
      check?.(await tagged(ctx, owner.slug, before, tx.session));
      await saveLink(ctx, tx, { owner, event, before, after: null });
    }),
  );
}
