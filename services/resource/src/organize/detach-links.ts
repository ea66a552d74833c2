import { runPeriodically, type SkipItem } from '@waymark/kernel/async/run-periodically';
import type { Database } from '@waymark/kernel/mongo/database';
import { Lease } from '@waymark/kernel/mongo/lease';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import type { Log } from '@waymark/kernel/process/log';
import type { LinkStore } from '../links/link-store.js';
import type { LinkContainer } from './container-store.js';

const LINKS_AT_ONCE = 1000;
const CONTAINERS_AT_ONCE = 100;
const INTERVAL_MS = 2000;
const LEASE_MS = 30_000;

interface DeletedContainers {
  findDeleted(limit: number, cursor?: string): Promise<{ items: LinkContainer[]; nextCursor: string | null }>;
  removeDeleted(id: string): Promise<void>;
}

interface DetachContext {
  db: Database;
  links: LinkStore;
  folders: DeletedContainers;
  tags: DeletedContainers;
}

type Containers = 'folders' | 'tags';

/** Detaches some links from a deleted folder or tag; with the last one it removes the row. @returns true if done */
export async function detachBatch(
  ctx: DetachContext,
  from: Containers,
  { _id, workspace }: LinkContainer,
): Promise<boolean> {
  const reference = from === 'folders' ? { folderId: _id } : { tagId: _id };
  const detached = await ctx.links.detachLinks(workspace, reference, LINKS_AT_ONCE);
  if (detached === LINKS_AT_ONCE) return false;
  await ctx[from].removeDeleted(_id);
  return true;
}

/** Resumes the detaching after a deletion with too many links to wait for, or whose process was killed. */
export function startContainerDetachmentWorker(ctx: DetachContext, runtime: { log: Log; lifecycle: Lifecycle }): void {
  const lease = new Lease(ctx.db, 'detach links');
  /** Where each pass continues; undefined at its start. */
  const cursors: Partial<Record<Containers, string>> = {};

  async function detachFromAll(skipItem: SkipItem): Promise<boolean> {
    if (!ctx.db.isReady || !(await lease.acquire(LEASE_MS))) return false;
    let hasMore = false;
    for (const from of ['folders', 'tags'] as const) {
      const { items, nextCursor } = await ctx[from].findDeleted(CONTAINERS_AT_ONCE, cursors[from]);
      for (const container of items) {
        // Each takes some time: all of them may take longer than the lease.
        if (!(await lease.acquire(LEASE_MS))) return false;
        if (!(await detachOrSkip(from, container, skipItem))) hasMore = true;
      }
      // Containers whose links cannot be detached must not keep the worker from those after them.
      cursors[from] = nextCursor ?? undefined;
      if (nextCursor !== null) hasMore = true;
    }
    return hasMore;
  }

  /** A link that cannot be changed stops neither other tags nor other workspaces; the next round retries. */
  async function detachOrSkip(from: Containers, container: LinkContainer, skipItem: SkipItem): Promise<boolean> {
    try {
      return await detachBatch(ctx, from, container);
    } catch (error) {
      const { _id: id, workspace } = container;
      skipItem(error, { id, workspace }, 'links of a deleted folder or tag could not be detached');
      return true;
    }
  }

  runPeriodically(runtime, { name: 'detaching', intervalMs: INTERVAL_MS, runOnce: detachFromAll });
}
