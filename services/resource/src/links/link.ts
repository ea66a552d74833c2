import { hash } from 'node:crypto';
import type { LinkSnapshot } from '@waymark/contract/events';
import { unicodeShortUrl } from '@waymark/contract/hostname';
import {
  DEFAULT_QUERY_POLICY,
  UTM_KEYS,
  type Blocked,
  type LinkBody,
  type LinkStatus,
  type QueryPolicy,
  type UtmDefaults,
} from '@waymark/contract/links';
import { DEFAULT_REDIRECT_STATUS, type RedirectStatus } from '@waymark/contract/visit-fields';
import type { QrCodeBody } from '@waymark/contract/qr-codes';
import { DEFAULT_QR_STYLE, drawnStyle, type QrStyle } from '@waymark/contract/qr-style';
import type { Block } from './block.js';
import { addressKey, type LinkAddress } from './code-store.js';
import { availabilityOf } from './availability.js';
import { endFieldsOf, type EndFields } from './end.js';
import type { LinkTag } from './ports.js';
import { wordsIn } from './search-words.js';

/** A stored link, or a QR code, which is a link with a style. */
export interface Link extends LinkAddress, Partial<EndFields> {
  _id: string;
  workspace: string;
  /** The custom domain it is served on, and its hostname; `null` is the default short host. */
  domainId: string | null;
  hostname: string | null;
  shortCode: string;
  /** Earlier addresses that still lead to it, since visitors may have scanned them. */
  formerCodes: LinkAddress[];
  /** Its code, then its former codes, in lower case: each is unique in the workspace. */
  codeKeys: string[];
  title: string | null;
  destinationUrl: string;
  campaignTag: string | null;
  utmDefaults: UtmDefaults;
  /** These are absent in a link stored before links had them: see `completed`. */
  queryPolicy?: QueryPolicy;
  startsAt?: Date | null;
  expiresAt?: Date | null;
  expiredUrl?: string | null;
  /** Scans by people after which it ends. */
  maxScans?: number | null;
  redirectStatus?: RedirectStatus;
  forwardPath?: boolean;
  folderId: string | null;
  tagIds: string[];
  style: QrStyle | null;
  status: LinkStatus;
  /** Absent, like the next field, in a link stored before links could be blocked. */
  blocked?: Block | null;
  /** Whether its destinations have to be compared with what is blocked soon, e.g. since the checker did not answer. */
  checkPending?: boolean;
  scansCount: number;
  lastScannedAt: Date | null;
  createdBy: string | null;
  archivedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
  /** Grows with every change that other services must know of. */
  revision: number;
  /** The fields that lists sort and search by. */
  titleKey: string;
  words: string[];
}

/** A link without the fields that lists do not show, which can be the largest. */
export type ListedLink = Omit<Link, 'formerCodes' | 'codeKeys' | 'words'>;

/** A link with its existing folder and tags: deleted ones are detached a little later. */
export interface TaggedLink<L extends ListedLink = ListedLink> {
  link: L;
  tags: LinkTag[];
}

/** Words indexed of its title and destination. */
const WORDS_MAX = 100;
/** Words indexed of its codes, the current one first: a hundred former codes may have thirty each. */
const CODE_WORDS_MAX = 200;

export const NO_UTM: UtmDefaults = Object.fromEntries(UTM_KEYS.map((key) => [key, null])) as UtmDefaults;

export function utmOf(values: UtmDefaults): UtmDefaults {
  return Object.fromEntries(UTM_KEYS.map((key) => [key, values[key]])) as UtmDefaults;
}

/** Returns the link with the fields that are derived from its others. */
export function withDerivedFields(link: Link): Link {
  const { shortCode, title, destinationUrl, updatedAt } = link;
  const codes = [shortCode, ...link.formerCodes.map((address) => address.shortCode)];
  return {
    ...link,
    ...endFieldsOf(completed(link), updatedAt),
    codeKeys: [...new Set(codes.map(codeKey))],
    titleKey: (title ?? '').toLowerCase(),
    words: [...new Set([...wordsIn(codes, CODE_WORDS_MAX), ...wordsIn([title ?? '', destinationUrl], WORDS_MAX)])],
  };
}

/** The fields that links stored by an earlier version lack. */
const LATER_FIELDS = {
  blocked: null as Block | null,
  queryPolicy: DEFAULT_QUERY_POLICY as QueryPolicy,
  startsAt: null as Date | null,
  expiresAt: null as Date | null,
  expiredUrl: null as string | null,
  maxScans: null as number | null,
  redirectStatus: DEFAULT_REDIRECT_STATUS as RedirectStatus,
  forwardPath: false,
  isUsedUp: false,
  endDueAt: null as Date | null,
  isEndAnnounced: false,
} satisfies Partial<Link>;

/** Returns the link with the fields that an earlier version did not store. */
export const completed = <L extends ListedLink>(link: L): L & typeof LATER_FIELDS => ({ ...LATER_FIELDS, ...link });

/** Returns the block as members see it. */
export const blockedOf = ({ blocked }: ListedLink): Blocked =>
  blocked ? { at: blocked.at.toISOString(), reason: blocked.reason } : null;

/** Codes are unique regardless of case. */
export const codeKey = (shortCode: string): string => shortCode.toLowerCase();

