import type { Deployment } from '@waymark/contract/deployments';
import type { Event, EventDefinition } from '@waymark/contract/event';
import {
  CONTENT_EVENTS_OF,
  conversionRecorded,
  domainFailed,
  domainVerified,
  linkImportCompleted,
  scanLogged,
} from '@waymark/contract/events';
import { rePrefix } from '@waymark/contract/ids';
import type { PublicEvent } from '../deliveries/attempt.js';
import { conversionData, importData, linkScanData, publicDomain, publicLink, qrScanData } from './public-data.js';

/** One kind of event that is published to subscribers, and its public form. */
interface Publication {
  definition: EventDefinition<unknown>;
  publicEvents(event: Event): PublicEvent[];
}

/** Returns the events that endpoints of a deployment can subscribe to. */
export function publicationsOf(deployment: Deployment): readonly Publication[] {
  return PUBLICATIONS[deployment];
}

export function publicEventsOf(publications: readonly Publication[], event: Event): PublicEvent[] {
  return publications.find(({ definition }) => definition.type === event.type)?.publicEvents(event) ?? [];
}

const contentOf = (deployment: Deployment) => Object.values(CONTENT_EVENTS_OF[deployment]);

const PUBLICATIONS: Readonly<Record<Deployment, readonly Publication[]>> = {
  links: [
    scanPublication(linkScanData),
    ...contentOf('links').map((definition) =>
      singlePublication(definition, ({ link }) => ({ link: publicLink(link) })),
    ),
    singlePublication(conversionRecorded, conversionData),
    singlePublication(linkImportCompleted, importData),
    singlePublication(domainVerified, ({ domain }) => ({ domain: publicDomain(domain) })),
    singlePublication(domainFailed, ({ domain }) => ({ domain: publicDomain(domain) })),
  ],
  qr: [
    scanPublication(qrScanData),
    ...contentOf('qr').map((definition) =>
      singlePublication(definition, ({ link }) => ({ qr_code: publicLink(link) })),
    ),
  ],
};

/** A batch of scans is one public event for each. */
function scanPublication(dataOf: typeof linkScanData | typeof qrScanData): Publication {
  return publication(scanLogged, ({ data }) =>
    data.scans.map((logged) => ({
      // A scan may arrive in more than one batch: the scan's id makes it the same event each time.
      id: rePrefix(logged.scan.id, 'evt'),
      type: scanLogged.type,
      created_at: logged.scan.scanned_at,
      workspace: logged.workspace,
      data: dataOf(logged),
    })),
  );
}

function singlePublication<Data>(definition: EventDefinition<Data>, dataOf: (data: Data) => object): Publication {
  return publication(definition, ({ id, type, occurred_at: createdAt, workspace, data }) =>
    workspace === null ? [] : [{ id, type, created_at: createdAt, workspace, data: dataOf(data) }],
  );
}

function publication<Data>(
  definition: EventDefinition<Data>,
  publicEvents: (event: Event<Data>) => PublicEvent[],
): Publication {
  return { definition, publicEvents };
}
