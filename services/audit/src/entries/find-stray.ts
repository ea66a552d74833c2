import type { LogStores } from './append-entries.js';
import { EMPTY } from './chain.js';
import type { StoredEntry } from './entry-store.js';

/** An entry that stands in no place of its chain. The end may move on meanwhile: it is read in one view with the entries. */
export function findStray(
  { db, heads, entries }: Pick<LogStores, 'db' | 'heads' | 'entries'>,
  workspace: string,
): Promise<StoredEntry | null> {
  return db.transaction(async ({ session }) => {
    const { seq } = (await heads.of(workspace, session)) ?? EMPTY;
    return entries.stray(workspace, seq, session);
  });
}
