import type { ClientSession } from 'mongoose';
import { linkStatus } from '@waymark/contract/links';
import { invalidOption } from '@waymark/kernel/errors';
import type { Database } from '@waymark/kernel/mongo/database';
import type { Lease } from '@waymark/kernel/mongo/lease';
import type { Quota } from '@waymark/kernel/mongo/quota';
import type { DomainStore } from '../domains/domain-store.js';
import type { Drifts } from '../links/link-count-drifts.js';
import type { CountedField, LinkStore } from '../links/link-store.js';
import type { StatusCounts } from '../links/status-counts.js';
import type { Quotas } from '../organize/caps.js';
import type { OrganizeStores } from '../organize/stores.js';

export interface RecountContext extends OrganizeStores {
  db: Database;
  counts: StatusCounts;
  links: LinkStore;
  domains: DomainStore;
  quotas: Quotas;
  /** Prevents concurrent recounts of a workspace, which would correct it twice. */
  lease: Lease;
}

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
 * @throws AppError `validation_failed` for a workspace that this service does not know
 * @throws while another recount of the workspace runs
 */
export async function recount(ctx: RecountContext, workspace: string): Promise<object> {
  await checkIsKnown(ctx, workspace);
  let report = {};
  const isRun = await ctx.lease.run(LEASE_MS, async () => {
    report = await recountAll(ctx, { workspace, isDryRun: false });
  });
  if (!isRun) throw new Error(`another recount of the workspace ${workspace} is running`);
  return report;
}

/**
 * Returns what `recount` would correct.
 * @throws AppError `validation_failed` for a workspace that this service does not know
 */
export async function compareCounters(ctx: RecountContext, workspace: string): Promise<object> {
  await checkIsKnown(ctx, workspace);
  return recountAll(ctx, { workspace, isDryRun: true });
}

/** Rejects a workspace without counters and without anything to count: its name may be misspelled. */
async function checkIsKnown({ counts, quotas, links, ...stores }: RecountContext, workspace: string): Promise<void> {
  const { active, archived, total } = counts;
  for (const quota of [active, archived, total, ...Object.values(quotas)]) {
    if (await quota.hasRow(workspace)) return;
  }
  // Version 0.1.0 had no counters.
  if ((await links.countUpTo({ workspace, filter: {} }, 1)) > 0) return;
  for (const store of [stores.folders, stores.tags, stores.utmTemplates]) {
    if ((await store.countItems(workspace)) > 0) return;
  }
  throw invalidOption(
    'workspace',
    'The workspace does not exist, or has never had links, folders, tags or UTM templates.',
  );
}

interface Run {
  workspace: string;
  isDryRun: boolean;
}

async function recountAll(ctx: RecountContext, run: Run): Promise<object> {
  const { active, archived, total } = ctx.counts;
  const { folders, tags, utmTemplates: utm_templates } = ctx.quotas;
  const ofLinks = {
    quotas: { active, archived, total },
    count: (session: ClientSession) => countStatuses(ctx, run.workspace, session),
  };
  const ofItems = {
    quotas: { folders, tags, utm_templates },
    count: (session: ClientSession) => countItems(ctx, run.workspace, session),
  };
  return {
    workspace: run.workspace,
    dry_run: run.isDryRun,
    ...(await recountQuotas(ctx, run, ofLinks)),
    ...(await recountQuotas(ctx, run, ofItems)),
    folders_corrected: await recountContainers(ctx, run, { store: ctx.folders, field: 'folderId' }),
    tags_corrected: await recountContainers(ctx, run, { store: ctx.tags, field: 'tagIds' }),
    domains_corrected: await recountContainers(ctx, run, { store: ctx.domains, field: 'domainId' }),
  };
}

interface QuotaGroup<Name extends string> {
  quotas: Record<Name, Quota>;
  count: (session: ClientSession) => Promise<Record<Name, number>>;
}

async function recountQuotas<Name extends string>(
  { db }: RecountContext,
  { workspace, isDryRun }: Run,
  { quotas, count }: QuotaGroup<Name>,
): Promise<Record<Name, Correction>> {
  const entries = Object.entries(quotas) as [Name, Quota][];
  // Creates the row of a workspace that has none yet.
  if (!isDryRun) for (const [, quota] of entries) await quota.prepareReservation(workspace, null);
  const corrections = await db.transaction(async ({ session }) => {
    const counted = await count(session);
    const found = {} as Record<Name, Correction>;
    for (const [name, quota] of entries) {
      found[name] = { from: await quota.countUsed(workspace, session), to: counted[name] };
    }
    return found;
  });
  if (isDryRun) return corrections;
  for (const [name, quota] of entries)
    await quota.correctUsed(workspace, corrections[name].to - corrections[name].from);
  return corrections;
}

async function countStatuses({ links }: RecountContext, workspace: string, session: ClientSession) {
  const counted = await links.countByField('status', workspace, session);
  const counts = { active: 0, archived: 0, total: 0 };
  for (const status of linkStatus.options) {
    counts[status] = counted.get(status) ?? 0;
    counts.total += counts[status];
  }
  return counts;
}

const countItems = async (
  { folders, tags, utmTemplates }: RecountContext,
  workspace: string,
  session: ClientSession,
) => ({
  folders: await folders.countItems(workspace, session),
  tags: await tags.countItems(workspace, session),
  utm_templates: await utmTemplates.countItems(workspace, session),
});

interface CountedContainers {
  store: {
    findDrifts(workspace: string, counts: ReadonlyMap<string, number>, session: ClientSession): Promise<Drifts>;
    correctDrifts(drifts: Drifts): Promise<number>;
  };
  /** The field of a link that refers to them. */
  field: CountedField;
}

/** @returns the number of wrong link counters */
async function recountContainers(
  { db, links }: RecountContext,
  { workspace, isDryRun }: Run,
  { store, field }: CountedContainers,
): Promise<number> {
  const drifts = await db.transaction(async ({ session }) =>
    store.findDrifts(workspace, await links.countByField(field, workspace, session), session),
  );
  return isDryRun ? drifts.size : store.correctDrifts(drifts);
}
