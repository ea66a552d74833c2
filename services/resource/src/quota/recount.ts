import type { ClientSession } from 'mongoose';
import type { Lease } from '@waymark/kernel/mongo/lease';
import type { Quota } from '@waymark/kernel/mongo/quota';
import { linkStatus } from '@waymark/contract/links';
import type { ResourceContext } from '../context.js';
import type { CountedField } from '../links/store.js';
import type { NamedQuotas } from './caps.js';
import type { Drifts } from './correct-counts.js';

type Context = Pick<ResourceContext, 'db' | 'counts' | 'links' | 'folders' | 'tags' | 'utmTemplates' | 'domains'> & {
  named: NamedQuotas;
  /** Prevents concurrent recounts of a workspace, which would correct it twice. */
  lease: Lease;
};

interface Correction {
  from: number;
  to: number;
}

const LEASE_MS = 60_000;

/**
 * Corrects the counters of a workspace: its links by status and in total, its folders, tags and templates, and the
 * links of each folder, tag and domain. A counter is wrong only after a manual change of the database, or next to an
 * older version.
 *
 * It compares each kind of counter with the counted rows in one snapshot, which locks nothing, and corrects it by the
 * difference: a concurrent change updates both alike.
 * @throws while another recount of the workspace runs
 */
export async function recount(ctx: Context, workspace: string): Promise<object> {
  const report: Record<string, unknown> = { workspace };
  const isRun = await ctx.lease.run(LEASE_MS, async () => {
    const { active, archived, total } = ctx.counts;
    Object.assign(report, await recountQuotas(ctx, workspace, { active, archived, total }, countStatuses));
    const { folders, tags, utmTemplates: utm_templates } = ctx.named;
    Object.assign(report, await recountQuotas(ctx, workspace, { folders, tags, utm_templates }, countNamed));
    report['folders_corrected'] = await recountHolders(ctx, workspace, ctx.folders, 'folderId');
    report['tags_corrected'] = await recountHolders(ctx, workspace, ctx.tags, 'tagIds');
    report['domains_corrected'] = await recountHolders(ctx, workspace, ctx.domains, 'domainId');
  });
  if (!isRun) throw new Error(`another recount of the workspace ${workspace} is running`);
  return report;
}

type Counts<Name extends string> = Record<Name, number>;

async function recountQuotas<Name extends string>(
  ctx: Context,
  workspace: string,
  quotas: Record<Name, Quota>,
  count: (ctx: Context, workspace: string, session: ClientSession) => Promise<Counts<Name>>,
): Promise<Record<Name, Correction>> {
  const entries = Object.entries(quotas) as [Name, Quota][];
  // Creates the row of a workspace that has none yet.
  for (const [, quota] of entries) await quota.prepareReservation(workspace, null);
  const corrections = await ctx.db.transaction(async ({ session }) => {
    const counted = await count(ctx, workspace, session);
    const found = {} as Record<Name, Correction>;
    for (const [name, quota] of entries) {
      found[name] = { from: await quota.countUsed(workspace, session), to: counted[name] };
    }
    return found;
  });
  for (const [name, quota] of entries)
    await quota.correctUsed(workspace, corrections[name].to - corrections[name].from);
  return corrections;
}

async function countStatuses({ links }: Context, workspace: string, session: ClientSession) {
  const counted = await links.countBy('status', workspace, session);
  const counts = { active: 0, archived: 0, total: 0 };
  for (const status of linkStatus.options) {
    counts[status] = counted.get(status) ?? 0;
    counts.total += counts[status];
  }
  return counts;
}

const countNamed = async ({ folders, tags, utmTemplates }: Context, workspace: string, session: ClientSession) => ({
  folders: await folders.count(workspace, session),
  tags: await tags.count(workspace, session),
  utm_templates: await utmTemplates.count(workspace, session),
});

interface Holders {
  findDrifts(workspace: string, counts: ReadonlyMap<string, number>, session: ClientSession): Promise<Drifts>;
  correctDrifts(drifts: Drifts): Promise<number>;
}

/** @returns the number of wrong link counters */
async function recountHolders(
  { db, links }: Context,
  workspace: string,
  holders: Holders,
  field: CountedField,
): Promise<number> {
  const drifts = await db.transaction(async ({ session }) =>
    holders.findDrifts(workspace, await links.countBy(field, workspace, session), session),
  );
  return holders.correctDrifts(drifts);
}
