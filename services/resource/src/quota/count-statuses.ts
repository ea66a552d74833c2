import type { ClientSession } from 'mongoose';
import { linkStatus, type LinkStatus } from '@waymark/shared/contract/links';
import type { Database } from '@waymark/shared/kernel/database';
import { Quota } from '@waymark/shared/kernel/quota';
import type { Kind } from '../links/kind.js';
import type { LinkStore } from '../links/store.js';
import type { Owner } from './owner.js';

/** How many links of each status a workspace has; only of active ones a plan may allow too few. */
export type Counts = Record<LinkStatus, Quota>;

export function countsOf(db: Database, { counted }: Kind, links: LinkStore): Counts {
  const countOf = (status: LinkStatus) =>
    new Quota(db, counted[status], (workspace) => links.count(workspace, { status }));
  return { active: countOf('active'), archived: countOf('archived') };
}

const limitOf = ({ plan }: Owner, status: LinkStatus): number | null => (status === 'active' ? plan.activeLinks : null);

/** To be called before a transaction that brings a link to this status. @throws AppError as `countStatuses` does */
export function openCount(counts: Counts, owner: Owner, status: LinkStatus): Promise<void> {
  return counts[status].open(owner.slug, limitOf(owner, status));
}

interface HasStatus {
  status: LinkStatus;
}

/** @throws AppError `validation_failed` where the plan has no room for so many more active links */
export async function countStatuses(
  counts: Counts,
  owner: Owner,
  changes: readonly { before: HasStatus | null; after: HasStatus | null }[],
  session: ClientSession,
): Promise<void> {
  // In one order: two changes that count in both places do not lock each other out.
  for (const status of linkStatus.options) {
    const by = changes.reduce(
      (sum, { before, after }) => sum + Number(after?.status === status) - Number(before?.status === status),
      0,
    );
    if (by > 0) await counts[status].take(owner.slug, limitOf(owner, status), session, by);
    if (by < 0) await counts[status].giveBack(owner.slug, session, -by);
  }
}
