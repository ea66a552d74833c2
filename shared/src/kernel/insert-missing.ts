import { mongo, type Model } from 'mongoose';

const ROWS_AT_ONCE = 1000;
const DUPLICATE_KEY = 11_000;

/** Inserts the rows whose id is new and leaves the others as they are. */
export async function insertMissing<Row extends { _id: string }>(model: Model<Row>, rows: Row[]): Promise<void> {
  // One order everywhere: two writers that lock the same rows in different orders would block each other.
  const sorted = rows.toSorted((a, b) => (a._id < b._id ? -1 : 1));
  for (let i = 0; i < sorted.length; i += ROWS_AT_ONCE) {
    try {
      await model.insertMany(sorted.slice(i, i + ROWS_AT_ONCE), { ordered: false, lean: true });
    } catch (error) {
      if (!isOnlyDuplicates(error)) throw error;
    }
  }
}

function isOnlyDuplicates(error: unknown): boolean {
  // A bulk write that never got an answer has the same class, and no write errors at all.
  if (!(error instanceof mongo.MongoBulkWriteError) || error.code !== DUPLICATE_KEY) return false;
  return [error.writeErrors].flat().every(({ code }) => code === DUPLICATE_KEY);
}
