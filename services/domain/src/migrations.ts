import { dropIndexIfExists, type DatabaseMigration } from '@waymark/kernel/mongo/database-journal';

/** Released migrations never change: a further change is a new migration. */
export const MIGRATIONS: readonly DatabaseMigration[] = [
  {
    number: 1,
    name: 'no index of due checks by user',
    run: (db) => dropIndexIfExists(db, 'domains', 'nextCheckAt_1_workspace_1_createdBy_1'),
  },
];
