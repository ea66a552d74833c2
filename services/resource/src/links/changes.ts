import { isDeepStrictEqual } from 'node:util';
import type { AuditChanges } from '@waymark/shared/contract/event';
import type { Link } from './link.js';

/** Wire names of what a person can change. */
const AUDITED = {
  short_code: 'shortCode',
  title: 'title',
  destination_url: 'destinationUrl',
  campaign_tag: 'campaignTag',
  utm_defaults: 'utmDefaults',
  status: 'status',
} as const satisfies Record<string, keyof Link>;

/** What the audit log shows of a change; from nothing when the link is new. */
export function changesBetween(before: Link | null, after: Link): AuditChanges {
  const changes: AuditChanges = {};
  for (const [name, field] of Object.entries(AUDITED)) {
    const from = before?.[field] ?? null;
    const to = after[field];
    if (!isDeepStrictEqual(from, to)) changes[name] = { from, to };
  }
  return changes;
}
