import { Database } from '@waymark/kernel/mongo/database';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';
import type { ClickHouseClient } from '@clickhouse/client';
import { linkRow } from '@waymark/analytics/links/link';
import { Warehouse } from '@waymark/analytics/warehouse/warehouse';
import type { NaiveLinks } from './naive.js';

/** The database and the warehouse of one test file. */
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
  const db = new Database(backing.MONGODB_URI, { log, lifecycle });
  const warehouse = new Warehouse(backing, db, { log, lifecycle });
  prepare(db);
  await db.start();
  await warehouse.start();
  const close = async () => {
    await warehouse.client.command({
      query: `DROP DATABASE IF EXISTS \`${new URL(backing.CLICKHOUSE_URL).pathname.slice(1)}\``,
    });
    await lifecycle.stop();
  };
  return { backing, db, warehouse, lifecycle, close };
}

/** Inserts the current version of links like the service; the earlier version of each had two tags. */
export async function insertLinks(client: ClickHouseClient, workspace: string, links: NaiveLinks): Promise<void> {
  const rows = Object.entries(links).flatMap(([_id, link]) => {
    if (!link) return [];
    const { domain, folder, tags } = link;
    const row = { _id, workspace, domainId: domain || null, folderId: folder || null, tagIds: tags };
    return [
      { ...row, version: 2 },
      { ...row, tagIds: ['tag_a', 'tag_b'], version: 1 },
    ];
  });
  const values = rows.map((row) => linkRow(row as never));
  if (values.length > 0) await client.insert({ table: 'links', values, format: 'JSONEachRow' });
}
