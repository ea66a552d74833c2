import { findLinks, FOUND_LINKS_MAX } from '@waymark/contract/requests';
import type { Requester } from '@waymark/kernel/broker/requests';
import type { Database } from '@waymark/kernel/mongo/database';
import { runPeriodically, type SkipItem } from '@waymark/kernel/async/run-periodically';
import type { WorkerContext } from '@waymark/kernel/process/lifecycle';
import { Lease } from '@waymark/kernel/mongo/lease';
import { lastWorkspaceOf, type LinkCopies } from './link-copies.js';
import { receivedLink } from './link.js';

const INTERVAL_MS = 2000;
const LEASE_MS = 30_000;
const OWNER_TIMEOUT_MS = 5000;
const RETRY_AFTER_MS = 30_000;
/** With this many failing workspaces the owner itself fails: the work waits until some may be tried again. */
const RETRIES_MAX = 1000;

interface LinkCompletionContext {
  db: Database;
  requester: Requester;
  copies: LinkCopies;
}

/** Asks the owner of the links for the fields that events of 0.1.0 lack: domains, folders and tags. */
export function startLinkCompletion(runtime: WorkerContext, { db, requester, copies }: LinkCompletionContext): void {
  const lease = new Lease(db, 'complete links');
  /** Workspaces whose links could not be completed, with the time of the next attempt. */
  const retriesAt = new Map<string, number>();
  let lastWorkspace: string | null = null;

  async function completeBatch(skipItem: SkipItem): Promise<boolean> {
    if (!db.isReady || !(await lease.acquire(LEASE_MS))) return false;
    for (const [workspace, retryAt] of retriesAt) if (retryAt <= Date.now()) retriesAt.delete(workspace);
    if (retriesAt.size >= RETRIES_MAX) return false;
    const turn = { after: lastWorkspace, excluded: [...retriesAt.keys()] };
    const links = await copies.linksToComplete(FOUND_LINKS_MAX, turn);
    lastWorkspace = lastWorkspaceOf(links);
    if (links.length === 0) return false;
    const { workspace } = links[0]!;
    const ids = links.map(({ _id }) => _id);
    try {
      await completeOf(workspace, ids);
    } catch (error) {
      // The owner may fail for this workspace alone.
      retriesAt.set(workspace, Date.now() + RETRY_AFTER_MS);
      skipItem(error, { workspace }, 'links not completed');
    }
    return true;
  }

  async function completeOf(workspace: string, ids: readonly string[]): Promise<void> {
    const found = await requester.ask(findLinks, { workspace, ids: [...ids] }, OWNER_TIMEOUT_MS);
    const received = found.links.map((link) => receivedLink(workspace, link));
    await copies.completeLinks(workspace, ids, received);
  }

  runPeriodically(runtime, { name: 'completing links', intervalMs: INTERVAL_MS, runOnce: completeBatch });
}
