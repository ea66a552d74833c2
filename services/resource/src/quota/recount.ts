import { linkStatus, type LinkStatus } from '@waymark/shared/contract/links';
import type { ResourceContext } from '../context.js';

interface Report extends Record<LinkStatus, { from: number; to: number }> {
  workspace: string;
  folders_corrected: number;
  tags_corrected: number;
  domains_corrected: number;
}

/**
 * Puts right what is counted of a workspace: its active and archived links, and the links of each folder, tag
 * and domain. Nothing is wrong unless somebody changed the database by hand.
 */
export async function recount(
  ctx: Pick<ResourceContext, 'db' | 'counts' | 'links' | 'folders' | 'tags' | 'domains'>,
  workspace: string,
): Promise<Report> {
  const before = await countsBefore(ctx, workspace);
  return ctx.db.transaction(async ({ session }) => {
    // Written before anything is counted: who counts meanwhile waits, or begins again.
    for (const status of linkStatus.options) await ctx.counts[status].set(workspace, 0, session);
    const counted = await ctx.links.recount(workspace, session);
    for (const status of linkStatus.options) {
      await ctx.counts[status].set(workspace, counted.status.get(status) ?? 0, session);
    }
    const change = (status: LinkStatus) => ({ from: before[status], to: counted.status.get(status) ?? 0 });
    return {
      workspace,
      active: change('active'),
      archived: change('archived'),
      folders_corrected: await ctx.folders.setCounts(workspace, counted.folders, session),
      tags_corrected: await ctx.tags.setCounts(workspace, counted.tags, session),
      domains_corrected: await ctx.domains.setCounts(workspace, counted.domains, session),
    };
  });
}

async function countsBefore({ counts }: Pick<ResourceContext, 'counts'>, workspace: string) {
  // The rows of a workspace that has never had a link come to be here.
  for (const status of linkStatus.options) await counts[status].open(workspace, null);
  return { active: await counts.active.used(workspace), archived: await counts.archived.used(workspace) };
}
