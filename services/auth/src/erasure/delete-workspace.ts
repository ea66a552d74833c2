import { workspaceDeleted } from '@waymark/contract/erasures';
import { missing } from '@waymark/kernel/errors';
import type { CheckCurrent } from '@waymark/kernel/http/conditional';
import type { Workspace } from '../workspaces/workspace-store.js';
import type { ErasureContext } from './context.js';

interface Deletion {
  slug: string;
  /** The id of the owner who deletes it; `null` for the operator. */
  orderedBy: string | null;
  check?: CheckCurrent<Workspace>;
}

/**
 * Deletes a workspace. From the next request on no member and no token has access; every service erases the rest in
 * the background.
 */
export async function deleteWorkspace(ctx: ErasureContext, { slug, orderedBy, check }: Deletion): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const deleted = await ctx.workspaces.deleteWorkspace(slug, tx.session);
    if (!deleted) throw missing('workspace', slug, '');
    check?.(deleted.workspace);
    const tokens = await ctx.tokens.deleteTokens({ workspace: slug }, tx.session);
    await ctx.orders.insertOrder({ kind: 'workspace', subject: slug, orderedBy }, tx.session);
    await ctx.erasures.insertErasure(
      { kind: 'workspace', subject: slug },
      { memberships: deleted.memberCount, tokens },
      tx.session,
    );
    // Names no person: services keep the order for a while.
    tx.emit(workspaceDeleted.create({ workspace: slug }, { slug }));
  });
}
