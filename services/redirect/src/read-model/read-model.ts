import { startConsumer, type ConsumerContext } from '@waymark/kernel/broker/consumer';
import type { Requester } from '@waymark/kernel/broker/requests';
import type { Database } from '@waymark/kernel/mongo/database';
import type { Entry, ReadModelRecord, ReadModelDefinition } from './definition.js';
import { Finder } from './finder.js';
import { followChanges } from './follow-changes.js';
import { RecordCache } from './record-cache.js';
import { RecordStore } from './record-store.js';
import { Revalidator } from './revalidator.js';

const BATCH_MAX = 100;

export interface ReadModelContext extends ConsumerContext {
  db: Database;
  requester: Requester;
}

/** The read model of one kind of resource: `cache` answers at once, `finder` looks up the rest. */
export interface ReadModel<R extends ReadModelRecord, E extends Entry, Address> {
  cache: RecordCache<R, E>;
  store: RecordStore<R>;
  finder: Finder<R, E, Address>;
  revalidator: Revalidator<R, E>;
}

/**
 * A collection that the replicas share and keep current together, and a cache in front of it that a queue of this
 * process's own keeps current.
 */
export function openReadModel<R extends ReadModelRecord, E extends Entry, Address, Data>(
  ctx: ReadModelContext,
  definition: ReadModelDefinition<R, E, Address, Data>,
  cacheBytes: number,
): ReadModel<R, E, Address> {
  const { db, broker, requester, log, lifecycle, metrics } = ctx;
  const { collection } = definition;
  const store = new RecordStore<R>(db, definition);
  const cache = new RecordCache<R, E>(cacheBytes, (record, before) => definition.entryOf(record, before));
  const revalidator = new Revalidator(cache, store, { log, lifecycle });
  lifecycle.onStop(`revalidator of ${collection}`, () => revalidator.stop());
  metrics.gauge(`${collection}_cache_bytes`, 'Estimated memory of the records in the cache', () => cache.bytes);
  storeEvents(ctx, store, definition);
  followChanges({ broker, log }, definition, {
    onChange: (record) => cache.apply(record),
    onFollowing: () => revalidator.scheduleAll(),
  });
  const lookUps = metrics.counter(
    `${collection}_lookups_total`,
    'Keys that were not in memory and had to be looked up',
  );
  return { cache, store, finder: new Finder({ definition, cache, store, requester, log, lookUps }), revalidator };
}

/** Keeps the collection current, from the durable queue that the replicas share. */
function storeEvents<R extends ReadModelRecord, Data>(
  ctx: ConsumerContext,
  store: RecordStore<R>,
  definition: Pick<ReadModelDefinition<R, never, never, Data>, 'queue' | 'events' | 'recordOf'>,
): void {
  startConsumer(ctx, {
    queue: definition.queue,
    events: definition.events,
    batchMax: BATCH_MAX,
    handle: (events) =>
      store.save(events.map((event) => definition.recordOf(event)).filter((record) => record !== undefined)),
  });
}
