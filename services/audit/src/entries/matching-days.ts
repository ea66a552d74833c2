import { dayOf, splitRange, type Day } from './days.js';
import type { EntryFilter } from './entry-filter.js';
import type { TallyStore } from './tally-store.js';

/** The days on which entries may match, newest first. How many is known of whole days, not of those that the range cuts. */
export async function* matchingDays(
  tallies: TallyStore,
  workspace: string,
  filter: EntryFilter,
): AsyncGenerator<{ day: Day; count?: number }> {
  const { late, days, early } = splitRange(filter);
  if (late) yield { day: dayOf(late.from) };
  if (days) yield* tallies.days(workspace, filter, days);
  if (early) yield { day: dayOf(early.from) };
}
