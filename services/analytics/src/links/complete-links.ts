import { findLinks, FOUND_LINKS_MAX } from '@waymark/contract/requests';
import type { Requester } from '@waymark/kernel/broker/requests';
import type { Database } from '@waymark/kernel/mongo/database';
import { runPeriodically } from '@waymark/kernel/async/run-periodically';
import type { WorkerContext } from '@waymark/kernel/process/lifecycle';
import { Lease } from '@waymark/kernel/mongo/lease';
import type { LinkCopies } from './link-copies.js';
import { receivedLink } from './link.js';

const INTERVAL_MS = 2000;
const LEASE_MS = 30_000;
const OWNER_TIMEOUT_MS = 5000;

interface LinkCompletionContext {
  db: Database;
  requester: Requester;
  copies: LinkCopies;
}

/** Asks the owner of the links for the fields that events of 0.1.0 lack: domains, folders and tags. */
export function startLinkCompletion(runtime: WorkerContext, { db, requester, copies }: LinkCompletionContext): void {
  const lease = new Lease(db, 'complete links');
  const completeBatch = async (): Promise<boolean> => {
    if (!db.isReady || !(await lease.acquire(LEASE_MS))) return false;
    const links = await copies.linksToComplete(FOUND_LINKS_MAX);
    if (links.length === 0) return false;
    const { workspace } = links[0]!;
    const ids = links.map(({ _id }) => _id);
    const found = await requester.ask(findLinks, { workspace, ids }, OWNER_TIMEOUT_MS);
    const received = found.links.map((link) => receivedLink(workspace, link));
    await copies.completeLinks(workspace, ids, received);
    return true;
  };
  runPeriodically(runtime, { name: 'completing links', intervalMs: INTERVAL_MS, runOnce: completeBatch });
}
