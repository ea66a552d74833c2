import type { Model } from 'mongoose';
import { isOnlyDuplicateKeys } from '../errors.js';

const ROWS_AT_ONCE = 1000;

/** Inserts the rows whose id is new and leaves the others as they are. */
export async function insertMissing<Row extends { _id: string }>(model: Model<Row>, rows: Row[]): Promise<void> {
  // One order everywhere: two writers that lock the same rows in different orders would block each other.
  const sorted = rows.toSorted((a, b) => (a._id < b._id ? -1 : 1));
  for (let i = 0; i < sorted.length; i += ROWS_AT_ONCE) {
    try {
      await model.insertMany(sorted.slice(i, i + ROWS_AT_ONCE), { ordered: false, lean: true });
    } catch (error) {
      if (!isOnlyDuplicateKeys(error)) throw error;
    }
  }
}
