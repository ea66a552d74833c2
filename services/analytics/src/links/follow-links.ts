import { CONTENT_EVENTS, isDeletion, type LinkSnapshot } from '@waymark/shared/contract/events';
import { Consumer, type ConsumerParts } from '@waymark/shared/kernel/broker/consumer';
import { linkOf } from './link.js';
import type { LinkStore } from './store.js';

/** An import of one workspace must not keep the changes of the others waiting. */
const BATCH_MAX = 250;

/** Keeps the copy of the links in step with their owner. */
export function followLinks(parts: ConsumerParts, links: LinkStore): Consumer<{ link: LinkSnapshot }> {
  return new Consumer(parts, {
    queue: 'analytics.links',
    events: CONTENT_EVENTS,
    batchMax: BATCH_MAX,
    handle: (events) =>
      links.put(
        events.map(({ type, workspace, data }) => {
          const link = linkOf(workspace!, data.link);
          return isDeletion(type) ? { ...link, status: 'deleted' } : link;
        }),
      ),
  });
}
