import type { mongo } from 'mongoose';
import type { Migration, MigrationJournal } from './migrations.js';

/** A change of data that earlier versions have stored in a service's database. */
export type DatabaseMigration = Migration<mongo.Db>;

interface Row {
  _id: string;
  list: string;
  number: number;
  name: string;
  appliedAt: Date;
}

/** Notes the migrations of a list in the database that they change. */
export function databaseJournal(db: mongo.Db, list: string): MigrationJournal {
  const rows = db.collection<Row>('migrations');
  return {
    applied: async () => {
      const applied = await rows.find({ list }, { projection: { number: 1 } }).toArray();
      return applied.map(({ number }) => number);
    },
    record: async ({ number, name }) => {
      const row = { list, number, name, appliedAt: new Date() };
      await rows.updateOne({ _id: `${list} ${number}` }, { $setOnInsert: row }, { upsert: true });
    },
  };
}

export async function dropIndexIfExists(db: mongo.Db, collection: string, name: string): Promise<void> {
  const indexes = await db.collection(collection).indexes();
  if (indexes.some((index) => index.name === name)) await db.collection(collection).dropIndex(name);
}
