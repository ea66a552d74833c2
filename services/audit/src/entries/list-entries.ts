import type { Page, PageOf } from '@waymark/shared/kernel/http/reply';
import type { LogStores } from './append-entries.js';
import { endOf, splitRange, type Stretch } from './days.js';
import type { EntryFilter } from './entry-filter.js';
import type { StoredEntry } from './entry-store.js';

/** Skipping so many costs less than to ask where they are. */
const SKIP_MAX = 1000;

/**
 * One page, and how many entries match in all. The cost grows with the days of the log, not with its entries: whole days
 * are counted and skipped by their tallies; only entries of a day that the range cuts are counted one by one.
 */
export async function listEntries(
  { entries, tallies }: Pick<LogStores, 'entries' | 'tallies'>,
  workspace: string,
  filter: EntryFilter,
  { page, perPage }: Page,
): Promise<PageOf<StoredEntry>> {
  const { late, days, early } = splitRange(filter);
  const count = (within: Stretch | undefined) => (within ? entries.count(workspace, filter, within) : 0);
  const whole = days ? tallies.total(workspace, filter, days) : 0;
  const counts = await Promise.all([count(late), whole, count(early)]);
  const total = counts[0] + counts[1] + counts[2];

  const skip = (page - 1) * perPage;
  if (skip >= total) return { items: [], total };
  const start = skip < Math.max(SKIP_MAX, counts[0]) ? { skip } : await startAfter(skip - counts[0]);
  return { items: await entries.find(workspace, { ...filter, ...start }, start.skip, perPage), total };

  /** The day on which the page begins, and how many of its entries come before. */
  async function startAfter(remaining: number): Promise<{ skip: number; to?: Date }> {
    for await (const { day, count: onDay } of days ? tallies.days(workspace, filter, days) : []) {
      if (remaining < onDay) return { skip: remaining, to: endOf(day) };
      remaining -= onDay;
    }
    return { skip: remaining, to: early?.to };
  }
}
