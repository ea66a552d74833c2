import type { CursorPage } from '@waymark/kernel/http/reply';
import type { AskedPage } from '@waymark/kernel/mongo/list-cursor';
import type { LogStores } from './append-entries.js';
import { dayOf, splitRange, type Day, type Stretch } from './days.js';
import { isNarrow, type EntryFilter } from './entry-filter.js';
import type { StoredEntry } from './entry-store.js';
import { matchingDays } from './matching-days.js';

type Stores = Pick<LogStores, 'entries' | 'tallies'>;
type FoundPage = Omit<CursorPage<StoredEntry>, 'total' | 'truncated'>;

/** The number of matching entries: in total, and on each partial day at the ends of the range. */
interface Counts {
  total: number;
  cut: Map<Day, number>;
}

/**
 * Returns one page and the total number of matches. The cost grows with the days of the log, not with its entries:
 * tallies count and skip whole days, the database reads entries only of the days on the page, and counts them only on
 * the partial days at the ends of the range.
 */
export async function listEntries(
  stores: Stores,
  workspace: string,
  filter: EntryFilter,
  asked: AskedPage,
): Promise<CursorPage<StoredEntry>> {
  if (isNarrow(filter)) return stores.entries.findNarrow(workspace, filter, asked);
  const counts = await countEntries(stores, workspace, filter);
  const found = await (asked.cursor === undefined
    ? findByNumber(stores, workspace, filter, asked, counts)
    : findByCursor(stores, workspace, filter, { ...asked, cursor: asked.cursor }));
  return { ...found, total: counts.total, truncated: false };
}

async function countEntries({ entries, tallies }: Stores, workspace: string, filter: EntryFilter): Promise<Counts> {
  const { late, days, early } = splitRange(filter);
  const countCut = async (within: Stretch): Promise<[Day, number]> => [
    dayOf(within.from),
    await entries.count(workspace, filter, within),
  ];
  const [whole, ...cut] = await Promise.all([
    days ? tallies.total(workspace, filter, days) : 0,
    ...[late, early].filter((within) => within !== undefined).map(countCut),
  ]);
  return { total: cut.reduce((sum, [, count]) => sum + count, whole), cut: new Map(cut) };
}

async function findByNumber(
  { entries, tallies }: Stores,
  workspace: string,
  filter: EntryFilter,
  { page, perPage }: AskedPage,
  { total, cut }: Counts,
): Promise<FoundPage> {
  const before = (page - 1) * perPage;
  if (before >= total) return { items: [], page, nextCursor: null };
  let skip = before;
  let room = perPage;
  const wanted: Day[] = [];
  for await (const { day, count = cut.get(day)! } of matchingDays(tallies, workspace, filter)) {
    if (wanted.length === 0 && skip >= count) {
      skip -= count;
      continue;
    }
    room -= wanted.length === 0 ? count - skip : count;
    wanted.push(day);
    if (room <= 0) break;
  }
  const items = await entries.find(workspace, filter, wanted, skip, perPage);
  const last = before + items.length < total ? items.at(-1) : undefined;
  return { items, page, nextCursor: last ? entries.cursorAfter(last, before + items.length) : null };
}

/** Collects days, starting with the cursor's, until they hold one page and one more entry. */
async function findByCursor(
  { entries, tallies }: Stores,
  workspace: string,
  filter: EntryFilter,
  asked: AskedPage & { cursor: string },
): Promise<FoundPage> {
  const time = entries.timeOf(asked.cursor);
  const rest = { ...filter, to: filter.to && filter.to < time ? filter.to : time };
  const wanted: Day[] = [];
  let room = asked.perPage + 1;
  // A partial day (cut by the range or the cursor) may have any number of entries left, even none.
  for await (const { day, count = 0 } of matchingDays(tallies, workspace, rest)) {
    wanted.push(day);
    room -= day === dayOf(time) ? 0 : count;
    if (room <= 0) break;
  }
  return entries.findAfter(workspace, rest, wanted, asked);
}
