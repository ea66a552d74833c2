import type { Deployment } from '@waymark/contract/deployments';
import type { Event, EventDefinition } from '@waymark/contract/event';
import {
  CONTENT_EVENTS_OF,
  conversionRecorded,
  domainDegraded,
  domainFailed,
  domainVerified,
  linkImportCompleted,
  scanLogged,
  webhookDisabled,
} from '@waymark/contract/events';
import { rePrefix } from '@waymark/contract/ids';
import type { PublicEvent } from '../deliveries/attempt.js';
import {
  conversionData,
  disabledWebhookData,
  domainData,
  importData,
  linkChangeData,
  linkScanData,
  qrCodeChangeData,
  qrScanData,
} from './public-data.js';

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

const PUBLICATIONS: Readonly<Record<Deployment, readonly Publication[]>> = {
  links: [
    scanPublication(linkScanData),
    ...changePublications('links', linkChangeData),
    singlePublication(conversionRecorded, conversionData),
    singlePublication(linkImportCompleted, importData),
    ...[domainVerified, domainDegraded, domainFailed].map((definition) => singlePublication(definition, domainData)),
    disabledPublication(),
  ],
  qr: [scanPublication(qrScanData), ...changePublications('qr', qrCodeChangeData), disabledPublication()],
};

/** For the other endpoints of the workspace: the one that is disabled receives nothing. */
function disabledPublication(): Publication {
  return singlePublication(webhookDisabled, (data, event) => disabledWebhookData(data, event.audit?.changes));
}

function changePublications(
  deployment: Deployment,
  dataOf: typeof linkChangeData | typeof qrCodeChangeData,
): Publication[] {
  return Object.values(CONTENT_EVENTS_OF[deployment]).map((definition) =>
    singlePublication(definition, ({ link }, event) =>
      dataOf({ link, changes: event.audit?.changes ?? {}, changedAt: event.occurred_at }),
    ),
  );
}

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

function singlePublication<Data>(
  definition: EventDefinition<Data>,
  dataOf: (data: Data, event: Event<Data>) => object,
): Publication {
  return publication(definition, (event) => {
    const { id, type, occurred_at: createdAt, workspace, data } = event;
    return workspace === null ? [] : [{ id, type, created_at: createdAt, workspace, data: dataOf(data, event) }];
  });
}

function publication<Data>(
  definition: EventDefinition<Data>,
  publicEvents: (event: Event<Data>) => PublicEvent[],
): Publication {
  return { definition, publicEvents };
}
