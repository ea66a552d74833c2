import { Database } from '@waymark/shared/kernel/database';
import { Lifecycle } from '@waymark/shared/kernel/lifecycle';
import { createLog } from '@waymark/shared/kernel/log';
import { freshBacking } from '@waymark/shared/testing/backing';
import { Warehouse } from '@waymark/analytics/warehouse/warehouse';

/** A database and a warehouse of one test file. */
export interface OpenWarehouse {
  backing: ReturnType<typeof freshBacking>;
  db: Database;
  warehouse: Warehouse;
  lifecycle: Lifecycle;
  close: () => Promise<void>;
}

export async function openWarehouse(
  backing = freshBacking(),
  prepare: (db: Database) => void = () => undefined,
): Promise<OpenWarehouse> {
  const log = createLog('test', process.env.TEST_LOG_LEVEL ?? 'fatal');
  const lifecycle = new Lifecycle(log);
  const db = new Database(backing.MONGODB_URI, log, lifecycle);
  const warehouse = new Warehouse(backing, db, { log, lifecycle });
  prepare(db);
  await db.start();
  await warehouse.start();
  const close = async () => {
    await warehouse.client.command({
      query: `DROP DATABASE IF EXISTS \`${new URL(backing.CLICKHOUSE_URL).pathname.slice(1)}\``,
    });
    await db.connection.db!.dropDatabase();
    await lifecycle.stop();
  };
  return { backing, db, warehouse, lifecycle, close };
}
