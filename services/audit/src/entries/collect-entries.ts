import type { Event, EventDefinition } from '@waymark/contract/event';
import { AUDITED_TYPES, EVENTS } from '@waymark/contract/events';
import { Consumer, RetryLater, type ConsumerParts } from '@waymark/kernel/broker/consumer';
import { appendEntries, type LogStores } from './append-entries.js';
import { BlockedLogs } from './blocked-logs.js';
import { ChainsBlocked } from './chain.js';
import { entriesOf, type Entry } from './entry.js';

/** Events per batch. */
export const BATCH_MAX = 100;

/**
 * Consumes every event that may carry an audit record and acknowledges it once its entries are stored. Logs the new
 * heads: after a chain is truncated or rewritten, its head no longer matches the logged one.
 */
export function collectEntries(parts: ConsumerParts, stores: LogStores): Consumer<unknown> {
  const { log, metrics } = parts;
  const blocked = new BlockedLogs();
  const attempts = metrics.counter('audit_appends_blocked_total', 'Attempts to go on with a log that cannot');
  return new Consumer(parts, {
    queue: 'audit.entries',
    events: AUDITED_TYPES.map((type) => EVENTS[type] as unknown as EventDefinition<unknown>),
    batchMax: BATCH_MAX,
    singleActive: true,
    handle: enter,
  });

  /** Holds back the events of blocked logs; stores all other entries, also those of the same event. */
  async function enter(events: Event[]): Promise<void> {
    const given = events.map((event) => ({ event, entries: entriesOf(event) }));
    const waiting = blocked.current();
    const waits = ({ workspace }: Entry) => waiting.has(workspace);
    for (;;) {
      const entries = given.flatMap((each) => each.entries.filter((entry) => !waits(entry)));
      try {
        const heads = await appendEntries(stores, entries);
        if (heads.size > 0) log.info({ heads: Object.fromEntries(heads) }, 'appended');
        break;
      } catch (error) {
        if (!(error instanceof ChainsBlocked)) throw error;
        attempts.inc();
        const untold = blocked.add(error.workspaces);
        if (untold.length > 0) log.error({ workspaces: untold }, 'audit log blocked');
        for (const workspace of error.workspaces) waiting.add(workspace);
      }
    }
    const held = given.filter(({ entries }) => entries.some(waits)).map(({ event }) => event);
    if (held.length > 0) throw new RetryLater(`the audit logs of ${[...waiting].join(', ')} cannot go on`, held);
  }
}
