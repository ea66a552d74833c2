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
    let made: Entry[] = [];
    for await (const entry of yieldingToEventLoop(entriesOfEvents(events))) {
      if (made.push(entry) < ENTRIES_AT_ONCE) continue;
      await storeEntries(made);
      made = [];
    }
    if (made.length > 0) await storeEntries(made);
  }

  /** Appends the entries, except those of a blocked log, and those of a log with entries that wait: they would overtake. */
  async function storeEntries(made: Entry[]): Promise<void> {
    const entries = (await erasedIn(runtime.erasures, made))(made);
    const behind = await waiting.workspacesWithEntries(new Set(entries.map(({ workspace }) => workspace)));
    const blocked = await appender.append(entries.filter(({ workspace }) => !behind.has(workspace)));
    const left = entries.filter(({ workspace }) => behind.has(workspace) || blocked.has(workspace));
    if (left.length === 0) return;
    await waiting.addEntries(left);
    log.warn({ ids: left.map(({ _id }) => _id) }, 'audit entries wait');
  }
}

/** Makes the entries one by one: those of a whole batch may be 50,000. */
function* entriesOfEvents(events: Event[]): Generator<Entry> {
  for (const event of events) yield* entriesOfEvent(event);
}
