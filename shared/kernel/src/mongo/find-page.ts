import type { Model, SortOrder } from 'mongoose';
import { isTimeLimitExceeded, tooExpensive, unavailable } from '../errors.js';
import type { CursorPage, Page, PageOf } from './page.js';
import { decodeCursor, encodeCursor, type RequestedPage, type Position, type SortField } from './list-cursor.js';

type Sort = Record<string, SortOrder>;
const NEWEST_FIRST: Sort = { createdAt: -1, _id: -1 };
/** Counting or skipping more documents would take the database seconds. */
export const LISTED_MAX = 100_000;
/** Bounds each query of a list: one that no index covers may read every document of its owner. */
export const LIST_MAX_MS = 5000;

export interface ListQuery<T> {
  model: Model<T>;
  where: object;
  /** Newest first by default; the last field must be unique, to order ties. */
  sort?: Sort;
  /** Fields that are left out, as a projection. */
  fields?: Record<string, 0>;
  /** Ends each query; see `readList`. */
  maxTimeMS?: number;
}

const ADVICE = 'Use fewer filters, or a shorter time range.';

/**
 * Reads a list by queries with a time limit, such as `LIST_MAX_MS`.
 * @param advice says how to narrow the list; `null` if nothing does
 * @throws AppError when a query exceeds it: `validation_failed` with the advice, without any `service_unavailable`
 */
export async function readList<T>(read: () => Promise<T>, advice: string | null = ADVICE): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    if (!isTimeLimitExceeded(cause)) throw cause;
    if (advice === null) throw unavailable(cause);
    throw tooExpensive('The query takes too long.', advice, cause);
  }
}

/** Returns one page of the matches. */
export function findItems<T>(
  { model, where, sort = NEWEST_FIRST, fields = {} }: ListQuery<T>,
  { page, perPage }: Page,
): Promise<T[]> {
  return model
    .find(where, fields)
    .sort(sort)
    .skip((page - 1) * perPage)
    .limit(perPage)
    .lean<T[]>()
    .exec();
}

/** Returns one page of the matches with their total number. */
export async function findPage<T>(query: ListQuery<T>, page: Page): Promise<PageOf<T>> {
  const [items, total] = await Promise.all([findItems(query, page), query.model.countDocuments(query.where)]);
  return { items, total };
}

/**
 * Returns a page of a possibly long list: page numbers reach `LISTED_MAX` documents, a cursor reaches all. Uses one
 * connection at a time.
 * @throws AppError `validation_failed` when a query takes longer than `LIST_MAX_MS`
 */
export function findCursorPage<T extends { _id: string }>(
  query: Omit<ListQuery<T>, 'maxTimeMS'>,
  requested: RequestedPage,
): Promise<CursorPage<T>> {
  const limited = { ...query, maxTimeMS: LIST_MAX_MS };
  return readList(async () => {
    const count = await query.model.countDocuments(query.where, { limit: LISTED_MAX + 1, maxTimeMS: LIST_MAX_MS });
    const found = isListed(requested)
      ? await findSorted(limited, requested)
      : { items: [] as T[], page: requested.page, nextCursor: null };
    return { ...found, ...capTotal(count) };
  });
}

/** Returns whether a page of a possibly long list is read: by cursor, or by a number that `LISTED_MAX` covers. */
export const isListed = ({ cursor, page, perPage }: RequestedPage): boolean =>
  cursor !== undefined || page * perPage <= LISTED_MAX;

/** @param count exact up to `LISTED_MAX`, and more where there are more */
export const capTotal = (count: number): { total: number; truncated: boolean } => ({
  total: Math.min(count, LISTED_MAX),
  truncated: count > LISTED_MAX,
});

/** Returns one page of the matches, and the cursor of the next. `sort` is a field that all have, then the id. */
export async function findSorted<T extends { _id: string }>(
  { model, where, sort = NEWEST_FIRST, fields = {}, maxTimeMS }: ListQuery<T>,
  { page, perPage, cursor }: RequestedPage,
): Promise<{ items: T[]; page: number; nextCursor: string | null }> {
  const field = sortFieldOf(model, sort);
  const position = cursor === undefined ? undefined : decodeCursor(field, cursor);
  const limit = perPage + 1;
  const found = position
    ? await findAfter({ model, where, fields, maxTimeMS }, { field, position, sort, limit })
    : await model
        .find(where, fields, { maxTimeMS })
        .sort(sort)
        .skip((page - 1) * perPage)
        .limit(limit)
        .lean<T[]>();
  const readBefore = position?.readCount ?? (page - 1) * perPage;
  const items = found.slice(0, perPage);
  const last = found.length > perPage ? items.at(-1) : undefined;
  return {
    items,
    page: Math.floor(readBefore / perPage) + 1,
    nextCursor: last ? cursorAfter(field, last, readBefore + perPage) : null,
  };
}

export function sortFieldOf<T>(model: Model<T>, sort: Sort): SortField {
  const [[name, direction]] = Object.entries(sort) as [[string, 1 | -1]];
  const type = model.schema.path(name).instance as SortField['type'];
  return { list: model.collection.name, name, direction, type };
}

/** Returns the cursor of the page after this document. */
export const cursorAfter = (field: SortField, last: { _id: string }, readCount: number): string =>
  encodeCursor(field, { value: (last as never)[field.name], id: last._id, readCount });

interface After {
  field: SortField;
  position: Position;
  sort: Sort;
  limit: number;
}

/** Reads two ranges of an index, so that the cost does not grow with the depth, nor with the number of ties. */
async function findAfter<T>(
  { model, where, fields, maxTimeMS }: ListQuery<T>,
  { field, position, sort, limit }: After,
): Promise<T[]> {
  const { name, direction } = field;
  const beyond = direction === 1 ? '$gt' : '$lt';
  const find = (range: object, max: number) =>
    model
      .find({ $and: [where, range] }, fields, { maxTimeMS })
      .sort(sort)
      .limit(max)
      .lean<T[]>();
  const ties = await find({ [name]: position.value, _id: { [beyond]: position.id } }, limit);
  if (ties.length === limit) return ties;
  return [...ties, ...(await find({ [name]: { [beyond]: position.value } }, limit - ties.length))];
}
