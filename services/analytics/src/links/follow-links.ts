import type { Event, EventDefinition } from '@waymark/contract/event';
import {
  CONTENT_EVENTS,
  folderDeleted,
  HOLDER_DELETIONS,
  isDeletion,
  TAG_NAMINGS,
  tagDeleted,
  type LinkSnapshot,
} from '@waymark/contract/events';
import { runPeriodically, type SkipItem } from '@waymark/kernel/async/run-periodically';
import type { Signal } from '@waymark/kernel/async/signal';
import { startConsumer, type ConsumerContext } from '@waymark/kernel/broker/consumer';
import type { Database } from '@waymark/kernel/mongo/database';
import type { WorkerContext } from '@waymark/kernel/process/lifecycle';
import { receivedLink, type ReceivedLink } from './link.js';
import type { LinkCopies } from './link-copies.js';
import { tagsIn } from './link-descriptions.js';
import type { Tag, TagStore } from './tag-store.js';

/** Bounds a batch, so that an import of one workspace does not delay changes of other workspaces. */
const BATCH_MAX = 250;
/** For detachments of processes that have ended: an event notifies the worker. */
const DETACHMENT_INTERVAL_MS = 2000;
/** Longer than one batch may take; a failed one is tried again after this time. */
const DETACHMENT_LEASE_MS = 30_000;

interface NamedChange {
  id: string;
  name: string;
  color?: string | null;
}
type ContentChange = { link: LinkSnapshot } | NamedChange;

const DELETIONS: readonly string[] = HOLDER_DELETIONS.map(({ type }) => type);

/** Keeps the copies of the links, and of the names of tags, in sync with their owner. */
export function followLinks(
  runtime: ConsumerContext & { db: Database },
  { copies: links, tags }: { copies: LinkCopies; tags: TagStore },
): void {
  const detachments = startDetachmentWorker(runtime, { db: runtime.db, copies: links });
  startConsumer<ContentChange>(runtime, {
    queue: 'analytics.links',
    events: [...CONTENT_EVENTS, ...HOLDER_DELETIONS, ...TAG_NAMINGS] as EventDefinition<ContentChange>[],
    batchMax: BATCH_MAX,
    handle: async (events) => {
      await links.putLinks(
        events.flatMap(({ type, workspace, data }) =>
          'link' in data ? [changedLink(type, workspace!, data.link)] : [],
        ),
      );
      await tags.saveTags(events.flatMap(tagsOf));
      const deletions = events.filter(({ type }) => DELETIONS.includes(type)) as Event<NamedChange>[];
      for (const { type, workspace, data } of deletions) {
        const field = type === folderDeleted.type ? 'folderId' : 'tagIds';
        await links.deleted.addDeletion({ workspace: workspace!, field, id: data.id });
        if (type === tagDeleted.type) await tags.deleteTag(data.id);
      }
      if (deletions.length > 0) detachments.notify();
    },
  });
}

function tagsOf({ type, workspace, occurred_at: occurredAt, data }: Event<ContentChange>): Tag[] {
  if ('link' in data) return tagsIn(workspace!, data.link);
  const { id, name, color } = data;
  // A deletion names its tag as well. An event of 0.1.0 lacks the colour.
  if (DELETIONS.includes(type) || color === undefined) return [];
  return [{ _id: id, workspace: workspace!, name, color, revision: Date.parse(occurredAt) }];
}

function changedLink(type: string, workspace: string, snapshot: LinkSnapshot): ReceivedLink {
  const link = receivedLink(workspace, snapshot);
  return isDeletion(type) ? { ...link, status: 'deleted' } : link;
}

/**
 * Removes deleted tags and folders from their links, in batches: a tag of a million links delays neither the changes of
 * other links nor other detachments.
 * @returns a signal for new detachments
 */
export function startDetachmentWorker(
  runtime: WorkerContext,
  { db, copies }: { db: Database; copies: LinkCopies },
): Signal {
  async function detachSome(skipItem: SkipItem): Promise<boolean> {
    const detachment = db.isReady ? await copies.deleted.claimDetachment(DETACHMENT_LEASE_MS) : null;
    if (!detachment) return false;
    try {
      if (await copies.detachBatch(detachment)) await copies.deleted.finishDetachment(detachment);
      else await copies.deleted.requeueDetachment(detachment);
    } catch (error) {
      skipItem(error, detachment, 'links of a deleted folder or tag could not be detached');
    }
    return true;
  }

  return runPeriodically(runtime, { name: 'detaching links', intervalMs: DETACHMENT_INTERVAL_MS, runOnce: detachSome });
}
