import type { EventDefinition } from '@waymark/shared/contract/event';
import { AUDITED_TYPES, EVENTS } from '@waymark/shared/contract/events';
import { Consumer, type ConsumerParts } from '@waymark/shared/kernel/broker/consumer';
import { appendEntries, ChainsBlocked, type LogStores } from './append-entries.js';
import { entriesOf } from './entry.js';

const BATCH_MAX = 100;

/**
 * Takes every event that may carry an audit record; one is acknowledged when its entries are stored. Where the chains end
 * is logged: a chain that is cut off or written anew no longer ends, or passes, where the log says.
 */
export function collectEntries(parts: ConsumerParts, stores: LogStores): Consumer<unknown> {
  const { log, metrics } = parts;
  const blocked = metrics.counter(
    'audit_appends_blocked_total',
    'Attempts to go on with a log whose next place is taken',
  );
  return new Consumer(parts, {
    queue: 'audit.entries',
    events: AUDITED_TYPES.map((type) => EVENTS[type] as unknown as EventDefinition<unknown>),
    batchMax: BATCH_MAX,
    singleActive: true,
    handle: async (events) => {
      try {
        const heads = await appendEntries(stores, events.flatMap(entriesOf));
        log.info({ heads: Object.fromEntries(heads) }, 'appended');
      } catch (error) {
        if (error instanceof ChainsBlocked) {
          blocked.inc();
          log.error({ workspaces: error.workspaces }, 'audit log blocked');
        }
        throw error;
      }
    },
  });
}
