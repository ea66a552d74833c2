import type { Page, PageOf } from '@waymark/shared/kernel/http/reply';
import type { LogStores } from './append-entries.js';
import { dayOf, splitRange, type Day, type Stretch } from './days.js';
import { isNarrow, type EntryFilter } from './entry-filter.js';
import type { StoredEntry } from './entry-store.js';
import { matchingDays } from './matching-days.js';

/**
 * One page, and how many entries match in all. The cost grows with the days of the log, not with its entries: whole days
 * are counted and skipped by their tallies, entries are read of the days that the page is on, and only those of a day that
 * the range cuts are counted one by one.
 */
export async function listEntries(
  { entries, tallies }: Pick<LogStores, 'entries' | 'tallies'>,
  workspace: string,
  filter: EntryFilter,
  { page, perPage }: Page,
): Promise<PageOf<StoredEntry>> {
  if (isNarrow(filter)) return entries.findNarrow(workspace, filter, { page, perPage });
  const { late, days, early } = splitRange(filter);
  const countCut = async (within: Stretch): Promise<[Day, number]> => [
    dayOf(within.from),
    await entries.count(workspace, filter, within),
  ];
  const [whole, ...cut] = await Promise.all([
    days ? tallies.total(workspace, filter, days) : 0,
    ...[late, early].filter((within) => within !== undefined).map(countCut),
  ]);
  const total = cut.reduce((sum, [, count]) => sum + count, whole);

  const before = (page - 1) * perPage;
  if (before >= total) return { items: [], total };
  const { days: wanted, skip } = await daysOfPage(before);
  return { items: await entries.find(workspace, filter, wanted, skip, perPage), total };

  /** The days that the page is on, and how many of their entries come before it. */
  async function daysOfPage(remaining: number): Promise<{ days: Day[]; skip: number }> {
    const counts = new Map(cut);
    const wanted: Day[] = [];
    let room = perPage;
    for await (const { day, count = counts.get(day)! } of matchingDays(tallies, workspace, filter)) {
      if (wanted.length === 0 && remaining >= count) {
        remaining -= count;
        continue;
      }
      room -= wanted.length === 0 ? count - remaining : count;
      wanted.push(day);
      if (room <= 0) break;
    }
    return { days: wanted, skip: remaining };
  }
}
