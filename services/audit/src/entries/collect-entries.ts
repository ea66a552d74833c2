import type { EventDefinition } from '@waymark/shared/contract/event';
import { AUDITED_TYPES, EVENTS } from '@waymark/shared/contract/events';
import { Consumer, type ConsumerParts } from '@waymark/shared/kernel/broker/consumer';
import { appendEntries, type LogStores } from './append-entries.js';
import { entriesOf } from './entry.js';

const BATCH_MAX = 100;

/**
 * Takes every event that may carry an audit record; one is acknowledged when its entries are stored. Where the chains end
 * is logged: a chain that is cut off or written anew no longer ends, or passes, where the log says.
 */
export function collectEntries(parts: ConsumerParts, stores: LogStores): Consumer<unknown> {
  return new Consumer(parts, {
    queue: 'audit.entries',
    events: AUDITED_TYPES.map((type) => EVENTS[type] as unknown as EventDefinition<unknown>),
    batchMax: BATCH_MAX,
    singleActive: true,
    handle: async (events) => {
      const heads = await appendEntries(stores, events.flatMap(entriesOf));
      parts.log.info({ heads: Object.fromEntries(heads) }, 'appended');
    },
  });
}
