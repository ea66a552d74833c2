import type { DomainStatus } from '@waymark/contract/domains';
import type { Domain } from '../domains/domain.js';
import type { Finding } from '../dns/look-up.js';
import { nextCheckAfter, type Schedule } from './schedule.js';

interface CheckResult {
  finding: Finding;
  now: Date;
}

/** Computes the state of a domain after a check, without any I/O. */
export function evaluateCheck(before: Domain, { finding, now }: CheckResult, schedule: Schedule): Domain {
  const counted = { ...before, checks: before.checks + 1, misses: missesAfter(before, finding) };
  const status = statusAfter(counted, { finding, now }, schedule);
  const after: Domain = {
    ...counted,
    status,
    statusSince: keepsStatusSince(before.status, status) ? before.statusSince : now,
    verifiedAt: status === 'verified' && before.status !== 'verified' ? now : before.verifiedAt,
    lastCheckedAt: now,
    lastError: finding.kind === 'found' ? null : finding.reason,
  };
  return { ...after, nextCheckAt: nextCheckAfter(after, now, schedule) };
}

/** An inconclusive answer neither counts as a miss nor resets the misses. */
function missesAfter({ misses }: Domain, { kind }: Finding): number {
  if (kind === 'found') return 0;
  return kind === 'missing' ? misses + 1 : misses;
}

function statusAfter(domain: Domain, { finding, now }: CheckResult, schedule: Schedule): DomainStatus {
  const { kind } = finding;
  if (kind === 'found') return 'verified';
  const ageMs = now.getTime() - domain.statusSince.getTime();
  switch (domain.status) {
    case 'pending':
    case 'verifying':
      return ageMs >= schedule.verifyWithinMs ? 'failed' : 'verifying';
    case 'verified':
      return kind === 'missing' ? 'degraded' : 'verified';
    case 'degraded':
      return kind === 'missing' && domain.misses >= schedule.lostAfterMisses && ageMs >= schedule.lostAfterMs
        ? 'failed'
        : 'degraded';
    case 'failed':
      return 'failed';
  }
}

/** The first check of a verification does not restart its time. */
const keepsStatusSince = (before: DomainStatus, after: DomainStatus): boolean =>
  before === after || (before === 'pending' && after === 'verifying');
