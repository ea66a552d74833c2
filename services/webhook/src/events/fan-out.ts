import type { Event } from '@waymark/contract/event';
import { startConsumer, type ConsumerContext } from '@waymark/kernel/broker/consumer';
import type { Database } from '@waymark/kernel/mongo/database';
import type { WebhookConfig } from '../config.js';
import type { Attempt, PublicEvent } from '../deliveries/attempt.js';
import type { AttemptStore } from '../deliveries/attempt-store.js';
import type { EndpointStore } from '../endpoints/endpoint-store.js';
import type { WorkerNotifier } from '../endpoints/ports.js';
import { batchesOf } from './batches.js';
import { FirstAttempts } from './first-attempts.js';
import { publicationsOf, publicEventsOf } from './public-event.js';

/** Messages parsed at a time: more full messages would block the event loop. */
const MESSAGES_MAX = 20;
/** Events per query of subscribers: a workspace has at most 20 endpoints. */
const EVENTS_MAX = 500;
/** Bounds of one insert, independent of the number of events and endpoints. */
const ROWS_MAX = 500;
const BYTES_MAX = 4 * 1024 * 1024;

export interface FanOutContext {
  config: Pick<WebhookConfig, 'DEPLOYMENT' | 'WEBHOOK_PENDING_MAX'>;
  db: Database;
  endpoints: EndpointStore;
  attempts: AttemptStore;
  dispatcher: WorkerNotifier;
}

/**
 * Stores one delivery for each event and subscribed endpoint, in batches of bounded size: a full batch of scans makes
 * 200,000 deliveries for a workspace with 20 endpoints. A message is acknowledged once all of its deliveries are
 * stored; after a redelivery, those that are already stored stay unchanged.
 */
export function startFanOut(runtime: ConsumerContext, ctx: FanOutContext): void {
  const publications = publicationsOf(ctx.config.DEPLOYMENT);
  const dropped = runtime.metrics.counter('webhook_deliveries_dropped_total', 'Deliveries beyond WEBHOOK_PENDING_MAX');

  function* publicEvents(messages: readonly Event[]): Generator<PublicEvent> {
    for (const message of messages) yield* publicEventsOf(publications, message);
  }

  async function storeDeliveries(events: PublicEvent[]): Promise<void> {
    // Queried for every batch, never cached: an endpoint gets everything that happens after its creation.
    const subscribers = await ctx.endpoints.findSubscribers(events);
    if (subscribers.length === 0) return;
    const firstAttempts = new FirstAttempts(subscribers, ctx.config.WEBHOOK_PENDING_MAX, await ctx.db.now());
    const attempts = firstAttempts.createAttempts(events);
    for (const batch of batchesOf(attempts, { rowsMax: ROWS_MAX, bytesMax: BYTES_MAX, bytesOf: bodyBytes })) {
      await ctx.attempts.insertMissing(batch);
    }
    await ctx.endpoints.scheduleWork(firstAttempts.added, firstAttempts.now);
    ctx.dispatcher.notifyWorkers([...firstAttempts.added.keys()]);
    dropped.inc(firstAttempts.droppedCount);
    for (const notice of firstAttempts.notices.values()) await logDrop(notice);
  }

  /** Logs the first dropped delivery of each hour for the owner, who can retry it from there. */
  async function logDrop(notice: Attempt): Promise<void> {
    const { endpointId: endpoint_id, workspace } = notice;
    if (!(await ctx.endpoints.claimDropNotice(endpoint_id, notice.createdAt))) return;
    runtime.log.warn({ endpoint_id, workspace }, 'deliveries dropped: too many are pending');
    await ctx.attempts.insertMissing([notice]);
  }

  startConsumer(runtime, {
    queue: 'webhook.events',
    events: publications.map(({ definition }) => definition),
    batchMax: MESSAGES_MAX,
    handle: async (messages) => {
      for (const events of batchesOf(publicEvents(messages), { rowsMax: EVENTS_MAX })) await storeDeliveries(events);
    },
  });
}

const bodyBytes = ({ body }: Attempt): number => Buffer.byteLength(body ?? '');
