import type { Event } from '@waymark/contract/event';
import { startConsumer, type ConsumerContext } from '@waymark/kernel/broker/consumer';
import type { WebhookConfig } from '../config.js';
import type { PublicEvent } from '../deliveries/attempt.js';
import { batchesOf } from './batches.js';
import { DeliveryWriter, type DeliveryContext } from './delivery-writer.js';
import { publicationsOf, publicEventsOf } from './public-event.js';

/** Messages parsed at a time: more full messages would block the event loop. */
const MESSAGES_MAX = 20;
/** Per query of subscribers: each event may be of another workspace, with 20 endpoints, which are read in one turn. */
const EVENTS_MAX = 100;

export interface FanOutContext extends DeliveryContext {
  config: Pick<WebhookConfig, 'DEPLOYMENT'>;
}

/**
 * Stores one delivery for each event and subscribed endpoint, in batches of bounded size: a full batch of scans makes
 * 200,000 deliveries for a workspace with 20 endpoints. A message is acknowledged once all of its deliveries are stored;
 * after a redelivery, those that are already stored stay unchanged.
 */
export function startFanOut(runtime: ConsumerContext, ctx: FanOutContext): void {
  const publications = publicationsOf(ctx.config.DEPLOYMENT);
  const writer = new DeliveryWriter(runtime, ctx);

  function* publicEvents(messages: readonly Event[]): Generator<PublicEvent> {
    for (const message of messages) yield* publicEventsOf(publications, message);
  }

  startConsumer(runtime, {
    queue: 'webhook.events',
    events: publications.map(({ definition }) => definition),
    batchMax: MESSAGES_MAX,
    handle: async (messages) => {
      for (const events of batchesOf(publicEvents(messages), { rowsMax: EVENTS_MAX })) {
        // Queried for every batch, never cached: an endpoint gets everything that happens after its creation.
        const subscribers = await ctx.endpoints.findSubscribers(events);
        if (subscribers.length > 0) await writer.storeDeliveries(events, subscribers);
      }
    },
  });
}
