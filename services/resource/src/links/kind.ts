import { createHash } from 'node:crypto';
import type { Deployment } from '@waymark/shared/contract/deployments';
import { CONTENT_EVENTS_OF } from '@waymark/shared/contract/events';
import { DEFAULT_QR_STYLE } from '@waymark/shared/contract/qr-style';
import { queryPolicyOf, type Link } from './link.js';

/** What a person can change of either, by its wire name: what the audit log shows. */
const COMMON = {
  short_code: 'shortCode',
  title: 'title',
  destination_url: 'destinationUrl',
  campaign_tag: 'campaignTag',
  utm_defaults: 'utmDefaults',
  query_policy: 'queryPolicy',
  status: 'status',
} as const satisfies Record<string, keyof Link>;

/** Everything in which links and QR codes differ, besides their routes and how they are shown. */
export const KINDS = {
  links: {
    idPrefix: 'lnk',
    target: 'link',
    counted: { active: 'active_links', archived: 'archived_links', total: 'links' },
    events: CONTENT_EVENTS_OF.links,
    audited: { ...COMMON, domain: 'hostname', folder_id: 'folderId', tag_ids: 'tagIds' },
    style: null,
  },
  qr: {
    idPrefix: 'qr',
    target: 'qr_code',
    counted: { active: 'active_qr_codes', archived: 'archived_qr_codes', total: 'qr_codes' },
    events: CONTENT_EVENTS_OF.qr,
    audited: { ...COMMON, style: 'style' },
    style: DEFAULT_QR_STYLE,
  },
} as const satisfies Record<Deployment, unknown>;
export type Kind = (typeof KINDS)[Deployment];

/** As the audit log may show it: a picture is named, not repeated. */
export function auditable(stored: Link): Link {
  const link = { ...stored, queryPolicy: queryPolicyOf(stored) };
  const logo = link.style?.logo_url;
  if (!logo) return link;
  const hash = createHash('sha256').update(logo).digest('hex');
  return { ...link, style: { ...link.style!, logo_url: `sha256:${hash}` } };
}
