import { Consumer, type ConsumerParts } from '@waymark/shared/kernel/broker/consumer';
import type { WebhookConfig } from '../config.js';
import { firstAttempt, type Attempt } from '../deliveries/attempt.js';
import type { AttemptStore } from '../deliveries/attempt-store.js';
import type { EndpointStore, Subscriber } from '../endpoints/endpoint-store.js';
import type { EndpointLeases } from '../sending/endpoint-leases.js';
import { publicationsOf, publicEventsOf, type PublicEvent } from './public-event.js';

const BATCH_MAX = 50;

export interface FanOutContext {
  config: Pick<WebhookConfig, 'DEPLOYMENT'>;
  endpoints: EndpointStore;
  attempts: AttemptStore;
  leases: EndpointLeases;
  /** Told at once of the endpoints that have new work. */
  engine: { wake(endpointIds: string[]): void };
}

/**
 * One delivery for each event and subscribed endpoint. An event is acknowledged when its deliveries are stored; when it
 * arrives again they are there already.
 */
export function fanOut(parts: ConsumerParts, ctx: FanOutContext): Consumer<unknown> {
  const publications = publicationsOf(ctx.config.DEPLOYMENT);
  return new Consumer(parts, {
    queue: 'webhook.events',
    events: publications.map(({ definition }) => definition),
    batchMax: BATCH_MAX,
    handle: (events) =>
      deliver(
        ctx,
        events.flatMap((event) => publicEventsOf(publications, event)),
      ),
  });
}

async function deliver(ctx: FanOutContext, events: PublicEvent[]): Promise<void> {
  const workspaces = [...new Set(events.map(({ workspace }) => workspace))];
  // Asked for every batch, never remembered: an endpoint gets what happens from the moment it was created.
  const subscribers = await ctx.endpoints.subscribers(workspaces);
  const attempts = firstAttempts(events, subscribers);
  if (attempts.length === 0) return;

  await ctx.attempts.insertNew(attempts);
  const endpointIds = [...new Set(attempts.map(({ endpointId }) => endpointId))];
  await ctx.leases.wake(endpointIds, new Date());
  ctx.engine.wake(endpointIds);
}

function firstAttempts(events: PublicEvent[], subscribers: Subscriber[]): Attempt[] {
  const byWorkspace = new Map<string, Subscriber[]>();
  for (const subscriber of subscribers) {
    byWorkspace.set(subscriber.workspace, [...(byWorkspace.get(subscriber.workspace) ?? []), subscriber]);
  }
  return events.flatMap((event) =>
    (byWorkspace.get(event.workspace) ?? [])
      .filter(({ eventTypes }) => eventTypes.includes(event.type))
      .map((subscriber) => firstAttempt(event, subscriber._id)),
  );
}
