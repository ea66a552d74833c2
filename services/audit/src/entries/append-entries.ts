import type { Entry } from './entry.js';
import type { EntryStore } from './entry-store.js';

/** The only way into the log. An entry that is there already stays as it is. */
export async function appendEntries(store: EntryStore, entries: Entry[]): Promise<void> {
  if (entries.length > 0) await store.insertMissing(entries);
}
