import type { MigrationJournal } from '@waymark/kernel/mongo/migrations';
import { onCluster, type WarehouseStore } from './schema.js';

/** Records migrations in the warehouse itself, so that an emptied warehouse gets all of them again. */
export function warehouseJournal({ client, cluster }: WarehouseStore): MigrationJournal {
  const engine =
    cluster === undefined
      ? 'ReplacingMergeTree'
      : "ReplicatedReplacingMergeTree('/clickhouse/tables/{database}/migrations', '{shard}-{replica}')";
  const create = `CREATE TABLE IF NOT EXISTS migrations${onCluster(cluster)}
    (number UInt32, name String, applied_at DateTime DEFAULT now()) ENGINE = ${engine} ORDER BY number`;
  return {
    applied: async () => {
      await client.command({ query: create });
      const result = await client.query({ query: 'SELECT DISTINCT number FROM migrations', format: 'JSONEachRow' });
      return (await result.json<{ number: number }>()).map(({ number }) => number);
    },
    record: async (migration) => {
      await client.insert({
        table: 'migrations',
        values: [migration],
        format: 'JSONEachRow',
        columns: ['number', 'name'],
      });
    },
  };
}
