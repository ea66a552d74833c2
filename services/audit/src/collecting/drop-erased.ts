import type { ErasureStore } from '@waymark/kernel/erasure/erasure-store';
import type { Entry } from '../chain/entry.js';
import { invitedEmail, subjectsOf, withoutPersonalData } from '../chain/redaction.js';

export type FindErased = Pick<ErasureStore, 'findErased' | 'findErasedEmails'>;

/**
 * An event may arrive after the erasure. Returns the function that removes from entries those of erased workspaces, and
 * the data of erased users.
 */
export async function erasedIn(erasures: FindErased, entries: Entry[]): Promise<(some: Entry[]) => Entry[]> {
  const slugs = entries.map(({ workspace }) => workspace);
  const [workspaces, ids, emails] = await Promise.all([
    erasures.findErased('workspace', slugs),
    erasures.findErased('user', entries.flatMap(subjectsOf)),
    erasures.findErasedEmails(entries.flatMap((entry) => invitedEmail(entry) ?? [])),
  ]);
  return (some) =>
    some
      .filter(({ workspace }) => !workspaces.has(workspace))
      .map((entry) => withoutPersonalData(entry, { ids, emails }));
}
