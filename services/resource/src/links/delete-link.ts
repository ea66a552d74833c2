import { missing } from '@waymark/kernel/errors';
import type { CheckCurrent } from '@waymark/kernel/http/conditional';
import type { Author } from './change.js';
import type { ChangeContext } from './context.js';
import type { TaggedLink } from './link.js';
import { withTags } from './references.js';
import { runChange } from './run-change.js';
import { saveLinks } from './save-links.js';

interface Deletion extends Author {
  id: string;
  check: CheckCurrent<TaggedLink> | undefined;
}

export async function deleteLink(ctx: ChangeContext, { owner, event, signal, id, check }: Deletion): Promise<void> {
  await ctx.counts.total.prepareReservation(owner.slug, null);
  await runChange(ctx, { workspace: owner.slug, signal }, async (tx) => {
    const before = await ctx.links.findLink(owner.slug, id, tx.session);
    if (!before) throw missing(ctx.contentType.noun, id);
    check?.(await withTags(ctx, before, tx.session));
    await saveLinks(ctx, tx, { owner, event, changes: [{ before, after: null }] });
  });
}
