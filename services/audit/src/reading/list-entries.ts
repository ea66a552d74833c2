import type { CursorPage } from '@waymark/kernel/mongo/page';
import { capTotal, isListed, readList } from '@waymark/kernel/mongo/find-page';
import type { RequestedPage } from '@waymark/kernel/mongo/list-cursor';
import { dayOf, splitRange, type Day } from '../entries/days.js';
import { isNarrow } from '../entries/entry-filter.js';
import type { DayCountStore } from '../entries/day-count-store.js';
import type { EntryQuery, EntryStore, StoredEntry } from '../entries/entry-store.js';
import { matchingDays } from './matching-days.js';

export interface ListContext {
  entries: EntryStore;
  dayCounts: DayCountStore;
}
type FoundPage = Omit<CursorPage<StoredEntry>, 'total' | 'truncated'>;

/**
 * The number of matching entries: in total, and on each partial day at the ends of the range, where it is exact up to
 * `LISTED_MAX`.
 */
interface EntryCounts {
  total: number;
  partialDays: Map<Day, number>;
}

/**
 * Returns one page and the total number of matches, both up to `LISTED_MAX`; a cursor reaches all. The cost grows with the
 * days of the log, not with its entries: day counts count and skip whole days, the database reads entries only of the days
 * on the page, and counts them only on the partial days at the ends of the range.
 */
export async function listEntries(
  ctx: ListContext,
  query: EntryQuery,
  requested: RequestedPage,
): Promise<CursorPage<StoredEntry>> {
  if (isNarrow(query.filter)) return ctx.entries.findNarrowPage(query, requested);
  return readList(() => findByFacets(ctx, query, requested));
}

async function findByFacets(
  ctx: ListContext,
  query: EntryQuery,
  requested: RequestedPage,
): Promise<CursorPage<StoredEntry>> {
  const counts = await countMatches(ctx, query);
  const found = await (requested.cursor === undefined
    ? findPageByNumber(ctx, query, { ...requested, counts })
    : findPageByCursor(ctx, query, { ...requested, cursor: requested.cursor }));
  return { ...found, ...capTotal(counts.total) };
}

async function countMatches({ entries, dayCounts }: ListContext, query: EntryQuery): Promise<EntryCounts> {
  const { late, days, early } = splitRange(query.filter);
  let total = days ? await dayCounts.totalCount(query, days) : 0;
  const partialDays = new Map<Day, number>();
  // One after the other: a list takes one connection at a time.
  for (const within of [late, early]) {
    if (!within) continue;
    const count = await entries.countEntries(query, within);
    partialDays.set(dayOf(within.from), count);
    total += count;
  }
  return { total, partialDays };
}

async function findPageByNumber(
  { entries, dayCounts }: ListContext,
  query: EntryQuery,
  { page, perPage, counts: { total, partialDays } }: RequestedPage & { counts: EntryCounts },
): Promise<FoundPage> {
  const before = (page - 1) * perPage;
  if (before >= total || !isListed({ page, perPage })) return { items: [], page, nextCursor: null };
  let skip = before;
  let room = perPage;
  const wanted: Day[] = [];
  for await (const { day, count = partialDays.get(day)! } of matchingDays(dayCounts, query)) {
    if (wanted.length === 0 && skip >= count) {
      skip -= count;
      continue;
    }
    room -= wanted.length === 0 ? count - skip : count;
    wanted.push(day);
    if (room <= 0) break;
  }
  const items = await entries.findEntries(query, wanted, { skip, limit: perPage });
  const last = before + items.length < total ? items.at(-1) : undefined;
  return { items, page, nextCursor: last ? entries.cursorAfter(last, before + items.length) : null };
}

/** Collects days, starting with the cursor's, until they hold one page and one more entry. */
async function findPageByCursor(
  { entries, dayCounts }: ListContext,
  { workspace, filter }: EntryQuery,
  requested: RequestedPage & { cursor: string },
): Promise<FoundPage> {
  const time = entries.timeOfCursor(requested.cursor);
  const rest = { workspace, filter: { ...filter, to: filter.to && filter.to < time ? filter.to : time } };
  const wanted: Day[] = [];
  let room = requested.perPage + 1;
  // A partial day (cut by the range or the cursor) may have any number of entries left, even none.
  for await (const { day, count = 0 } of matchingDays(dayCounts, rest)) {
    wanted.push(day);
    room -= day === dayOf(time) ? 0 : count;
    if (room <= 0) break;
  }
  return entries.findEntriesAfter(rest, wanted, requested);
}
