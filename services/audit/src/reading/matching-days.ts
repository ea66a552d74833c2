import { dayOf, splitRange, type Day } from '../entries/days.js';
import type { EntryQuery } from '../entries/entry-store.js';
import type { DayCountStore } from '../entries/day-count-store.js';

/** Yields the days that may have matches, newest first. The count is known for whole days, not for partial ones. */
export async function* matchingDays(
  dayCounts: DayCountStore,
  query: EntryQuery,
): AsyncGenerator<{ day: Day; count?: number }> {
  const { late, days, early } = splitRange(query.filter);
  if (late) yield { day: dayOf(late.from) };
  if (days) yield* dayCounts.daysWithMatches(query, days);
  if (early) yield { day: dayOf(early.from) };
}
