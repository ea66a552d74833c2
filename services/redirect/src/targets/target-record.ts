import type { Event } from '@waymark/contract/event';
import { isDeletion, type LinkSnapshot } from '@waymark/contract/events';
import type { QueryPolicy, UtmDefaults } from '@waymark/contract/links';
import { DEFAULT_REDIRECT_STATUS, type RedirectStatus } from '@waymark/contract/visit-fields';
import type { ReadModelRecord } from '../read-model/definition.js';

/** One link in the read model. */
export interface TargetRecord extends ReadModelRecord {
  hostname: string | null;
  shortCode: string;
  title: string | null;
  campaignTag: string | null;
  destinationUrl: string;
  utmDefaults: UtmDefaults;
  /** Absent in rows stored before links had a query policy. */
  queryPolicy?: QueryPolicy;
  isArchived: boolean;
  /** These are absent in rows stored before links had them. */
  startsAt?: Date | null;
  expiresAt?: Date | null;
  expiredUrl?: string | null;
  maxScans?: number | null;
  /** Scans by people: at least as many as the owner of the links had counted, and those that redirects counted since. */
  scansCount?: number;
  redirectStatus?: RedirectStatus;
  forwardPath?: boolean;
  /** Absent in rows stored before links could be blocked. */
  isBlocked?: boolean;
}

/** Returns a key that ignores the case of the code. */
export const targetKey = (hostname: string | null, shortCode: string): string =>
  `${hostname ?? ''}/${shortCode.toLowerCase()}`;

export function toTargetRecord(
  workspace: string,
  link: LinkSnapshot,
  { changedAt, isGone }: Pick<TargetRecord, 'changedAt' | 'isGone'>,
): TargetRecord {
  return {
    id: link.id,
    key: targetKey(link.hostname, link.short_code),
    aliases: (link.former_codes ?? []).map((address) => targetKey(address.hostname, address.short_code)),
    revision: link.revision,
    workspace,
    hostname: link.hostname,
    shortCode: link.short_code,
    title: link.title,
    campaignTag: link.campaign_tag,
    destinationUrl: link.destination_url,
    utmDefaults: link.utm_defaults,
    queryPolicy: link.query_policy,
    isArchived: link.status === 'archived',
    startsAt: timeOf(link.starts_at),
    expiresAt: timeOf(link.expires_at),
    expiredUrl: link.expired_url ?? null,
    maxScans: link.max_scans ?? null,
    scansCount: link.scans_count ?? 0,
    redirectStatus: link.redirect_status ?? DEFAULT_REDIRECT_STATUS,
    forwardPath: link.forward_path ?? false,
    isBlocked: link.blocked != null,
    isGone,
    changedAt,
  };
}

const timeOf = (text: string | null | undefined): Date | null => (text ? new Date(text) : null);

/** Returns the record of an event of CONTENT_EVENTS; `undefined` without a workspace, which no link event lacks. */
export function targetRecordOf(event: Event<{ link: LinkSnapshot }>): TargetRecord | undefined {
  if (event.workspace === null) return undefined;
  const state = { changedAt: new Date(event.occurred_at), isGone: isDeletion(event.type) };
  return toTargetRecord(event.workspace, event.data.link, state);
}
