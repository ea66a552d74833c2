import type { Database } from '@waymark/kernel/mongo/database';
import type { AnchorKeys } from '../chain/anchor-keys.js';
import { EMPTY_HEAD } from '../chain/chain.js';
import type { HeadStore } from '../chain/head-store.js';
import type { EntryStore, StoredEntry } from '../entries/entry-store.js';

export interface VerifyContext {
  db: Database;
  heads: HeadStore;
  entries: EntryStore;
  keys: Pick<AnchorKeys, 'isGenuine'>;
}

/** Finds an entry that is not part of its chain. */
export async function findOrphan(
  { db, heads, entries }: Omit<VerifyContext, 'keys'>,
  workspace: string,
): Promise<StoredEntry | null> {
  // The head may move meanwhile: it is read in one snapshot with the entries after it.
  const afterHead = await db.transaction(async ({ session }) => {
    const { seq } = (await heads.headOf(workspace, session)) ?? EMPTY_HEAD;
    return entries.entryAfter(seq, workspace, session);
  });
  return afterHead ?? entries.entryWithoutNumber(workspace);
}
