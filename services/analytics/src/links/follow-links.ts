import type { EventDefinition } from '@waymark/contract/event';
import {
  CONTENT_EVENTS,
  folderDeleted,
  HOLDER_DELETIONS,
  isDeletion,
  type LinkSnapshot,
} from '@waymark/contract/events';
import { Consumer, type ConsumerParts } from '@waymark/kernel/broker/consumer';
import { linkOf, type ToldLink } from './link.js';
import type { LinkCopies } from './copies.js';

/** Bounds a batch, so that an import of one workspace does not delay changes of others. */
const BATCH_MAX = 250;

type Told = { link: LinkSnapshot } | { id: string };

/** Keeps the copies of the links in sync with their owner. */
export function followLinks(parts: ConsumerParts, links: LinkCopies): Consumer<Told> {
  return new Consumer<Told>(parts, {
    queue: 'analytics.links',
    events: [...CONTENT_EVENTS, ...HOLDER_DELETIONS] as EventDefinition<Told>[],
    batchMax: BATCH_MAX,
    handle: async (events) => {
      await links.put(
        events.flatMap(({ type, workspace, data }) => ('link' in data ? [told(type, workspace!, data.link)] : [])),
      );
      for (const { type, workspace, data } of events) {
        const field = type === folderDeleted.type ? 'folderId' : 'tagIds';
        if ('id' in data) await links.detach({ workspace: workspace!, field, id: data.id });
      }
    },
  });
}

function told(type: string, workspace: string, snapshot: LinkSnapshot): ToldLink {
  const link = linkOf(workspace, snapshot);
  return isDeletion(type) ? { ...link, status: 'deleted' } : link;
}
