import type { Model, QueryFilter } from 'mongoose';

/** Prometheus counts at each scrape: more rows, or a slower query, would tell the operator no more. */
const COUNTED_MAX = 1000;
const TIMEOUT_MS = 1000;

/** Types of values that a damaged row may have instead of a time. An index finds them, and not the negation of a type. */
export const NOT_A_TIME = ['bool', 'decimal', 'double', 'int', 'long', 'object', 'string'] as const;

/** Counts the matches up to a limit. The filter must select damaged rows, and an index must bound what it reads. */
export function countDamaged<Row>(model: Model<Row>, damaged: QueryFilter<Row>): Promise<number> {
  return model.countDocuments(damaged, { limit: COUNTED_MAX, maxTimeMS: TIMEOUT_MS }).exec();
}
