import type { Database } from '@waymark/kernel/mongo/database';
import { isDuplicateKey } from '@waymark/kernel/errors';
import type { ClientSession } from 'mongoose';
import type { Anchor } from './anchor.js';
import { ChainsBlocked, linkTo } from './chain.js';
import type { Entry } from './entry.js';
import type { EntryStore } from './entry-store.js';
import type { HeadStore } from './head-store.js';
import type { TallyStore } from './tally-store.js';

const ATTEMPTS_MAX = 2;

export interface LogStores {
  db: Database;
  entries: EntryStore;
  heads: HeadStore;
  tallies: TallyStore;
}

/**
 * The only way to add entries to the log: links each entry to the last one of its workspace, in the given order. Skips
 * an entry that is already stored. Any number of processes may append at the same time.
 * @returns the new heads of the chains that have new entries
 * @throws ChainsBlocked
 */
export async function appendEntries(stores: LogStores, entries: Entry[]): Promise<Map<string, Anchor>> {
  if (entries.length === 0) return new Map();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await stores.db.transaction(({ session }) => tryToAppend(stores, entries, session));
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      // Another process may have created the head of the same chain at the same time: the next attempt can lock it.
      if (attempt < ATTEMPTS_MAX) continue;
      const blocked = await blockedAmong(stores, new Set(entries.map(({ workspace }) => workspace)));
      throw blocked.length > 0 ? new ChainsBlocked(blocked) : error;
    }
  }
}

/**
 * Finds the workspaces whose next number is already taken (the entry was inserted, or the head was changed, outside
 * this service) or whose head is invalid. The head may move meanwhile, so it is read in one snapshot with the entries.
 */
function blockedAmong({ db, heads, entries }: LogStores, workspaces: Set<string>): Promise<string[]> {
  return db.transaction(async ({ session }) => {
    const blocked: string[] = [];
    for (const workspace of workspaces) {
      const end = await heads.of(workspace, session);
      if (!end?.isSigned || (await entries.after(end.seq, workspace, session))) blocked.push(workspace);
    }
    return blocked;
  });
}

async function tryToAppend({ heads, entries, tallies }: LogStores, given: Entry[], session: ClientSession) {
  const ends = await heads.lock([...new Set(given.map(({ workspace }) => workspace))], session);
  const byId = new Map(given.map((entry) => [entry._id, entry]));
  for (const id of await entries.idsAmong([...byId.keys()], session)) byId.delete(id);
  if (byId.size === 0) return new Map<string, Anchor>();

  const linked = [...byId.values()].map((entry) => {
    const next = linkTo(ends.get(entry.workspace)!, entry);
    ends.set(entry.workspace, { seq: next.seq, hash: next.hash });
    return next;
  });
  await entries.insert(linked, session);
  await tallies.add(linked, session);
  const appended = new Map([...ends].filter(([workspace]) => linked.some((entry) => entry.workspace === workspace)));
  return heads.move(appended, session);
}
