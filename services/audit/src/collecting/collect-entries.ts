import type { Event, EventDefinition } from '@waymark/contract/event';
import { AUDITED_TYPES, EVENTS } from '@waymark/contract/events';
import { yieldingToEventLoop } from '@waymark/kernel/async/yielding-to-event-loop';
import { startConsumer, RetryLater, type ConsumerContext } from '@waymark/kernel/broker/consumer';
import { appendEntries, type AppendContext } from './append-entries.js';
import { erasedIn, type FindErased } from './drop-erased.js';
import { BlockedLogs } from './blocked-logs.js';
import { ChainsBlocked } from '../chain/chain.js';
import { entriesOfEvent, type Entry } from '../chain/entry.js';

/** Events per batch. */
export const BATCH_MAX = 100;
/**
 * Entries per transaction: an event of a user has one for each of their workspaces, up to hundreds, and the end of each
 * log is verified and signed.
 */
const ENTRIES_AT_ONCE = 50;

/**
 * Consumes every event that may carry an audit record and acknowledges it once its entries are stored. Logs the new
 * heads: after a chain is truncated or rewritten, its head no longer matches the logged one.
 */
export function collectEntries(runtime: ConsumerContext & { erasures: FindErased }, stores: AppendContext): void {
  const { log, metrics } = runtime;
  const blocked = new BlockedLogs();
  const attempts = metrics.counter('audit_appends_blocked_total', 'Attempts to append to a blocked log');
  startConsumer(runtime, {
    queue: 'audit.entries',
    events: AUDITED_TYPES.map((type) => EVENTS[type] as unknown as EventDefinition<unknown>),
    batchMax: BATCH_MAX,
    singleActive: true,
    handle: storeEntries,
  });

  /** Stores all entries except those of blocked logs, whose events are retried later. */
  async function storeEntries(events: Event[]): Promise<void> {
    const collected: { event: Event; entries: Entry[] }[] = [];
    for await (const event of yieldingToEventLoop(events)) collected.push({ event, entries: entriesOfEvent(event) });
    const all = collected.flatMap(({ entries }) => entries);
    const dropErased = await erasedIn(runtime.erasures, all);
    const entriesByEvent = collected.map(({ event, entries }) => ({ event, entries: dropErased(entries) }));
    const blockedNow = blocked.blockedWorkspaces();
    const isBlocked = ({ workspace }: Entry) => blockedNow.has(workspace);
    for (;;) {
      const entries = entriesByEvent.flatMap((each) => each.entries.filter((entry) => !isBlocked(entry)));
      try {
        await appendAll(entries);
        break;
      } catch (error) {
        if (!(error instanceof ChainsBlocked)) throw error;
        attempts.inc();
        const unreported = blocked.recordBlocked(error.workspaces);
        if (unreported.length > 0) log.error({ workspaces: unreported }, 'audit log blocked');
        for (const workspace of error.workspaces) blockedNow.add(workspace);
      }
    }
    const retried = entriesByEvent.filter(({ entries }) => entries.some(isBlocked)).map(({ event }) => event);
    if (retried.length > 0)
      throw new RetryLater(`the audit logs of ${[...blockedNow].join(', ')} are blocked`, retried);
  }

  /** After an error, entries that are stored already are skipped the next time. */
  async function appendAll(entries: Entry[]): Promise<void> {
    for (let start = 0; start < entries.length; start += ENTRIES_AT_ONCE) {
      const heads = await appendEntries(stores, entries.slice(start, start + ENTRIES_AT_ONCE));
      if (heads.size > 0) log.info({ heads: Object.fromEntries(heads) }, 'appended');
    }
  }
}
