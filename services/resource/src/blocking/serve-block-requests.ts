import { findDestinationBlocks } from '@waymark/contract/requests';
import type { Broker } from '@waymark/kernel/broker/connection';
import { serveRequests } from '@waymark/kernel/broker/requests';
import { toDestinationBlock, type HostBlockStore } from '../destinations/host-block-store.js';

/** Answers redirects, whose databases may have lost the blocks. */
export function serveBlockRequests({ broker }: { broker: Broker }, hostBlocks: HostBlockStore): void {
  serveRequests(broker, findDestinationBlocks, async () => ({
    blocks: (await hostBlocks.findBlocks()).map(toDestinationBlock),
  }));
}
