import { CONTENT_EVENTS, isDeletion, type LinkSnapshot } from '@waymark/shared/contract/events';
import { Consumer, type ConsumerParts } from '@waymark/shared/kernel/broker/consumer';
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
        const { id, short_code: shortCode, title, campaign_tag: campaign, status, revision } = data.link;
        await links.put({
          _id: id,
          workspace: workspace!,
          shortCode,
          title,
          campaign,
          status: isDeletion(type) ? 'deleted' : status,
          revision,
        });
      }
    },
  });
}
