import type { AnyBulkWriteOperation, Model } from 'mongoose';
import { isOnlyDuplicateKeys } from '../errors.js';

/** A row of a copy, in the latest revision received from its owner. */
interface Revised {
  _id: string;
  revision: number;
}

/** Lets a write apply only over an older revision, or over a damaged row whose revision is no number. */
export interface RevisionGuard {
  filter: { _id: string; revision: OlderRevision };
  upsert: boolean;
}

export interface OlderRevision {
  $not: { $gte: number };
}

/** `$lt` would not match a row whose revision is no number, which would then never change again. */
export const olderThan = (revision: number): OlderRevision => ({ $not: { $gte: revision } });

/**
 * Stores each row unless the same or a newer revision is stored: changes arrive in any order, and twice, and other
 * processes save at the same time. Do not call it in a transaction.
 * @param writeOf returns the write of a row, under the guard
 */
export async function upsertIfNewer<Row extends Revised>(
  model: Model<Row>,
  rows: readonly Row[],
  writeOf: (row: Row, guard: RevisionGuard) => AnyBulkWriteOperation,
): Promise<void> {
  const newest = newestOfEach(rows);
  if (newest.length === 0) return;
  const write = (upsert: boolean) =>
    model.bulkWrite(
      newest.map((row) =>
        writeOf(row, { filter: { _id: row._id, revision: olderThan(row.revision) }, upsert }),
      ) as never,
      { ordered: false },
    );
  try {
    await write(true);
  } catch (error) {
    if (!isOnlyDuplicateKeys(error)) throw error;
    // The rows exist: they are as new as these or newer, or another writer has just inserted them from an older change.
    await write(false);
  }
}

/** In the order of their ids: bulk writes over the same rows in different orders would lock each other out. */
function newestOfEach<Row extends Revised>(rows: readonly Row[]): Row[] {
  const byId = new Map<string, Row>();
  for (const row of rows) {
    const other = byId.get(row._id);
    if (!other || other.revision < row.revision) byId.set(row._id, row);
  }
  return [...byId.keys()].sort().map((id) => byId.get(id)!);
}
