import { changesBetween } from '@waymark/contract/audit-changes';
import type { DomainStatus } from '@waymark/contract/domains';
import { domainDegraded, domainFailed, domainVerified } from '@waymark/contract/events';
import type { Transaction } from '@waymark/kernel/mongo/database';
import { isDuplicateKey } from '@waymark/kernel/errors';
import { leadsToUs } from '../domains/check-not-found-url.js';
import { AUDITED, auditTargetOf, isHeld, snapshotOf, type Domain } from '../domains/domain.js';
import type { CheckContext } from './checker.js';
import { judge } from './judge.js';
import type { Finding } from './look-up.js';

const ATTEMPTS_MAX = 5;

/** Other statuses have no event: other services do not need to know about a first check. */
const EVENT_OF: Partial<Record<DomainStatus, typeof domainVerified>> = {
  verified: domainVerified,
  degraded: domainDegraded,
  failed: domainFailed,
};

const HELD_BY_ANOTHER: Finding = { kind: 'unknown', reason: 'The hostname is verified in another workspace.' };

/**
 * Stores the result of a check, with an event when the status changes. Ignores an outdated check and one of a deleted
 * domain.
 * @returns the updated domain, or null when the check was ignored
 */
export async function recordCheck(ctx: CheckContext, claimed: Domain, finding: Finding): Promise<Domain | null> {
  // The database's time: a process whose clock is ahead must not declare a record lost.
  const now = await ctx.db.now();
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    try {
      return await ctx.db.transaction((tx) => tryRecord(ctx, tx, { claimed, finding, now }));
    } catch (error) {
      // Another workspace has verified the hostname at the same moment.
      if (!isDuplicateKey(error)) throw error;
    }
  }
  throw new Error(`the check of ${claimed._id} could not be recorded in ${ATTEMPTS_MAX} attempts`);
}

interface Check {
  claimed: Domain;
  finding: Finding;
  now: Date;
}

async function tryRecord(ctx: CheckContext, tx: Transaction, { claimed, finding, now }: Check): Promise<Domain | null> {
  const before = await ctx.domains.byId(claimed.workspace, claimed._id, tx.session);
  if (!before || !counts(claimed, before)) return null;
  const isTaken =
    finding.kind === 'found' && !isHeld(before) && (await ctx.domains.holderOf(before.hostname, tx.session));
  const judged = judge(before, isTaken ? HELD_BY_ANOTHER : finding, now, ctx.schedule);
  // While a newer check is pending or running, this one does not schedule the next.
  const nextCheckAt = isNewest(claimed, before) ? judged.nextCheckAt : before.nextCheckAt;
  const after = { ...judged, checkedNo: claimed.checkNo, nextCheckAt };
  // The host of the URL may have become one of ours since it was set, which could cause a redirect loop.
  const beginsToServe = isHeld(after) && !isHeld(before);
  if (beginsToServe && after.notFoundUrl && (await leadsToUs(ctx, after, after.notFoundUrl, tx.session))) {
    after.notFoundUrl = null;
  }
  const definition = after.status === before.status ? undefined : EVENT_OF[after.status];
  if (definition) {
    after.revision = before.revision + 1;
    const audit = { target: auditTargetOf(after), changes: changesBetween(AUDITED, before, after) };
    tx.emit(definition.create({ workspace: after.workspace }, { domain: snapshotOf(after) }, audit));
  }
  await ctx.domains.update(after, tx.session);
  return after;
}

/**
 * The newest check counts. For a domain that serves, so does each check that is newer than the recorded one: otherwise
 * a workspace could keep a lost hostname by requesting checks faster than name servers answer.
 */
const counts = (claimed: Domain, before: Domain): boolean =>
  isNewest(claimed, before) || (isHeld(before) && claimed.checkNo > before.checkedNo);

const isNewest = (claimed: Domain, before: Domain): boolean => claimed.checkNo === before.checkNo;