/** Returns all addresses that lead to the link. */
export const addressesOf = (link: Link): LinkAddress[] => [link, ...link.formerCodes];

/** Returns the addresses of `after` that `before` does not have. */
export function addedAddresses(before: Link | null, after: Link | null): LinkAddress[] {
  if (!after) return [];
  const known = new Set(before && addressesOf(before).map(addressKey));
  return addressesOf(after).filter((address) => !known.has(addressKey(address)));
}

export const isSameAddress = (address: LinkAddress, other: LinkAddress): boolean =>
  addressKey(address) === addressKey(other);

function hostOf(address: LinkAddress, shortBaseUrl: string): string {
  return address.hostname === null ? shortBaseUrl : `https://${address.hostname}`;
}

export function shortUrl(address: LinkAddress, shortBaseUrl: string): string {
  return `${hostOf(address, shortBaseUrl)}/${address.shortCode}`;
}

/** Returns the URL at which a visit counts as the scan of a printed code. */
export function qrTriggerUrl(link: Link, shortBaseUrl: string): string {
  return `${hostOf(link, shortBaseUrl)}/q/${link.shortCode}`;
}

export function presentLink({ link, tags }: TaggedLink, shortBaseUrl: string): LinkBody {
  return {
    ...presentContent(link, shortBaseUrl),
    short_url_unicode: unicodeShortUrl(link.hostname, link.shortCode),
    domain: link.domainId === null ? null : { id: link.domainId, hostname: link.hostname! },
    folder_id: link.folderId,
    tags: presentTags(tags),
  };
}

const presentTags = (tags: readonly LinkTag[]) => tags.map(({ _id: id, name, color }) => ({ id, name, color }));

export function presentQrCode({ link }: TaggedLink, shortBaseUrl: string): QrCodeBody {
  return { ...presentContent(link, shortBaseUrl), style: drawnStyle(link.style ?? DEFAULT_QR_STYLE) };
}

function presentContent(stored: ListedLink, shortBaseUrl: string) {
  const link = completed(stored);
  return {
    id: link._id,
    short_code: link.shortCode,
    short_url: shortUrl(link, shortBaseUrl),
    title: link.title,
    destination_url: link.destinationUrl,
    campaign_tag: link.campaignTag,
    utm_defaults: link.utmDefaults,
    query_policy: link.queryPolicy,
    ...presentVisits(link),
    status: link.status,
    availability: availabilityOf(link, new Date()),
    blocked: blockedOf(link),
    scans_count: link.scansCount,
    last_scanned_at: link.lastScannedAt?.toISOString() ?? null,
    created_by: link.createdBy,
    archived_at: link.archivedAt?.toISOString() ?? null,
    created_at: link.createdAt.toISOString(),
    updated_at: link.updatedAt.toISOString(),
  };
}

const presentVisits = (link: ReturnType<typeof completed>) => ({
  starts_at: link.startsAt?.toISOString() ?? null,
  expires_at: link.expiresAt?.toISOString() ?? null,
  expired_url: link.expiredUrl,
  max_scans: link.maxScans,
  redirect_status: link.redirectStatus,
  forward_path: link.forwardPath,
});

/** Returns the fields of a link that other services need. */
export function snapshotOf(stored: Link, shortBaseUrl: string): LinkSnapshot {
  const link = completed(stored);
  return {
    id: link._id,
    revision: link.revision,
    hostname: link.hostname,
    domain_id: link.domainId,
    folder_id: link.folderId,
    tag_ids: link.tagIds,
    short_code: link.shortCode,
    former_codes: link.formerCodes.map(({ hostname, shortCode }) => ({ hostname, short_code: shortCode })),
    short_url: shortUrl(link, shortBaseUrl),
    title: link.title,
    destination_url: link.destinationUrl,
    campaign_tag: link.campaignTag,
    utm_defaults: link.utmDefaults,
    query_policy: link.queryPolicy,
    ...presentVisits(link),
    status: link.status,
    scans_count: link.scansCount,
    blocked: blockedOf(link),
    created_at: link.createdAt.toISOString(),
  };
}

/** Returns the snapshot with the fields that only lists and webhooks show. */
export function fullSnapshotOf({ link, tags }: TaggedLink<Link>, shortBaseUrl: string): LinkSnapshot {
  return {
    ...snapshotOf(link, shortBaseUrl),
    tags: presentTags(tags),
    ...(link.style && { style: redactLogo(drawnStyle(link.style)) }),
    created_by: link.createdBy,
    archived_at: link.archivedAt?.toISOString() ?? null,
    availability: availabilityOf(completed(link), new Date()),
    updated_at: link.updatedAt.toISOString(),
  };
}

/** Returns the style as events and the audit log may show it: with the hash of its logo instead of the picture. */
export function redactLogo(style: QrStyle): QrStyle {
  if (!style.logo_url) return style;
  return { ...style, logo_url: `sha256:${hash('sha256', style.logo_url, 'hex')}` };
}

/** Returns the time of a change. Two changes of a link never have the same one, whichever clocks they read. */
export const changeTimeAfter = ({ updatedAt }: Pick<Link, 'updatedAt'>): Date =>
  new Date(Math.max(Date.now(), updatedAt.getTime() + 1));
