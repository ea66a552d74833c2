import type { EventContext } from '@waymark/shared/contract/event';
import { notFound } from '@waymark/shared/kernel/errors';
import type { ResourceContext } from '../context.js';
import type { Owner } from '../quota/owner.js';
import { saveLink } from './save-link.js';

export async function deleteLink(ctx: ResourceContext, event: EventContext, owner: Owner, id: string): Promise<void> {
  await ctx.counts.total.open(owner.slug, null);
  await ctx.turns.run(owner.slug, () =>
    ctx.db.transaction(async (tx) => {
      const before = await ctx.links.byId(owner.slug, id, tx.session);
      if (!before) throw notFound();
      await saveLink(ctx, tx, { owner, event, before, after: null });
    }),
  );
}
