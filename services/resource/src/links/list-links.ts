import { linkStatus, type LinkQuery, type LinkSort } from '@waymark/contract/links';
import { tooMany, type FieldProblems } from '@waymark/contract/problems';
import type { CursorPage } from '@waymark/kernel/mongo/page';
import { LIST_MAX_MS, readList } from '@waymark/kernel/mongo/find-page';
import type { ListContext } from './context.js';
import type { Link, ListedLink, TaggedLink } from './link.js';
import { allWithTags } from './references.js';
import { SEARCH_WORDS_MAX, wordsOfSearch } from './search-words.js';
import type { LinkFilter, LinkOrder, LinkSearch, SortField } from './link-store.js';

/** Ties are broken by id, so that no link is on two pages. */
const ORDERS: Readonly<Record<LinkSort, LinkOrder>> = {
  created_at: { createdAt: 1, _id: 1 },
  '-created_at': { createdAt: -1, _id: -1 },
  updated_at: { updatedAt: 1, _id: 1 },
  '-updated_at': { updatedAt: -1, _id: -1 },
  title: { titleKey: 1, _id: 1 },
  '-title': { titleKey: -1, _id: -1 },
  scans_count: { scansCount: 1, _id: 1 },
  '-scans_count': { scansCount: -1, _id: -1 },
};

/** The query of the QR codes deployment has fewer filters. */
export type ListQuery = Partial<LinkQuery> & Pick<LinkQuery, 'sort' | 'page' | 'per_page' | 'cursor'>;
export type Filters = Omit<ListQuery, 'page' | 'per_page' | 'cursor'>;

export function checkSearch({ search }: Pick<ListQuery, 'search'>): FieldProblems {
  if (search === undefined || wordsOfSearch(search).length <= SEARCH_WORDS_MAX) return {};
  return { search: [tooMany('search', SEARCH_WORDS_MAX, 'words')] };
}

/** @param signal ends the wait of a list whose client has gone */
export function listLinks(
  ctx: ListContext,
  { workspace, signal }: { workspace: string; signal?: AbortSignal },
  query: ListQuery,
): Promise<CursorPage<TaggedLink>> {
  return ctx.lists.run(workspace, () => readList(() => findLinks(ctx, workspace, query)), signal);
}

async function findLinks(ctx: ListContext, workspace: string, query: ListQuery): Promise<CursorPage<TaggedLink>> {
  const filter = filterOf(query);
  const search = { workspace, filter, maxTimeMS: LIST_MAX_MS };
  if (filter.words?.length === 0 || !(await containersExist(ctx, search)))
    return { items: [], total: 0, truncated: false, page: query.page, nextCursor: null };
  const found =
    (isIndexed(filter, query.sort) ? null : await listSorted(ctx, search, query)) ??
    (await listInOrder(ctx, search, query));
  return { ...found, items: await allWithTags(ctx, found.items) };
}

/** A deleted folder or tag may still have links, which lists must not show. */
async function containersExist(ctx: ListContext, { workspace, filter }: LinkSearch): Promise<boolean> {
  const { folderId, tagId } = filter;
  if (folderId !== undefined && !(await ctx.folders.findItem(workspace, folderId))) return false;
  return tagId === undefined || (await ctx.tags.findItem(workspace, tagId)) !== null;
}

/** True if one index has exactly these links in exactly this order. */
function isIndexed(filter: LinkFilter, sort: LinkSort): boolean {
  const names = Object.keys(filter);
  if (filter.words !== undefined || filter.availability !== undefined) return false;
  if (sort.endsWith('updated_at')) return names.every((name) => name === 'updatedSince');
  if (sort.endsWith('created_at')) return names.length <= 1 && filter.updatedSince === undefined;
  return names.length === 0;
}

/** Sorting this many links here is fast; with more matches, walking an index in order finds them soon enough. */
const SORTED_MAX = 1000;

/**
 * Reads all matches and sorts them here: if few of many links match, a database that walks an index in order would walk
 * through all links.
 */
async function listSorted(
  ctx: ListContext,
  search: LinkSearch,
  query: ListQuery,
): Promise<CursorPage<ListedLink> | null> {
  const sortKeys = await ctx.links.findSortKeys(search, SORTED_MAX);
  if (!sortKeys) return null;
  const page = await readSorted(ctx, { workspace: search.workspace, sortKeys }, query);
  return { ...page, total: sortKeys.length, truncated: false };
}

async function readSorted(
  ctx: Pick<ListContext, 'links'>,
  { workspace, sortKeys }: { workspace: string; sortKeys: Pick<Link, SortField>[] },
  query: ListQuery,
) {
  const { shown, ...page } = pageOfSorted(ctx, sortKeys, query);
  const items = await ctx.links.findListed(
    workspace,
    shown.map(({ _id }) => _id),
  );
  return { ...page, items };
}

function pageOfSorted(ctx: Pick<ListContext, 'links'>, sortKeys: Pick<Link, SortField>[], query: ListQuery) {
  const { sort, page, per_page: perPage, cursor } = query;
  const order = ORDERS[sort];
  const compare = inOrder(order);
  const sorted = sortKeys.sort(compare);
  const position = cursor === undefined ? undefined : ctx.links.decodeCursor(order, cursor);
  const readCount = position?.readCount ?? (page - 1) * perPage;
  const rest = position ? sorted.filter((link) => compare(link, position.last) > 0) : sorted.slice(readCount);
  const shown = rest.slice(0, perPage);
  const hasNext = rest.length > perPage;
  return {
    shown,
    page: Math.floor(readCount / perPage) + 1,
    nextCursor: hasNext ? ctx.links.cursorAfter(order, shown.at(-1)!, readCount + perPage) : null,
  };
}

