import { UTM_KEYS, type LinkBody, type LinkStatus, type UtmDefaults } from '@waymark/shared/contract/links';
import type { LinkSnapshot } from '@waymark/shared/contract/events';

/** A link as it is stored. */
export interface Link {
  _id: string;
  workspace: string;
  /** The custom hostname it is served on; `null` is the default short host. */
  hostname: string | null;
  shortCode: string;
  /** Lower case: codes are unique without regard to case. */
  codeKey: string;
  title: string | null;
  destinationUrl: string;
  campaignTag: string | null;
  utmDefaults: UtmDefaults;
  status: LinkStatus;
  scansCount: number;
  lastScannedAt: Date | null;
  createdBy: string | null;
  archivedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
  /** Grows with every change that others must know of. */
  revision: number;
}

/** What a person can change, by its wire name: what the audit log shows. */
export const AUDITED = {
  short_code: 'shortCode',
  title: 'title',
  destination_url: 'destinationUrl',
  campaign_tag: 'campaignTag',
  utm_defaults: 'utmDefaults',
  status: 'status',
} as const satisfies Record<string, keyof Link>;

export const codeKey = (shortCode: string): string => shortCode.toLowerCase();

/** The code of a link, as `CodeStore` wants it. */
export function codeOf({ workspace, hostname, shortCode, _id }: Link) {
  return { workspace, hostname, shortCode, linkId: _id };
}

export const NO_UTM: UtmDefaults = Object.fromEntries(UTM_KEYS.map((key) => [key, null])) as UtmDefaults;

function hostOf(link: Link, shortBaseUrl: string): string {
  return link.hostname === null ? shortBaseUrl : `https://${link.hostname}`;
}

function shortUrl(link: Link, shortBaseUrl: string): string {
  return `${hostOf(link, shortBaseUrl)}/${link.shortCode}`;
}

/** Where a visit counts as the scan of a printed code. */
export function qrTriggerUrl(link: Link, shortBaseUrl: string): string {
  return `${hostOf(link, shortBaseUrl)}/q/${link.shortCode}`;
}

export function presentLink(link: Link, shortBaseUrl: string): LinkBody {
  return {
    id: link._id,
    short_code: link.shortCode,
    short_url: shortUrl(link, shortBaseUrl),
    title: link.title,
    destination_url: link.destinationUrl,
    campaign_tag: link.campaignTag,
    utm_defaults: link.utmDefaults,
    status: link.status,
    domain: null,
    folder_id: null,
    tags: [],
    scans_count: link.scansCount,
    last_scanned_at: link.lastScannedAt?.toISOString() ?? null,
    created_by: link.createdBy,
    archived_at: link.archivedAt?.toISOString() ?? null,
    created_at: link.createdAt.toISOString(),
    updated_at: link.updatedAt.toISOString(),
  };
}

export function snapshotOf(link: Link, shortBaseUrl: string): LinkSnapshot {
  return {
    id: link._id,
    revision: link.revision,
    hostname: link.hostname,
    short_code: link.shortCode,
    short_url: shortUrl(link, shortBaseUrl),
    title: link.title,
    destination_url: link.destinationUrl,
    campaign_tag: link.campaignTag,
    utm_defaults: link.utmDefaults,
    status: link.status,
    created_at: link.createdAt.toISOString(),
  };
}
