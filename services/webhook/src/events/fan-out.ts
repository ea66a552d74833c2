import type { Event } from '@waymark/contract/event';
import { DEFERRED_EVENTS_MAX, webhookEventsDeferred } from '@waymark/contract/events';
import { startConsumer, type ConsumerContext } from '@waymark/kernel/broker/consumer';
import { PublishRefused } from '@waymark/kernel/broker/publisher';
import type { WebhookConfig } from '../config.js';
import type { PublicEvent } from '../deliveries/attempt.js';
import type { Subscriber } from '../endpoints/endpoint-store.js';
import { batchesOf } from './batches.js';
import { DeliveryWriter, type DeliveryContext } from './delivery-writer.js';
import { publicationsOf, publicEventsOf } from './public-event.js';
import { TenantShares } from './tenant-shares.js';

/** Messages parsed at a time: more full messages would block the event loop. */
const MESSAGES_MAX = 20;
const EVENTS_MAX = 500;
/** Per query of subscribers: a workspace has at most 20 endpoints, which are read in one turn of the event loop. */
const WORKSPACES_MAX = 100;
/** Bytes of the events in one deferred message. */
const BYTES_MAX = 4 * 1024 * 1024;
/** Deliveries of one tenant in a batch of messages; its other events wait in a queue for such tenants. */
const TENANT_ROWS_MAX = 2000;
/** Each may have 500 events. */
const DEFERRED_MESSAGES_MAX = 2;

export interface FanOutContext extends DeliveryContext {
  config: DeliveryContext['config'] & Pick<WebhookConfig, 'DEPLOYMENT'>;
}

/**
 * Stores one delivery for each event and subscribed endpoint, in batches of bounded size: a full batch of scans makes
 * 200,000 deliveries for a workspace with 20 endpoints. So that others do not wait for all of these, events beyond the
 * share of a workspace, or of a user who created its endpoints, are deferred to another queue. A message is acknowledged
 * once all of its deliveries are stored or deferred; after a redelivery, those that are already stored stay unchanged.
 */
export function startFanOut(runtime: ConsumerContext, ctx: FanOutContext): void {
  const publications = publicationsOf(ctx.config.DEPLOYMENT);
  const writer = new DeliveryWriter(runtime, ctx);
  const deferred = runtime.metrics.counter(
    'webhook_events_deferred_total',
    'Events beyond the share of a workspace or user',
  );

  function* publicEvents(messages: readonly Event[]): Generator<PublicEvent> {
    for (const message of messages) yield* publicEventsOf(publications, message);
  }

  /** Stores the deliveries of events, up to the shares of their tenants, and defers the other events. */
  async function fanOut(events: PublicEvent[], shares: TenantShares): Promise<void> {
    // Queried for every batch, never cached: an endpoint gets everything that happens after its creation.
    const subscribers = await ctx.endpoints.findSubscribers(events);
    if (subscribers.length === 0) return;
    const { within, beyond } = shares.divideEvents(events, subscribers);
    await writer.storeDeliveries(within, subscribers);
    for (const [workspace, surplus] of beyond) await deferEvents(workspace, surplus, subscribers);
  }

  async function deferEvents(workspace: string, events: PublicEvent[], subscribers: Subscriber[]): Promise<void> {
    const limits = { rowsMax: DEFERRED_EVENTS_MAX, bytesMax: BYTES_MAX, bytesOf: jsonBytes };
    for (const batch of batchesOf(events, limits)) {
      const message = webhookEventsDeferred.create({ workspace }, { events: batch });
      try {
        await runtime.publisher.publish(message.type, message.id, JSON.stringify(message));
        deferred.inc(batch.length);
      } catch (error) {
        if (!(error instanceof PublishRefused)) throw error;
        // The queue is full: other workspaces wait, and no delivery is lost.
        await writer.storeDeliveries(batch, subscribers);
      }
    }
  }

  startConsumer(runtime, {
    queue: 'webhook.events',
    events: publications.map(({ definition }) => definition),
    batchMax: MESSAGES_MAX,
    handle: async (messages) => {
      const shares = new TenantShares(TENANT_ROWS_MAX);
      const limits = { rowsMax: EVENTS_MAX, keysMax: WORKSPACES_MAX, keyOf: workspaceOf };
      for (const events of batchesOf(publicEvents(messages), limits)) await fanOut(events, shares);
    },
  });
  startConsumer(runtime, {
    queue: 'webhook.deferred',
    events: [webhookEventsDeferred],
    batchMax: DEFERRED_MESSAGES_MAX,
    handle: async (messages) => {
      for (const { data } of messages) {
        await writer.storeDeliveries(data.events, await ctx.endpoints.findSubscribers(data.events));
      }
    },
  });
}

const workspaceOf = ({ workspace }: PublicEvent): string => workspace;
const jsonBytes = (event: PublicEvent): number => Buffer.byteLength(JSON.stringify(event));
