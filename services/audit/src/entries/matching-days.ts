import { dayOf, splitRange, type Day } from './days.js';
import type { EntryFilter } from './entry-filter.js';
import type { TallyStore } from './tally-store.js';

/** Yields the days that may have matches, newest first. The count is known for whole days, not for partial ones. */
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