function inOrder(order: LinkOrder) {
  const keys = Object.entries(order) as [SortField, 1 | -1][];
  return (a: Pick<Link, SortField>, b: Pick<Link, SortField>): number => {
    for (const [key, direction] of keys) {
      if (a[key] < b[key]) return -direction;
      if (a[key] > b[key]) return direction;
    }
    return 0;
  };
}

/** Links per query, so that requests beside an export wait for little: a link may have 10 kB, and a QR code a logo of 85 kB. */
const READ_AT_ONCE = { link: 50, qr_code: 20 };

/**
 * Yields all links of a list in its order, a batch at a time. The batches of exports take turns with each other, not
 * with lists: an export must not fail after it has started.
 */
export async function* readAllLinks<T>(
  ctx: ListContext,
  { workspace, filters }: { workspace: string; filters: Filters },
  present: (tagged: TaggedLink) => T,
): AsyncGenerator<T[]> {
  const search = { workspace, filter: filterOf(filters) };
  const inTurn = <Result>(read: () => Promise<Result>) => ctx.exportBatches.run(workspace, read);
  if (search.filter.words?.length === 0 || !(await inTurn(() => containersExist(ctx, search)))) return;
  const query = { ...filters, page: 1, per_page: READ_AT_ONCE[ctx.contentType.target] };
  const isOneIndex = isIndexed(search.filter, filters.sort);
  const sortKeys = isOneIndex ? null : await inTurn(() => ctx.links.findSortKeys(search, SORTED_MAX));
  const readBatch = async (cursor: string | undefined) => {
    const found = sortKeys
      ? await readSorted(ctx, { workspace, sortKeys }, { ...query, cursor })
      : await ctx.links.findPage(search, ORDERS[filters.sort], { page: 1, perPage: query.per_page, cursor });
    return { rows: (await allWithTags(ctx, found.items)).map(present), nextCursor: found.nextCursor };
  };
  for (let cursor: string | null | undefined; cursor !== null;) {
    const after = cursor;
    const { rows, nextCursor } = await inTurn(() => readBatch(after));
    cursor = nextCursor;
    yield rows;
  }
}

interface LinkCount {
  total: number;
  /** True if more links match than were counted. */
  truncated: boolean;
}

async function listInOrder(
  ctx: ListContext,
  search: LinkSearch,
  { sort, page, per_page: perPage, cursor }: ListQuery,
): Promise<CursorPage<ListedLink>> {
  const found = await ctx.links.findPage(search, ORDERS[sort], { page, perPage, cursor });
  const { total, truncated } = await countLinks(ctx, search);
  const { items, nextCursor } = found;
  if (!truncated || items.length === 0) return { ...found, total, truncated };
  // One more if there is a next page: a client that follows `links.next` reaches every link.
  const seenCount = (found.page - 1) * perPage + items.length + Number(nextCursor !== null);
  return { ...found, total: Math.max(total, seenCount), truncated };
}

function filterOf(query: Filters): LinkFilter {
  const { status, availability, search, folder_id, tag_id, campaign, domain_id, updated_since } = query;
  const filter: LinkFilter = {
    status,
    availability,
    folderId: folder_id,
    tagId: tag_id,
    campaign,
    domainId: domain_id,
    updatedSince: updated_since,
    words: search === undefined ? undefined : wordsOfSearch(search),
  };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

/** The cost of a total must not grow with the workspace. */
const COUNTED_MAX = 10_000;

/** Reads the counter of the matches; if there is none, counts up to a limit. */
async function countLinks(ctx: ListContext, search: LinkSearch): Promise<LinkCount> {
  const counter = await readCounter(ctx, search);
  if (counter !== null) return { total: counter, truncated: false };
  const counted = await ctx.links.countUpTo(search, COUNTED_MAX + 1);
  return { total: Math.min(counted, COUNTED_MAX), truncated: counted > COUNTED_MAX };
}

async function readCounter(ctx: ListContext, { workspace, filter }: LinkSearch): Promise<number | null> {
  const [only, ...others] = Object.keys(filter) as (keyof LinkFilter)[];
  if (others.length > 0) return null;
  if (only === undefined || only === 'status') {
    const statuses = filter.status === undefined ? linkStatus.options : [filter.status];
    const counts = await Promise.all(statuses.map((status) => ctx.counts[status].countUsed(workspace)));
    return counts.reduce((total, count) => total + count, 0);
  }
  if (only === 'folderId') return linksCountOf(await ctx.folders.findItem(workspace, filter.folderId!));
  if (only === 'tagId') return linksCountOf(await ctx.tags.findItem(workspace, filter.tagId!));
  if (only === 'domainId') return linksCountOf(await ctx.domains.findDomain(workspace, filter.domainId!));
  return null;
}

const linksCountOf = (item: { linksCount: number } | null): number => item?.linksCount ?? 0;
