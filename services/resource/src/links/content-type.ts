import type { Deployment } from '@waymark/contract/deployments';
import type { Blocked } from '@waymark/contract/links';
import { CONTENT_EVENTS_OF, linkExported, qrCodeExported } from '@waymark/contract/events';
import { DEFAULT_QR_STYLE } from '@waymark/contract/qr-style';
import { blockedOf, completed, redactLogo, type Link } from './link.js';

/** The editable fields of both, by their wire names, as the audit log shows them. */
const AUDITED_FIELDS = {
  short_code: 'shortCode',
  title: 'title',
  destination_url: 'destinationUrl',
  campaign_tag: 'campaignTag',
  utm_defaults: 'utmDefaults',
  query_policy: 'queryPolicy',
  starts_at: 'startsAt',
  expires_at: 'expiresAt',
  expired_url: 'expiredUrl',
  max_scans: 'maxScans',
  redirect_status: 'redirectStatus',
  forward_path: 'forwardPath',
  status: 'status',
  blocked: 'blocked',
} as const satisfies Record<string, keyof Link>;

/** All differences between links and QR codes, except their routes and response bodies. */
export const CONTENT_TYPES = {
  links: {
    idPrefix: 'lnk',
    target: 'link',
    noun: 'link',
    counted: { active: 'active_links', archived: 'archived_links', total: 'links' },
    events: { ...CONTENT_EVENTS_OF.links, exported: linkExported },
    audited: { ...AUDITED_FIELDS, domain: 'hostname', folder_id: 'folderId', tag_ids: 'tagIds' },
    style: null,
  },
  qr: {
    idPrefix: 'qr',
    target: 'qr_code',
    noun: 'QR code',
    counted: { active: 'active_qr_codes', archived: 'archived_qr_codes', total: 'qr_codes' },
    events: { ...CONTENT_EVENTS_OF.qr, exported: qrCodeExported },
    audited: { ...AUDITED_FIELDS, style: 'style' },
    style: DEFAULT_QR_STYLE,
  },
} as const satisfies Record<Deployment, unknown>;
type AuditedLink = Omit<Link, 'blocked'> & { blocked: Blocked };
export type ContentType = (typeof CONTENT_TYPES)[Deployment];

/** Returns the link as the audit log may show it. */
export const auditedLink = (stored: Link): AuditedLink => ({
  ...completed(stored),
  blocked: blockedOf(stored),
  style: stored.style && redactLogo(stored.style),
});
