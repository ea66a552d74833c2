import type { mongo } from 'mongoose';
import { dropIndexIfExists, type DatabaseMigration } from '@waymark/kernel/mongo/database-journal';

/** Immutable once released: a further change needs a new migration. */
export const MIGRATIONS: readonly DatabaseMigration[] = [
  { number: 1, name: 'external ids of conversions are unique by source', run: uniqueBySource },
  { number: 2, name: 'ask the owner for domains, folders and tags of links', run: askForLinks },
  { number: 3, name: 'every conversion has the time of its last change', run: setUpdatedAt },
];

/** Run once the warehouse contains the ledger. */
export const MIGRATIONS_AFTER_FILL: readonly DatabaseMigration[] = [
  { number: 1, name: 'drop rollups', run: dropRollups },
];

/**
 * In 0.1.0 an external id was unique in its workspace. Creates the new index before it drops the old one: without
 * either, concurrent requests could record a conversion twice.
 */
async function uniqueBySource(db: mongo.Db): Promise<void> {
  const isGiven = { externalId: { $type: 'string' } };
  const key = { workspace: 1, source: 1, externalId: 1 } as const;
  await db.collection('conversions').createIndex(key, { unique: true, partialFilterExpression: isGiven });
  await dropIndexIfExists(db, 'conversions', 'workspace_1_externalId_1');
}

/** 0.1.0 did not store domains, folders and tags of links; see `completeLinks`. */
async function askForLinks(db: mongo.Db): Promise<void> {
  const isIncomplete = { workspace: { $type: 'string' as const }, tagIds: { $exists: false } };
  await db.collection('links').updateMany(isIncomplete, { $set: { next: 'ask' } });
}

/** Conversions of 0.1.0 never changed and lack this field, by which lists are sorted. */
async function setUpdatedAt(db: mongo.Db): Promise<void> {
  const isFormer = { updatedAt: { $exists: false } };
  await db.collection('conversions').updateMany(isFormer, [{ $set: { updatedAt: '$recordedAt' } }]);
}

/** 0.1.0 stored its figures in these collections. */
const ROLLUP_COLLECTIONS = ['cells', 'uncounted', 'uncounted_set_aside', 'vocabularies', 'visitor_days'];

async function dropRollups(db: mongo.Db): Promise<void> {
  const existing = new Set((await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name));
  for (const name of ROLLUP_COLLECTIONS) if (existing.has(name)) await db.dropCollection(name);
}
