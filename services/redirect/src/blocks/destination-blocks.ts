import type { Event } from '@waymark/contract/event';
import { DESTINATION_EVENTS, type DestinationBlock } from '@waymark/contract/events';
import { parentDomainsOf } from '@waymark/contract/hostname';
import { findDestinationBlocks } from '@waymark/contract/requests';
import { runPeriodically } from '@waymark/kernel/async/run-periodically';
import { startConsumer } from '@waymark/kernel/broker/consumer';
import { followChanges } from '../read-model/follow-changes.js';
import type { ReadModelContext } from '../read-model/read-model.js';
import { BlockStore } from './block-store.js';

const BLOCKS = {
  queue: 'redirect.destinations',
  events: DESTINATION_EVENTS,
  recordOf: ({ data }: Event<DestinationBlock>) => data,
} as const;
/** Bounds how long a replica serves a blocked host after a lost event. */
const READ_INTERVAL_MS = 4000;
/** Bounds how long a block is unknown after a loss of the database. */
const ASK_INTERVAL_MS = 60_000;
const ASK_TIMEOUT_MS = 5000;

/** The hosts to which no visitor is sent, in memory, so that a block applies to cached links at once. */
export class DestinationBlocks {
  private readonly blocks = new Map<string, DestinationBlock>();
  /** Those of them that are in force. */
  private readonly hosts = new Set<string>();

  /** Whether a `Location` leads to a blocked host, or to a name below one. */
  includes(location: string): boolean {
    return this.hosts.size > 0 && parentDomainsOf(hostOf(location)).some((host) => this.hosts.has(host));
  }

  /** Applies a block unless a newer one of its host is known. */
  apply(block: DestinationBlock): void {
    const { host, revision, is_blocked: isBlocked } = block;
    if ((this.blocks.get(host)?.revision ?? -1) >= revision) return;
    this.blocks.set(host, block);
    if (isBlocked) this.hosts.add(host);
    else this.hosts.delete(host);
  }
}

/** Keeps the blocks current, in the database and in this process. */
export function startDestinationBlocks(runtime: ReadModelContext): DestinationBlocks {
  const store = new BlockStore(runtime.db);
  const blocks = new DestinationBlocks();

  async function readBlocks(): Promise<boolean> {
    if (!store.isReady) return false;
    for (const block of await store.findBlocks()) blocks.apply(block);
    return false;
  }

  async function askOwner(): Promise<boolean> {
    const { blocks: known } = await runtime.requester.ask(findDestinationBlocks, {}, ASK_TIMEOUT_MS);
    for (const block of known) blocks.apply(block);
    // Fails, and asks again a little later, while the database is unreachable.
    await store.saveBlocks(known);
    return false;
  }

  startConsumer(runtime, {
    queue: BLOCKS.queue,
    events: BLOCKS.events,
    handle: (events) => store.saveBlocks(events.map(({ data }) => data)),
  });
  const reading = runPeriodically(runtime, {
    name: 'destination blocks',
    intervalMs: READ_INTERVAL_MS,
    runOnce: readBlocks,
  });
  runPeriodically(runtime, { name: 'owner of destination blocks', intervalMs: ASK_INTERVAL_MS, runOnce: askOwner });
  followChanges(runtime, BLOCKS, { onChange: (block) => blocks.apply(block), onFollowing: () => reading.notify() });
  return blocks;
}

/** Returns the host of a `Location`, which is the normal form of a URL. */
function hostOf(location: string): string {
  const start = location.indexOf('//') + 2;
  return location.slice(start, location.indexOf('/', start)).replace(/:\d*$/, '');
}
