import type { DomainStatus } from '@waymark/contract/domains';
import { domainDegraded, domainFailed, domainVerified } from '@waymark/contract/events';
import type { Database, Transaction } from '@waymark/kernel/mongo/database';
import { isDuplicateKey } from '@waymark/kernel/errors';
import { findLoopingUrls, type ServedHosts } from '../domains/redirect-loop.js';
import { auditTarget, domainChanges, domainSnapshot, holdsHostname, type Domain } from '../domains/domain.js';
import { evaluateCheck } from './evaluate-check.js';
import type { Schedule } from './schedule.js';
import type { Finding } from '../dns/look-up.js';

export interface RecordContext extends ServedHosts {
  db: Database;
  schedule: Schedule;
}

const ATTEMPTS_MAX = 5;

/** Other statuses have no event: other services do not need to know about a first check. */
const EVENT_BY_STATUS: Partial<Record<DomainStatus, typeof domainVerified>> = {
  verified: domainVerified,
  degraded: domainDegraded,
  failed: domainFailed,
};

const SERVED_ELSEWHERE: Finding = { kind: 'unknown', reason: 'The hostname is verified in another workspace.' };

/**
 * Stores the result of a check, with an event when the status changes. Ignores an outdated check and one of a deleted
 * domain.
 * @returns the updated domain, or null when the check was ignored
 */
export async function recordCheck(ctx: RecordContext, claimed: Domain, finding: Finding): Promise<Domain | null> {
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

async function tryRecord(
  ctx: RecordContext,
  tx: Transaction,
  { claimed, finding, now }: Check,
): Promise<Domain | null> {
  const before = await ctx.domains.domainById(claimed.workspace, claimed._id, tx.session);
  if (!before || !isCurrent(claimed, before)) return null;
  const isTaken =
    finding.kind === 'found' &&
    !holdsHostname(before) &&
    (await ctx.domains.servingDomain(before.hostname, tx.session));
  const evaluated = evaluateCheck(before, { finding: isTaken ? SERVED_ELSEWHERE : finding, now }, ctx.schedule);
  // While a newer check is pending or running, this one does not schedule the next.
  const nextCheckAt = isNewest(claimed, before) ? evaluated.nextCheckAt : before.nextCheckAt;
  const after = { ...evaluated, checkedNo: claimed.checkNo, nextCheckAt };
  // The host of a URL may have begun to serve since it was set, which could cause a redirect loop.
  const beginsToServe = holdsHostname(after) && !holdsHostname(before);
  const looping = beginsToServe ? await findLoopingUrls(ctx, after, tx.session) : [];
  for (const field of looping) after[field] = null;
  const definition = after.status === before.status ? undefined : EVENT_BY_STATUS[after.status];
  if (definition) {
    after.revision = before.revision + 1;
    const audit = { target: auditTarget(after), changes: domainChanges(before, after) };
    tx.emit(definition.create({ workspace: after.workspace }, { domain: domainSnapshot(after) }, audit));
  }
  await ctx.domains.replaceDomain(after, tx.session);
  return after;
}

/**
 * The newest check counts. For a domain that serves, so does each check that is newer than the recorded one: otherwise
 * a workspace could keep a lost hostname by requesting checks faster than name servers answer.
 */
const isCurrent = (claimed: Domain, before: Domain): boolean =>
  isNewest(claimed, before) || (holdsHostname(before) && claimed.checkNo > before.checkedNo);

const isNewest = (claimed: Domain, before: Domain): boolean => claimed.checkNo === before.checkNo;
