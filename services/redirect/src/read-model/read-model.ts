import { Consumer, type ConsumerParts } from '@waymark/shared/kernel/broker/consumer';
import type { Requester } from '@waymark/shared/kernel/broker/requests';
import type { Database } from '@waymark/shared/kernel/database';
import type { Entry, PlacedRecord, ReadModelDefinition } from './definition.js';
import { Finder } from './finder.js';
import { followChanges } from './follow-changes.js';
import { RecordCache } from './record-cache.js';
import { RecordStore } from './record-store.js';
import { Revalidator } from './revalidator.js';

const BATCH_MAX = 100;

export interface ReadModelParts extends ConsumerParts {
  db: Database;
  requester: Requester;
}

/** What visitors need of one kind of thing: `cache` answers at once, `finder` knows whom to ask. */
export interface ReadModel<R extends PlacedRecord, E extends Entry<R>, Place> {
  cache: RecordCache<R, E>;
  finder: Finder<R, E, Place>;
  revalidator: Revalidator<R, E>;
}

/**
 * A collection that the replicas share and keep current together, and a cache in front of it that a queue of this
 * process's own keeps current.
 */
export function openReadModel<R extends PlacedRecord, E extends Entry<R>, Place, Data>(
  parts: ReadModelParts,
  definition: ReadModelDefinition<R, E, Place, Data>,
): ReadModel<R, E, Place> {
  const { db, broker, requester, log, lifecycle } = parts;
  const store = new RecordStore<R>(db, definition);
  const cache = new RecordCache<R, E>(definition.entriesMax, (record) => definition.entryOf(record));
  const revalidator = new Revalidator(cache, store, log);
  lifecycle.onStop(`revalidator of ${definition.collection}`, () => revalidator.stop());
  new Consumer(parts, {
    queue: definition.queue,
    events: definition.events,
    batchMax: BATCH_MAX,
    handle: (events) =>
      store.save(events.map((event) => definition.recordOf(event)).filter((record) => record !== undefined)),
  });
  followChanges(broker, log, definition, {
    onChange: (record) => cache.apply(record),
    onFollowing: () => revalidator.checkAll(),
  });
  return { cache, finder: new Finder({ definition, cache, store, requester, log }), revalidator };
}
