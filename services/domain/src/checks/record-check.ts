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
 * Writes down what a check has found, with an event where the status changes. A check that is no longer the newest of its
 * domain, or whose domain is gone, changes nothing.
 * @returns the domain as it is now, or null where it changed nothing
 */
export async function recordCheck(ctx: CheckContext, claimed: Domain, finding: Finding): Promise<Domain | null> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    try {
      return await ctx.db.transaction((tx) => tryRecord(ctx, tx, claimed, finding));
    } catch (error) {
      // Another workspace was first to prove the hostname, in this very moment.
      if (!isDuplicateKey(error)) throw error;
    }
  }
  throw new Error(`the check of ${claimed._id} could not be recorded in ${ATTEMPTS_MAX} attempts`);
}

async function tryRecord(
  ctx: CheckContext,
  tx: Transaction,
  claimed: Domain,
  finding: Finding,
): Promise<Domain | null> {
  const before = await ctx.domains.byCheck(claimed, tx.session);
  if (!before) return null;
  const isTaken =
    finding.kind === 'found' && !isHeld(before) && (await ctx.domains.holderOf(before.hostname, tx.session));
  const after = judge(before, isTaken ? HELD_BY_ANOTHER : finding, new Date(), ctx.schedule);
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
