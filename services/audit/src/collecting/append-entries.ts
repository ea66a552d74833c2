import { auditAppended } from '@waymark/contract/events';
import type { Database, Transaction } from '@waymark/kernel/mongo/database';
import { isDuplicateKey } from '@waymark/kernel/errors';
import type { Anchor } from '../chain/anchor-keys.js';
import { ChainsBlocked, linkEntry } from '../chain/chain.js';
import type { Entry } from '../chain/entry.js';
import type { EntryStore } from '../entries/entry-store.js';
import type { HeadStore } from '../chain/head-store.js';
import type { DayCountStore } from '../entries/day-count-store.js';

const ATTEMPTS_MAX = 2;

export interface AppendContext {
  db: Database;
  entries: EntryStore;
  heads: HeadStore;
  dayCounts: DayCountStore;
}

/**
 * The only way to add entries to the log: links each entry to the last one of its workspace, in the given order. Skips
 * an entry that is already stored. Any number of processes may append at the same time.
 * Announces the new heads, of which auth keeps a copy.
 * @returns the new heads of the chains that have new entries
 * @throws ChainsBlocked
 */
export async function appendEntries(ctx: AppendContext, entries: Entry[]): Promise<Map<string, Anchor>> {
  if (entries.length === 0) return new Map();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ctx.db.transaction((tx) => tryToAppend(ctx, entries, tx));
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      // Another process may have created the head of the same chain at the same time: the next attempt can lock it.
      if (attempt < ATTEMPTS_MAX) continue;
      const blocked = await findBlocked(ctx, new Set(entries.map(({ workspace }) => workspace)));
      throw blocked.length > 0 ? new ChainsBlocked(blocked) : error;
    }
  }
}

/**
 * Finds the workspaces whose next number is already taken (the entry was inserted, or the head was changed, outside
 * this service) or whose head is invalid. The head may move meanwhile, so it is read in one snapshot with the entries.
 */
function findBlocked({ db, heads, entries }: AppendContext, workspaces: Set<string>): Promise<string[]> {
  return db.transaction(async ({ session }) => {
    const blocked: string[] = [];
    for (const workspace of workspaces) {
      const end = await heads.headOf(workspace, session);
      if (!end?.isSigned || (await entries.entryAfter(end.seq, workspace, session))) blocked.push(workspace);
    }
    return blocked;
  });
}

async function tryToAppend({ heads, entries, dayCounts }: AppendContext, newEntries: Entry[], tx: Transaction) {
  const { session } = tx;
  const ends = await heads.lockHeads([...new Set(newEntries.map(({ workspace }) => workspace))], session);
  const byId = new Map(newEntries.map((entry) => [entry._id, entry]));
  for (const id of await entries.existingIds([...byId.keys()], session)) byId.delete(id);
  if (byId.size === 0) return new Map<string, Anchor>();

  const previous = new Map(ends);
  const linked = [...byId.values()].map((entry) => {
    const next = linkEntry(ends.get(entry.workspace)!, entry);
    ends.set(entry.workspace, { seq: next.seq, hash: next.hash });
    return next;
  });
  await entries.insertEntries(linked, session);
  await dayCounts.addEntries(linked, session);
  const appended = new Map([...ends].filter(([workspace]) => linked.some((entry) => entry.workspace === workspace)));
  for (const [workspace, head] of appended)
    tx.emit(auditAppended.create({ workspace }, { head, previous: previous.get(workspace)! }));
  return heads.storeHeads(appended, session);
}
