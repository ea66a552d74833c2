import { changesBetween } from '@waymark/shared/contract/audit-changes';
import type { DomainStatus } from '@waymark/shared/contract/domains';
import { domainDegraded, domainFailed, domainVerified } from '@waymark/shared/contract/events';
import type { Transaction } from '@waymark/shared/kernel/database';
import { isDuplicateKey } from '@waymark/shared/kernel/errors';
import { leadsToUs } from '../domains/check-not-found-url.js';
import { AUDITED, auditTargetOf, isHeld, snapshotOf, type Domain } from '../domains/domain.js';
import type { CheckContext } from './checker.js';
import { judge } from './judge.js';
import type { Finding } from './look-up.js';

const ATTEMPTS_MAX = 5;

/** Nobody else needs to know that a first check was made. */
const EVENT_OF: Partial<Record<DomainStatus, typeof domainVerified>> = {
  verified: domainVerified,
  degraded: domainDegraded,
  failed: domainFailed,
};

const HELD_BY_ANOTHER: Finding = { kind: 'unknown', reason: 'The hostname is verified in another workspace.' };

/**
 * Writes down what a check has found, with an event where the status changes. One that does not count any more, or whose
 * domain is gone, changes nothing.
 * @returns the domain as it is now, or null where it changed nothing
 */
export async function recordCheck(ctx: CheckContext, claimed: Domain, finding: Finding): Promise<Domain | null> {
  // That of the database: a process whose clock is ahead must not take a host for lost.
  const now = await ctx.db.now();
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    try {
      return await ctx.db.transaction((tx) => tryRecord(ctx, tx, { claimed, finding, now }));
    } catch (error) {
      // Another workspace was first to prove the hostname, in this very moment.
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
  // Beside a newer one, which is to be made or under way, it does not say when the next one is.
  const nextCheckAt = isNewest(claimed, before) ? judged.nextCheckAt : before.nextCheckAt;
  const after = { ...judged, checkedNo: claimed.checkNo, nextCheckAt };
  // What was a stranger's host when it was set may be one of ours by now, and lead back here.
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
 * The newest check does, and of a domain that is held each that is newer than what was written down: nobody keeps a host
 * by asking for checks faster than name servers answer.
 */
const counts = (claimed: Domain, before: Domain): boolean =>
  isNewest(claimed, before) || (isHeld(before) && claimed.checkNo > before.checkedNo);

const isNewest = (claimed: Domain, before: Domain): boolean => claimed.checkNo === before.checkNo;
