import { hash } from 'node:crypto';
import { changesBetween } from '@waymark/contract/audit-changes';
import { isServing, type DomainBody, type DomainStatus } from '@waymark/contract/domains';
import type { AuditChanges } from '@waymark/contract/event';
import type { DomainSnapshot } from '@waymark/contract/events';
import { toUnicodeHostname } from '@waymark/contract/hostname';
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
  /** Absent, as are the fields below, in rows stored before domains had them. */
  rootUrl?: string | null;
  expiredUrl?: string | null;
  isIndexable?: boolean;
  /** JSON text, as it is served: a name in it may be none that a document can have. Not read for lists. */
  appleAppSiteAssociation?: string | null;
  assetlinks?: string | null;
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
const AUDITED_FIELDS = {
  hostname: 'hostname',
  status: 'status',
  root_url: 'rootUrl',
  not_found_url: 'notFoundUrl',
  expired_url: 'expiredUrl',
  indexable: 'isIndexable',
  apple_app_site_association: 'appleAppSiteAssociation',
  assetlinks: 'assetlinks',
} as const satisfies Record<string, keyof Domain>;

export const domainChanges = (before: Domain | null, after: Domain): AuditChanges =>
  changesBetween(AUDITED_FIELDS, before && asAudited(before), asAudited(after));

/** Hashes stand for the files, which can be longer than an entry. */
const asAudited = (domain: Domain): Domain => ({
  ...domain,
  isIndexable: domain.isIndexable ?? false,
  appleAppSiteAssociation: hashOf(domain.appleAppSiteAssociation),
  assetlinks: hashOf(domain.assetlinks),
});

const hashOf = (file: string | null = null): string | null => file && `sha256:${hash('sha256', file, 'hex')}`;

export const auditTarget = (domain: Domain) => ({ type: 'domain', id: domain._id, label: domain.hostname });

export function presentDomain(domain: Domain, cnameTarget: string): DomainBody {
  return {
    ...presentListedDomain(domain, cnameTarget),
    apple_app_site_association: parseFile<Record<string, unknown>>(domain.appleAppSiteAssociation),
    assetlinks: parseFile<Record<string, unknown>[]>(domain.assetlinks),
  };
}

const parseFile = <T>(file: string | null = null): T | null => (file === null ? null : (JSON.parse(file) as T));

/** Without the files: a list may have a thousand domains. */
export function presentListedDomain(domain: Domain, cnameTarget: string): DomainBody {
  return {
    id: domain._id,
    hostname: domain.hostname,
    hostname_unicode: toUnicodeHostname(domain.hostname),
    status: domain.status,
    dns: {
      txt: { name: challengeName(domain.hostname), value: domain.challenge },
      cname: { name: domain.hostname, target: cnameTarget },
    },
    root_url: domain.rootUrl ?? null,
    not_found_url: domain.notFoundUrl,
    expired_url: domain.expiredUrl ?? null,
    indexable: domain.isIndexable ?? false,
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
    root_url: domain.rootUrl ?? null,
    not_found_url: domain.notFoundUrl,
    expired_url: domain.expiredUrl ?? null,
    indexable: domain.isIndexable ?? false,
    apple_app_site_association: domain.appleAppSiteAssociation ?? null,
    assetlinks: domain.assetlinks ?? null,
  };
}

export const holdsHostname = ({ status }: Domain): boolean => isServing(status);
