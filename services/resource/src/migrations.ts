import type { mongo } from 'mongoose';
import { dropIndexIfExists, type DatabaseMigration } from '@waymark/kernel/mongo/database-journal';

/** Released migrations never change: a further change is a new migration. */
export const MIGRATIONS: readonly DatabaseMigration[] = [
  { number: 1, name: 'current and earlier codes of links in one field', run: joinCodes },
];

/** 0.1.0 had the current code of a link and its earlier ones in two fields, of which only the first was unique. */
async function joinCodes(db: mongo.Db): Promise<void> {
  const earlier = { $setDifference: [{ $ifNull: ['$formerKeys', []] }, ['$codeKey']] };
  const change = { $set: { codeKeys: { $concatArrays: [['$codeKey'], earlier] } } };
  const isFormer = { codeKeys: { $exists: false }, codeKey: { $exists: true } };
  await db.collection('links').updateMany(isFormer, [change]);
  await dropIndexIfExists(db, 'links', 'workspace_1_codeKey_1');
}
