import { isServing, type DomainBody, type DomainStatus } from '@waymark/contract/domains';
import type { DomainSnapshot } from '@waymark/contract/events';
import { challengeName } from './challenge.js';

/** A custom domain as it is stored. */
export interface Domain {
  _id: string;
  workspace: string;
  hostname: string;
  /** The value of the TXT record that proves ownership; a new one for each registration. */
  challenge: string;
  status: DomainStatus;
  /** When this status began; for a pending or verifying domain, when its verification began. */
  statusSince: Date;
  notFoundUrl: string | null;
  verifiedAt: Date | null;
  lastCheckedAt: Date | null;
  lastError: string | null;
  /** Checks since its verification began. */
  checks: number;
  /** Consecutive checks with an authoritative answer that the record is missing. */
  misses: number;
  /** When its last check began. */
  lookedUpAt?: Date;
  /** Absent when no further check is scheduled. */
  nextCheckAt?: Date;
  /** Incremented when a check is claimed or requested: see `recordCheck`. */
  checkNo: number;
  /** Number of the newest recorded check. */
  checkedNo: number;
  createdBy: string | null;
  createdAt: Date;
  /** Incremented with every change that is published. */
  revision: number;
}

/** User-visible fields by their wire names, as the audit log shows them. */
export const AUDITED_FIELDS = {
  hostname: 'hostname',
  status: 'status',
  not_found_url: 'notFoundUrl',
} as const satisfies Record<string, keyof Domain>;

export const auditTarget = (domain: Domain) => ({ type: 'domain', id: domain._id, label: domain.hostname });

export function presentDomain(domain: Domain, cnameTarget: string): DomainBody {
  return {
    id: domain._id,
    hostname: domain.hostname,
    status: domain.status,
    dns: {
      txt: { name: challengeName(domain.hostname), value: domain.challenge },
      cname: { name: domain.hostname, target: cnameTarget },
    },
    not_found_url: domain.notFoundUrl,
    last_checked_at: domain.lastCheckedAt?.toISOString() ?? null,
    last_error: domain.lastError,
    verified_at: domain.verifiedAt?.toISOString() ?? null,
    created_at: domain.createdAt.toISOString(),
  };
}

export function domainSnapshot(domain: Domain): DomainSnapshot {
  return {
    id: domain._id,
    revision: domain.revision,
    hostname: domain.hostname,
    status: domain.status,
    not_found_url: domain.notFoundUrl,
  };
}

export const holdsHostname = ({ status }: Domain): boolean => isServing(status);
