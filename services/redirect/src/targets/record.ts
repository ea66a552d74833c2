import type { Event } from '@waymark/contract/event';
import { isDeletion, type LinkSnapshot } from '@waymark/contract/events';
import type { QueryPolicy, UtmDefaults } from '@waymark/contract/links';
import type { PlacedRecord } from '../read-model/definition.js';

/** One link in the read model. */
export interface TargetRecord extends PlacedRecord {
  hostname: string | null;
  shortCode: string;
  title: string | null;
  campaignTag: string | null;
  destinationUrl: string;
  utmDefaults: UtmDefaults;
  /** Absent in rows stored before links had a query policy. */
  queryPolicy?: QueryPolicy;
  isArchived: boolean;
}

/** Returns a key that ignores the case of the code. */
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

/** Returns the record of an event of CONTENT_EVENTS; `undefined` without a workspace, which no link event lacks. */
export function recordOf(event: Event<{ link: LinkSnapshot }>): TargetRecord | undefined {
  if (event.workspace === null) return undefined;
  return toRecord(event.workspace, event.data.link, new Date(event.occurred_at), isDeletion(event.type));
}
