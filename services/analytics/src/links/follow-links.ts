import { CONTENT_EVENTS, isDeletion, type LinkSnapshot } from '@waymark/shared/contract/events';
import { Consumer, type ConsumerParts } from '@waymark/shared/kernel/broker/consumer';
import { linkOf } from './link.js';
import type { LinkStore } from './store.js';

const BATCH_MAX = 50;

/** Keeps the copy of the links in step with their owner. */
export function followLinks(parts: ConsumerParts, links: LinkStore): Consumer<{ link: LinkSnapshot }> {
  return new Consumer(parts, {
    queue: 'analytics.links',
    events: CONTENT_EVENTS,
    batchMax: BATCH_MAX,
    handle: async (events) => {
      for (const { type, workspace, data } of events) {
        const link = linkOf(workspace!, data.link);
        await links.put(isDeletion(type) ? { ...link, status: 'deleted' } : link);
      }
    },
  });
}
