import type { Quota } from '@waymark/shared/kernel/quota';
import { linkStatus } from '@waymark/shared/contract/links';
import type { ResourceContext } from '../context.js';
import type { NamedQuotas } from './caps.js';

type Context = Pick<ResourceContext, 'db' | 'counts' | 'links' | 'folders' | 'tags' | 'utmTemplates' | 'domains'> & {
  named: NamedQuotas;
};

interface Correction {
  from: number;
  to: number;
}

/**
 * Corrects the counters of a workspace: its links by status and in all, its folders, tags and templates, and the links of
 * each folder, tag and domain. A counter is wrong only after a change of the database by hand, or beside an older version.
 */
export async function recount(ctx: Context, workspace: string) {
  const quotas = quotasOf(ctx);
  const before = await countsBefore(quotas, workspace);
  return ctx.db.transaction(async ({ session }) => {
    // Written before anything is counted: a concurrent change waits, or begins again.
    for (const quota of Object.values(quotas)) await quota.set(workspace, 0, session);
    const counted = await ctx.links.recount(workspace, session);
    const counts: Record<string, number> = {
      total: 0,
      folders: await ctx.folders.count(workspace, session),
      tags: await ctx.tags.count(workspace, session),
      utm_templates: await ctx.utmTemplates.count(workspace, session),
    };
    for (const status of linkStatus.options) {
      counts[status] = counted.status.get(status) ?? 0;
      counts['total']! += counts[status];
    }
    const corrections: Record<string, Correction> = {};
    for (const [name, quota] of Object.entries(quotas)) {
      await quota.set(workspace, counts[name]!, session);
      corrections[name] = { from: before[name]!, to: counts[name]! };
    }
    return {
      workspace,
      ...corrections,
      folders_corrected: await ctx.folders.setCounts(workspace, counted.folders, session),
      tags_corrected: await ctx.tags.setCounts(workspace, counted.tags, session),
      domains_corrected: await ctx.domains.setCounts(workspace, counted.domains, session),
    };
  });
}

/** By their names in the report. */
function quotasOf({ counts, named }: Context): Record<string, Quota> {
  const { active, archived, total } = counts;
  return { active, archived, total, folders: named.folders, tags: named.tags, utm_templates: named.utmTemplates };
}

async function countsBefore(quotas: Record<string, Quota>, workspace: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [name, quota] of Object.entries(quotas)) {
    // Creates the row of a workspace that has none yet.
    await quota.open(workspace, null);
    counts[name] = await quota.used(workspace);
  }
  return counts;
}
