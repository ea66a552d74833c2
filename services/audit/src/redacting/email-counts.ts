import type { ErasedUsers } from '../chain/redaction.js';
import type { ActorCount } from '../entries/day-count-store.js';
import { dayOf } from '../entries/days.js';
import type { StoredEntry } from '../entries/entry-store.js';
import { actorsOnDays } from '../entries/facets.js';
import { unreadableFields } from '../entries/unreadable-fields.js';

/**
 * Returns the counts of an entry under e-mail addresses of erased users. Its facets repeat the day and the names of the
 * actor, because either field may be damaged, and nothing leads to the counts once the entry is redacted. Both may be
 * damaged: an entry whose actor is leads to all counts of the log under the addresses in the order of the erasure.
 */
export function emailCounts(entry: StoredEntry, { ids: erasedIds, emails }: ErasedUsers): ActorCount[] {
  const unreadable = unreadableFields(entry);
  if (unreadable.includes('workspace')) return [];
  const { workspace, createdAt, facets } = entry;
  const actor = unreadable.includes('actor') ? undefined : entry.actor;
  const counts: ActorCount[] = actor ? [] : [...emails].map((name) => ({ workspace, name, day: null }));
  const indexed = actorsOnDays(facets);
  const ids = [actor?.id, ...indexed.map(({ name }) => name)];
  if (![...erasedIds].some((id) => ids.includes(id) || ids.includes(id.toLowerCase()))) return counts;

  for (const { name, day } of indexed) if (name.includes('@')) counts.push({ workspace, name, day });
  if (typeof actor?.email === 'string') {
    const days = new Set(indexed.map(({ day }) => day));
    if (!unreadable.includes('createdAt')) days.add(dayOf(createdAt));
    for (const day of days) counts.push({ workspace, name: actor.email, day });
  }
  return counts;
}
