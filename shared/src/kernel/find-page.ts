import type { Model, SortOrder } from 'mongoose';
import type { CappedPage, Page, PageOf } from './http/reply.js';

type Sort = Record<string, SortOrder>;
const NEWEST_FIRST: Sort = { createdAt: -1, _id: -1 };
/** To count or skip more documents would take the database for seconds. */
const LISTED_MAX = 100_000;

/** One page of the documents that match; ties need a field at the end of the order that has none. */
export function findItems<T>(
  model: Model<T>,
  where: object,
  { page, perPage }: Page,
  sort = NEWEST_FIRST,
): Promise<T[]> {
  return model
    .find(where)
    .sort(sort)
    .skip((page - 1) * perPage)
    .limit(perPage)
    .lean<T[]>()
    .exec();
}

/** The same with how many match in all. */
export async function findPage<T>(model: Model<T>, where: object, page: Page, sort = NEWEST_FIRST): Promise<PageOf<T>> {
  const [items, total] = await Promise.all([findItems(model, where, page, sort), model.countDocuments(where)]);
  return { items, total };
}

/** The same of a list that may be very long: it ends after `LISTED_MAX` documents, and says so. */
export async function findCappedPage<T>(
  model: Model<T>,
  where: object,
  page: Page,
  sort = NEWEST_FIRST,
): Promise<CappedPage<T>> {
  const isWithin = page.page * page.perPage <= LISTED_MAX;
  const [items, count] = await Promise.all([
    isWithin ? findItems(model, where, page, sort) : [],
    model.countDocuments(where, { limit: LISTED_MAX + 1 }),
  ]);
  return { items, total: Math.min(count, LISTED_MAX), truncated: count > LISTED_MAX };
}
