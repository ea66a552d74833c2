import type { mongo } from 'mongoose';
import { dropIndexIfExists, type DatabaseMigration } from '@waymark/kernel/mongo/database-journal';

/** Immutable once released: a further change needs a new migration. */
export const MIGRATIONS: readonly DatabaseMigration[] = [
  { number: 1, name: 'every session has the time of its last use', run: setLastSeen },
  { number: 2, name: 'limits and reports of earlier versions are gone', run: dropFormerLimits },
];

/** Sessions of 0.1.0 lack this field: they count as used now, so that an upgrade ends no session. */
async function setLastSeen(db: mongo.Db): Promise<void> {
  const isFormer = { lastSeenAt: { $exists: false } };
  await db
    .collection('sessions')
    .updateMany(isFormer, { $set: { lastSeenAt: new Date(), ipAddress: null, userAgent: null } });
}

const FORMER_COLLECTIONS = [
  'account_changes',
  'address_levels',
  'failed_sign_in_reports',
  'failed_sign_ins',
  'known_addresses',
  'mailed_invitations',
  'new_workspaces',
  'reset_requests',
  'sent_invitations',
  'sign_in_attempts',
  'sign_in_slots',
  'started_sessions',
  'taken_emails',
  'wrong_codes_1',
  'wrong_codes_2',
];

/** Limits counted in a collection each, and tokens had the number of their refused uses. */
async function dropFormerLimits(db: mongo.Db): Promise<void> {
  const names = new Set((await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name));
  for (const name of FORMER_COLLECTIONS) if (names.has(name)) await db.dropCollection(name);
  await dropIndexIfExists(db, 'tokens', 'refusalsToldAt_1');
  const fields = { refusals: '', refusedAddress: '', refusalsToldAt: '' } as const;
  await db.collection('tokens').updateMany({ refusals: { $exists: true } }, { $unset: fields });
}
