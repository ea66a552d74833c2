import type { EventDefinition } from '@waymark/shared/contract/event';
import { AUDITED_TYPES, EVENTS } from '@waymark/shared/contract/events';
import { Consumer, type ConsumerParts } from '@waymark/shared/kernel/broker/consumer';
import { appendEntries } from './append-entries.js';
import { entriesOf } from './entry.js';
import type { EntryStore } from './entry-store.js';

const BATCH_MAX = 100;

/** Takes every event that may carry an audit record; one is acknowledged when its entries are stored. */
export function collectEntries(parts: ConsumerParts, store: EntryStore): Consumer<unknown> {
  return new Consumer(parts, {
    queue: 'audit.events',
    events: AUDITED_TYPES.map((type) => EVENTS[type] as unknown as EventDefinition<unknown>),
    batchMax: BATCH_MAX,
    handle: (events) => appendEntries(store, events.flatMap(entriesOf)),
  });
}
