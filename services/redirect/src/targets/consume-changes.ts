import { CONTENT_EVENTS } from '@waymark/shared/contract/events';
import { Consumer, type ConsumerParts } from '@waymark/shared/kernel/broker/consumer';
import { recordOf } from './record.js';
import type { TargetStore } from './target-store.js';

const BATCH_MAX = 100;

/** Keeps the read model in the database current; the replicas share the work. */
export function consumeChanges(parts: ConsumerParts, store: TargetStore): void {
  new Consumer(parts, {
    queue: 'redirect.targets',
    events: CONTENT_EVENTS,
    batchMax: BATCH_MAX,
    handle: (events) => store.save(events.map(recordOf).filter((record) => record !== undefined)),
  });
}
