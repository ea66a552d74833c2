import type { Event } from '@waymark/shared/contract/event';
import { isDeletion, type LinkSnapshot } from '@waymark/shared/contract/events';
import type { QueryPolicy, UtmDefaults } from '@waymark/shared/contract/links';
import type { PlacedRecord } from '../read-model/definition.js';

/** What is known of one link. */
export interface TargetRecord extends PlacedRecord {
  hostname: string | null;
  shortCode: string;
  title: string | null;
  campaignTag: string | null;
  destinationUrl: string;
  utmDefaults: UtmDefaults;
  /** Absent in a row that was stored before links had one. */
  queryPolicy?: QueryPolicy;
  isArchived: boolean;
}

/** Codes are matched without regard to case. */
export const targetKey = (hostname: string | null, shortCode: string): string =>
  `${hostname ?? ''}/${shortCode.toLowerCase()}`;

export function toRecord(workspace: string, link: LinkSnapshot, changedAt: Date, isGone = false): TargetRecord {
  return {
    id: link.id,
    key: targetKey(link.hostname, link.short_code),
    aliases: (link.former_codes ?? []).map((place) => targetKey(place.hostname, place.short_code)),
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
    isGone,
    changedAt,
  };
}

/** What an event of CONTENT_EVENTS tells; `undefined` for one without a workspace, which no link has. */
export function recordOf(event: Event<{ link: LinkSnapshot }>): TargetRecord | undefined {
  if (event.workspace === null) return undefined;
  return toRecord(event.workspace, event.data.link, new Date(event.occurred_at), isDeletion(event.type));
}
