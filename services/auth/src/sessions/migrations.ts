import type { mongo } from 'mongoose';
import type { DatabaseMigration } from '@waymark/kernel/mongo/database-journal';

/** Immutable once released: a further change needs a new migration. */
export const MIGRATIONS: readonly DatabaseMigration[] = [
  { number: 1, name: 'every session has the time of its last use', run: setLastSeen },
];

/** Sessions of 0.1.0 lack this field: they count as used now, so that an upgrade ends no session. */
async function setLastSeen(db: mongo.Db): Promise<void> {
  const isFormer = { lastSeenAt: { $exists: false } };
  await db
    .collection('sessions')
    .updateMany(isFormer, { $set: { lastSeenAt: new Date(), ipAddress: null, userAgent: null } });
}
