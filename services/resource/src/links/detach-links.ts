import { isOutage } from '@waymark/kernel/errors';
import { runPeriodically } from '@waymark/kernel/async/run-periodically';
import { Lease } from '@waymark/kernel/mongo/lease';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import type { Log } from '@waymark/kernel/process/log';
import type { ResourceContext } from '../context.js';
import type { Holder } from '../named-items/holder-store.js';

const LINKS_AT_ONCE = 1000;
const HOLDERS_AT_ONCE = 100;
const EVERY_MS = 2000;
const LEASE_MS = 30_000;

type Holders = 'folders' | 'tags';

/** Detaches some links from a deleted folder or tag; with the last one it removes the row. @returns true if done */
export async function detachSome(ctx: ResourceContext, from: Holders, { _id, workspace }: Holder): Promise<boolean> {
  const reference = from === 'folders' ? { folderId: _id } : { tagId: _id };
  const detached = await ctx.links.detach(workspace, reference, LINKS_AT_ONCE);
  if (detached === LINKS_AT_ONCE) return false;
  await ctx[from].forget(_id);
  return true;
}

/** Resumes the detaching after a deletion with too many links to wait for, or whose process was killed. */
export function keepDetaching(ctx: ResourceContext, parts: { log: Log; lifecycle: Lifecycle }): void {
  const lease = new Lease(ctx.db, 'detach links');

  async function detachFromAll(): Promise<boolean> {
    if (!ctx.db.isReady || !(await lease.acquire(LEASE_MS))) return false;
    let isDone = true;
    for (const from of ['folders', 'tags'] as const) {
      for (const holder of await ctx[from].deleted(HOLDERS_AT_ONCE)) {
        // Each takes some time: all of them may take longer than the lease.
        if (!(await lease.acquire(LEASE_MS))) return false;
        isDone = (await detachOrLog(from, holder)) && isDone;
      }
    }
    return !isDone;
  }

  /** A link that cannot be changed stops neither other tags nor other workspaces; the next round retries. */
  async function detachOrLog(from: Holders, holder: Holder): Promise<boolean> {
    try {
      return await detachSome(ctx, from, holder);
    } catch (error) {
      if (isOutage(error)) throw error;
      const { _id: id, workspace } = holder;
      parts.log.error({ err: error, id, workspace }, 'links of a deleted folder or tag could not be detached');
      return true;
    }
  }

  runPeriodically(parts, { name: 'detaching', intervalMs: EVERY_MS, runOnce: detachFromAll });
}
