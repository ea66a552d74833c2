import {
  CONTENT_EVENTS_OF,
  conversionRecorded,
  linkImportCompleted,
  scanLogged,
  type LinkSnapshot,
} from '@waymark/shared/contract/events';
import type { Event, EventDefinition } from '@waymark/shared/contract/event';
import { rePrefix } from '@waymark/shared/contract/ids';

/** What a subscriber is sent, field for field. */
export interface PublicEvent {
  id: string;
  type: string;
  created_at: string;
  workspace: string;
  data: object;
}

interface Publication {
  definition: EventDefinition<unknown>;
  publicEvents(event: Event): PublicEvent[];
}

/** The events that leave the house, and what of them does. */
const PUBLICATIONS: readonly Publication[] = [
  publication(scanLogged, ({ data }) =>
    data.scans.map(({ workspace, ...scanned }) => ({
      // A scan may arrive in more than one batch: its own id makes it the same event each time.
      id: rePrefix(scanned.scan.id, 'evt'),
      type: scanLogged.type,
      created_at: scanned.scan.scanned_at,
      workspace,
      data: scanned,
    })),
  ),
  publication(conversionRecorded, (event) => inWorkspace(event, event.data)),
  publication(linkImportCompleted, (event) => inWorkspace(event, event.data)),
  ...Object.values(CONTENT_EVENTS_OF.links).map((definition) =>
    publication(definition, (event) => inWorkspace(event, { link: publicLink(event.data.link) })),
  ),
  ...Object.values(CONTENT_EVENTS_OF.qr).map((definition) =>
    publication(definition, (event) => inWorkspace(event, { qr_code: publicLink(event.data.link) })),
  ),
];

export const PUBLISHED_EVENTS = PUBLICATIONS.map(({ definition }) => definition);

export function publicEventsOf(event: Event): PublicEvent[] {
  return PUBLICATIONS.find(({ definition }) => definition.type === event.type)?.publicEvents(event) ?? [];
}

function publication<Data>(
  definition: EventDefinition<Data>,
  publicEvents: (event: Event<Data>) => PublicEvent[],
): Publication {
  return { definition, publicEvents };
}

function inWorkspace(event: Event, data: object): PublicEvent[] {
  const { id, type, occurred_at: createdAt, workspace } = event;
  return workspace === null ? [] : [{ id, type, created_at: createdAt, workspace, data }];
}

function publicLink(link: LinkSnapshot): object {
  return {
    id: link.id,
    short_code: link.short_code,
    short_url: link.short_url,
    title: link.title,
    destination_url: link.destination_url,
    campaign_tag: link.campaign_tag,
    utm_defaults: link.utm_defaults,
    status: link.status,
  };
}
