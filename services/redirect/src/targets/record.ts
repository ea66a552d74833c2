import type { Event } from '@waymark/shared/contract/event';
import { isDeletion, type LinkSnapshot } from '@waymark/shared/contract/events';
import type { UtmDefaults } from '@waymark/shared/contract/links';

/** What is known of one link, as of one revision. */
export interface TargetRecord {
  linkId: string;
  /** Where visitors find it. */
  key: string;
  revision: number;
  workspace: string;
  hostname: string | null;
  shortCode: string;
  title: string | null;
  campaignTag: string | null;
  destinationUrl: string;
  utmDefaults: UtmDefaults;
  isArchived: boolean;
  isDeleted: boolean;
  changedAt: Date;
}

/** Codes are matched without regard to case. */
export const targetKey = (hostname: string | null, shortCode: string): string =>
  `${hostname ?? ''}/${shortCode.toLowerCase()}`;

export function toRecord(workspace: string, link: LinkSnapshot, changedAt: Date, isDeleted = false): TargetRecord {
  return {
    linkId: link.id,
    key: targetKey(link.hostname, link.short_code),
    revision: link.revision,
    workspace,
    hostname: link.hostname,
    shortCode: link.short_code,
    title: link.title,
    campaignTag: link.campaign_tag,
    destinationUrl: link.destination_url,
    utmDefaults: link.utm_defaults,
    isArchived: link.status === 'archived',
    isDeleted,
    changedAt,
  };
}

/** What an event of CONTENT_EVENTS tells; `undefined` for one without a workspace, which no link has. */
export function recordOf(event: Event<{ link: LinkSnapshot }>): TargetRecord | undefined {
  if (event.workspace === null) return undefined;
  return toRecord(event.workspace, event.data.link, new Date(event.occurred_at), isDeletion(event.type));
}
