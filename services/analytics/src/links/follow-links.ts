import type { EventDefinition } from '@waymark/contract/event';
import {
  CONTENT_EVENTS,
  folderDeleted,
  HOLDER_DELETIONS,
  isDeletion,
  type LinkSnapshot,
} from '@waymark/contract/events';
import { startConsumer, type ConsumerContext } from '@waymark/kernel/broker/consumer';
import type { Database } from '@waymark/kernel/mongo/database';
import { startDetachmentWorker } from './detach-links.js';
import { receivedLink, type ReceivedLink } from './link.js';
import type { LinkCopies } from './link-copies.js';

/** Bounds a batch, so that an import of one workspace does not delay changes of other workspaces. */
const BATCH_MAX = 250;

type ContentChange = { link: LinkSnapshot } | { id: string };

/** Keeps the copies of the links in sync with their owner. */
export function followLinks(runtime: ConsumerContext & { db: Database }, links: LinkCopies): void {
  const detachments = startDetachmentWorker(runtime, { db: runtime.db, copies: links });
  startConsumer<ContentChange>(runtime, {
    queue: 'analytics.links',
    events: [...CONTENT_EVENTS, ...HOLDER_DELETIONS] as EventDefinition<ContentChange>[],
    batchMax: BATCH_MAX,
    handle: async (events) => {
      await links.putLinks(
        events.flatMap(({ type, workspace, data }) =>
          'link' in data ? [changedLink(type, workspace!, data.link)] : [],
        ),
      );
      for (const { type, workspace, data } of events) {
        const field = type === folderDeleted.type ? 'folderId' : 'tagIds';
        if ('id' in data) await links.deleted.addDeletion({ workspace: workspace!, field, id: data.id });
      }
      if (events.some(({ data }) => 'id' in data)) detachments.notify();
    },
  });
}

function changedLink(type: string, workspace: string, snapshot: LinkSnapshot): ReceivedLink {
  const link = receivedLink(workspace, snapshot);
  return isDeletion(type) ? { ...link, status: 'deleted' } : link;
}
