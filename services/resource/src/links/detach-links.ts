import { setTimeout as sleep } from 'node:timers/promises';
import { isOutage } from '@waymark/shared/kernel/errors';
import { Lease } from '@waymark/shared/kernel/lease';
import type { Lifecycle } from '@waymark/shared/kernel/lifecycle';
import type { Log } from '@waymark/shared/kernel/log';
import type { ResourceContext } from '../context.js';
import type { Holder } from '../named-items/holder-store.js';

const LINKS_AT_ONCE = 1000;
const HOLDERS_AT_ONCE = 100;
const EVERY_MS = 2000;
const LEASE_MS = 30_000;

type Holders = 'folders' | 'tags';

/** Takes a deleted folder or tag out of so many of its links; forgets it with the last. @returns true when it is done */
export async function detachSome(ctx: ResourceContext, from: Holders, { _id, workspace }: Holder): Promise<boolean> {
  const reference = from === 'folders' ? { folderId: _id } : { tagId: _id };
  const detached = await ctx.links.detach(workspace, reference, LINKS_AT_ONCE);
  if (detached === LINKS_AT_ONCE) return false;
  await ctx[from].forget(_id);
  return true;
}

/** Goes on with what a deletion began: one that had more links than it could wait for, or whose process was killed. */
export class Detacher {
  private readonly lease: Lease;
  private readonly stopping = new AbortController();
  private running?: Promise<void>;

  constructor(
    private readonly ctx: ResourceContext,
    private readonly log: Log,
    lifecycle: Lifecycle,
  ) {
    this.lease = new Lease(ctx.db, 'detach links');
    lifecycle.onStop('detaching', () => this.stop());
  }

  start(): void {
    this.running ??= this.runUntilStopped();
  }

  private async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async runUntilStopped(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await sleep(EVERY_MS, undefined, { signal }).catch(() => undefined);
      try {
        while (!signal.aborted && this.ctx.db.isReady && (await this.round())) continue;
      } catch (error) {
        this.log[isOutage(error) ? 'debug' : 'error']({ err: error }, 'links not detached, trying again');
      }
    }
  }

  /** @returns true when there is more */
  private async round(): Promise<boolean> {
    if (!(await this.lease.take(LEASE_MS))) return false;
    let isDone = true;
    for (const from of ['folders', 'tags'] as const) {
      for (const holder of await this.ctx[from].deleted(HOLDERS_AT_ONCE)) {
        isDone = (await detachSome(this.ctx, from, holder)) && isDone;
      }
    }
    return !isDone;
  }
}
