import type { ActorCount } from '../entries/day-count-store.js';
import { dayOf } from '../entries/days.js';
import type { StoredEntry } from '../entries/entry-store.js';
import { actorsOnDays } from '../entries/facets.js';
import { unreadableFields } from '../entries/unreadable-fields.js';

/**
 * Returns the counts of an entry under e-mail addresses of erased users. Its facets repeat the day and the names of the
 * actor, because either field may be damaged, and nothing leads to the counts once the entry is redacted.
 */
export function emailCounts(entry: StoredEntry, erasedIds: ReadonlySet<string>): ActorCount[] {
  const unreadable = unreadableFields(entry);
  if (unreadable.includes('workspace')) return [];
  const { workspace, createdAt, facets } = entry;
  const indexed = actorsOnDays(facets);
  const actor = unreadable.includes('actor') ? undefined : entry.actor;
  const ids = [actor?.id, ...indexed.map(({ name }) => name)];
  if (![...erasedIds].some((id) => ids.includes(id) || ids.includes(id.toLowerCase()))) return [];

  const counts = indexed.filter(({ name }) => name.includes('@'));
  if (typeof actor?.email === 'string') {
    const days = new Set(indexed.map(({ day }) => day));
    if (!unreadable.includes('createdAt')) days.add(dayOf(createdAt));
    for (const day of days) counts.push({ name: actor.email, day });
  }
  return counts.map((count) => ({ workspace, ...count }));
}
