import type { LogStores } from './append-entries.js';
import { EMPTY } from './chain.js';
import type { StoredEntry } from './entry-store.js';

/** Finds an entry that is not part of its chain. */
export async function findStray(
  { db, heads, entries }: Pick<LogStores, 'db' | 'heads' | 'entries'>,
  workspace: string,
): Promise<StoredEntry | null> {
  // The head may move meanwhile: it is read in one snapshot with the entries after it.
  const behind = await db.transaction(async ({ session }) => {
    const { seq } = (await heads.of(workspace, session)) ?? EMPTY;
    return entries.after(seq, workspace, session);
  });
  return behind ?? entries.withoutPlace(workspace);
}
