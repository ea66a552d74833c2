import type { Event, EventDefinition } from '@waymark/contract/event';
import { AUDITED_TYPES, EVENTS } from '@waymark/contract/events';
import { yieldingToEventLoop } from '@waymark/kernel/async/yielding-to-event-loop';
import { startConsumer, type ConsumerContext } from '@waymark/kernel/broker/consumer';
import type { Database } from '@waymark/kernel/mongo/database';
import { entriesOfEvent, type Entry } from '../chain/entry.js';
import type { WaitingStore } from '../entries/waiting-store.js';
import type { AppendContext } from './append-entries.js';
import { appendWaiting } from './append-waiting.js';
import { Appender, ENTRIES_AT_ONCE } from './appender.js';
import { erasedIn, type FindErased } from './drop-erased.js';

/** Events per batch. */
export const BATCH_MAX = 100;

type CollectContext = AppendContext & { waiting: WaitingStore };

/** Consumes every event that may carry an audit record and acknowledges it once its entries are stored. */
export function collectEntries(
  runtime: ConsumerContext & { db: Database; erasures: FindErased },
  stores: CollectContext,
): void {
  const { log, metrics } = runtime;
  const { waiting } = stores;
  const appender = new Appender(stores, log, metrics);
  startConsumer(runtime, {
    queue: 'audit.entries',
    events: AUDITED_TYPES.map((type) => EVENTS[type] as unknown as EventDefinition<unknown>),
    batchMax: BATCH_MAX,
    singleActive: true,
    handle: storeEvents,
  });
  appendWaiting(runtime, waiting, appender);

  /** After an error, entries that are stored already are skipped the next time. */
  async function storeEvents(events: Event[]): Promise<void> {
    const collected: Entry[] = [];
    for await (const event of yieldingToEventLoop(events)) collected.push(...entriesOfEvent(event));
    const entries = (await erasedIn(runtime.erasures, collected))(collected);
    for (let start = 0; start < entries.length; start += ENTRIES_AT_ONCE) {
      await storeEntries(entries.slice(start, start + ENTRIES_AT_ONCE));
    }
  }

  /** Appends the entries, except those of a blocked log, and those of a log with entries that wait: they would overtake. */
  async function storeEntries(entries: Entry[]): Promise<void> {
    const behind = await waiting.workspacesWithEntries(new Set(entries.map(({ workspace }) => workspace)));
    const blocked = await appender.append(entries.filter(({ workspace }) => !behind.has(workspace)));
    const left = entries.filter(({ workspace }) => behind.has(workspace) || blocked.has(workspace));
    if (left.length === 0) return;
    await waiting.addEntries(left);
    log.warn({ ids: left.map(({ _id }) => _id) }, 'audit entries wait');
  }
}
