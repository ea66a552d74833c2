import type { Lease } from './lease.js';
import type { Log } from '../process/log.js';

/** One numbered change of a store's schema or data. It must be idempotent: a run that was cut off is repeated. */
export interface Migration<Store> {
  number: number;
  name: string;
  run: (store: Store, log: Log) => Promise<void>;
}

/** Records a store's applied migrations; in the store itself, so that an emptied store starts over. */
export interface MigrationJournal {
  applied: () => Promise<number[]>;
  record: (migration: { number: number; name: string }) => Promise<void>;
}

export interface MigrationRun<Store> {
  store: Store;
  journal: MigrationJournal;
  migrations: readonly Migration<Store>[];
  /** Held while the migrations run, and prolonged for as long as they take. */
  lease: Lease;
  log: Log;
}

const LEASE_MS = 10_000;

/** The store has migrations that this version does not know: it would misread what it finds. */
export class StoreIsNewer extends Error {
  override readonly name = 'StoreIsNewer';
}

/**
 * Runs the migrations that the store lacks, in the order of their numbers. Each is recorded when it has ended: after a
 * failure the next run continues with the same one.
 * @returns false, without running any, while another process holds the lease
 * @throws StoreIsNewer
 */
export async function migrate<Store>(run: MigrationRun<Store>): Promise<boolean> {
  assertNumbered(run.migrations);
  if ((await missing(run)).length === 0) return true;
  return run.lease.run(LEASE_MS, async () => {
    // Read again: the process that held the lease before may have run them.
    for (const migration of await missing(run)) {
      const { number, name } = migration;
      const startedAt = Date.now();
      run.log.info({ migration: number, name }, 'migration started');
      await migration.run(run.store, run.log);
      await run.journal.record({ number, name });
      run.log.info({ migration: number, name, duration_ms: Date.now() - startedAt }, 'migration ended');
    }
  });
}

async function missing<Store>({ journal, migrations }: MigrationRun<Store>): Promise<Migration<Store>[]> {
  const applied = new Set(await journal.applied());
  const known = new Set(migrations.map(({ number }) => number));
  const unknown = [...applied].filter((number) => !known.has(number));
  if (unknown.length > 0) throw new StoreIsNewer(`The store has migrations of a newer version: ${unknown.join(', ')}.`);
  return migrations.filter(({ number }) => !applied.has(number));
}

function assertNumbered(migrations: readonly { number: number }[]): void {
  if (migrations.some(({ number }, index) => number !== index + 1)) {
    throw new Error('migrations are numbered 1, 2, 3, … in their order');
  }
}
