import type { Model, SortOrder } from 'mongoose';
import type { Page, PageOf } from './http/reply.js';

type Sort = Record<string, SortOrder>;
const NEWEST_FIRST: Sort = { createdAt: -1, _id: -1 };

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
