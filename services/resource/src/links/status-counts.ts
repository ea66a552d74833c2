import type { ClientSession } from 'mongoose';
import { linkStatus, type LinkStatus } from '@waymark/contract/links';
import type { Database } from '@waymark/kernel/mongo/database';
import { Quota } from '@waymark/kernel/mongo/quota';
import type { ContentType } from './content-type.js';
import type { Link } from './link.js';
import type { LinkStore } from './link-store.js';
import type { Change, Owner } from './change.js';

/** The counters of a workspace's links: for each status, and in total. */
export interface StatusCounts extends Record<LinkStatus, Quota> {
  total: Quota;
  /** The limit of a workspace on every plan. */
  totalMax: number;
}

interface CountSources {
  db: Database;
  contentType: ContentType;
  links: LinkStore;
}

export function createStatusCounts({ db, contentType, links }: CountSources, totalMax: number): StatusCounts {
  const { counted } = contentType;
  const countOf = (status: LinkStatus) =>
    new Quota(db, counted[status], (workspace) => links.countAll(workspace, { status }));
  const [active, archived] = [countOf('active'), countOf('archived')];
  const sum = (workspace: string) =>
    // One snapshot, so that a link that changes its status meanwhile is counted once.
    db.transaction(
      async ({ session }) =>
        (await active.countUsed(workspace, session)) + (await archived.countUsed(workspace, session)),
    );
  return { active, archived, total: new Quota(db, counted.total, sum), totalMax };
}

/** Only the total limits archived links. */
const limitOf = ({ plan }: Owner, status: LinkStatus): number | null => (status === 'active' ? plan.activeLinks : null);

const TOTAL_FACTOR = 10;

/** Returns ten links in any status for each active one that the plan allows, up to `totalMax`. */
export function totalLimitOf({ totalMax }: StatusCounts, { plan }: Pick<Owner, 'plan'>): number {
  return plan.activeLinks === null ? totalMax : Math.min(TOTAL_FACTOR * plan.activeLinks, totalMax);
}

/** Call it before a transaction that creates a link. @throws AppError as `updateStatusCounts` does */
export async function prepareStatusCounts(counts: StatusCounts, owner: Owner, status: LinkStatus): Promise<void> {
  await counts[status].prepareReservation(owner.slug, limitOf(owner, status));
  await counts.total.prepareReservation(owner.slug, totalLimitOf(counts, owner));
}

/** Call it before a transaction that may change the status of links, and checks the limits itself. */
export async function prepareAllStatusCounts(counts: StatusCounts, workspace: string): Promise<void> {
  for (const status of linkStatus.options) await counts[status].prepareReservation(workspace, null);
  await counts.total.prepareReservation(workspace, null);
}

/** @throws AppError `validation_failed` if the changes exceed a limit */
export async function updateStatusCounts(
  counts: StatusCounts,
  { owner, changes }: { owner: Owner; changes: readonly Change[] },
  session: ClientSession,
): Promise<void> {
  const move = async (quota: Quota, limit: number | null, isCounted: (link: Link | null) => boolean) => {
    const difference = changes.reduce(
      (sum, { before, after }) => sum + Number(isCounted(after)) - Number(isCounted(before)),
      0,
    );
    if (difference > 0) await quota.reserveUnits({ owner: owner.slug, limit, count: difference }, session);
    if (difference < 0) await quota.releaseUnits({ owner: owner.slug, count: -difference }, session);
  };
  // In a fixed order, so that changes that update several counters do not deadlock.
  for (const status of linkStatus.options) {
    await move(counts[status], limitOf(owner, status), (link) => link?.status === status);
  }
  await move(counts.total, totalLimitOf(counts, owner), (link) => link !== null);
}
