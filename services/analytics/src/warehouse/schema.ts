import type { ClickHouseClient } from '@clickhouse/client';
import type { Migration, MigrationJournal } from '@waymark/kernel/mongo/migrations';

/** The connection that the migrations change. */
export interface WarehouseStore {
  client: ClickHouseClient;
  /** The name of the cluster; without one the tables are local to the server. */
  cluster: string | undefined;
}

interface Table {
  name: string;
  columns: string;
  /** The sharding key: all versions of a row have the same. */
  shardBy: string;
}

/** The server recognizes a retried insert among this many recent inserts of the table. */
const DEDUPLICATION_WINDOW = 10_000;

const SCANS: Table = {
  name: 'scans',
  columns: `
    workspace LowCardinality(String),
    at DateTime64(3, 'UTC'),
    link_id String,
    id String,
    short_code String,
    trigger LowCardinality(String),
    country LowCardinality(String),
    region LowCardinality(String),
    city LowCardinality(String),
    device LowCardinality(String),
    browser LowCardinality(String),
    os LowCardinality(String),
    referrer LowCardinality(String),
    campaign LowCardinality(Nullable(String)),
    visitor_hex String EPHEMERAL,
    visitor FixedString(16) DEFAULT unhex(visitor_hex),
    is_unique Bool,
    is_bot Bool,
    version UInt64`,
  shardBy: 'cityHash64(workspace, link_id)',
};

const CONVERSIONS: Table = {
  name: 'conversions',
  columns: `
    workspace LowCardinality(String),
    at DateTime64(3, 'UTC'),
    link_id String,
    id String,
    short_code String,
    campaign LowCardinality(Nullable(String)),
    source LowCardinality(String),
    value Nullable(Float64),
    currency LowCardinality(Nullable(String)),
    recorded_at DateTime64(3, 'UTC'),
    version UInt64`,
  shardBy: 'cityHash64(workspace, link_id)',
};

/** Immutable once released: a further change needs a new migration. */
export const MIGRATIONS: readonly Migration<WarehouseStore>[] = [
  { number: 1, name: 'scans', run: (store) => createTable(store, SCANS) },
  { number: 2, name: 'conversions', run: (store) => createTable(store, CONVERSIONS) },
  { number: 3, name: 'fills', run: createFills },
  { number: 4, name: 'fill conversions', run: fillAgain },
  { number: 5, name: 'languages of scans', run: addLanguage },
  { number: 6, name: 'links', run: createLinks },
  { number: 7, name: 'fill links', run: fillAgain },
  { number: 8, name: 'visits', run: addVisit },
];

/** Partitions by month; a day of a workspace is one key range; the highest version of a row wins. */
async function createTable({ client, cluster }: WarehouseStore, { name, columns, shardBy }: Table): Promise<void> {
  const layout = `PARTITION BY toYYYYMM(at) ORDER BY (workspace, toDate(at), link_id, id)`;
  const local = cluster === undefined ? name : `${name}_local`;
  const engine =
    cluster === undefined
      ? 'ReplacingMergeTree(version)'
      : `ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/${local}', '{replica}', version)`;
  const window = `${cluster === undefined ? 'non_' : ''}replicated_deduplication_window = ${DEDUPLICATION_WINDOW}`;
  await client.command({
    query: `CREATE TABLE IF NOT EXISTS ${local}${onCluster(cluster)} (${columns}) ENGINE = ${engine} ${layout} SETTINGS ${window}`,
  });
  if (cluster === undefined) return;
  await client.command({
    query: `CREATE TABLE IF NOT EXISTS ${name}${onCluster(cluster)} AS ${local}
      ENGINE = Distributed(${quoteName(cluster)}, currentDatabase(), ${local}, ${shardBy})`,
  });
}

/** Stores the start and the end of each fill from the ledger; without an end, the warehouse lacks the history. */
async function createFills({ client, cluster }: WarehouseStore): Promise<void> {
  const engine =
    cluster === undefined
      ? 'ReplacingMergeTree'
      : "ReplicatedReplacingMergeTree('/clickhouse/tables/{database}/fills', '{shard}-{replica}')";
  const query = `CREATE TABLE IF NOT EXISTS fills${onCluster(cluster)} 
    (id String, ended_at Nullable(DateTime)) ENGINE = ${engine} ORDER BY id`;
  await client.command({ query });
}

function addLanguage(store: WarehouseStore): Promise<void> {
  return addColumnOfScans(store, `language LowCardinality(String) DEFAULT 'unknown'`);
}

/**
 * Stores what unique visitors are counted by: a hash of a visitor and their UTC day; 0 without a visitor (zero bytes: the
 * salt of the day was destroyed before the scan arrived). Reading 8 bytes costs half of hashing 16 in each query. Old parts
 * compute it until the server has rewritten them in the background.
 */
async function addVisit(store: WarehouseStore): Promise<void> {
  const { client, cluster } = store;
  const value = `if(visitor = toFixedString('', 16), 0, cityHash64(toDate(at), visitor))`;
  await addColumnOfScans(store, `visit UInt64 DEFAULT ${value}`);
  const local = cluster === undefined ? 'scans' : 'scans_local';
  await client.command({ query: `ALTER TABLE ${local}${onCluster(cluster)} MATERIALIZE COLUMN visit` });
}

async function addColumnOfScans({ client, cluster }: WarehouseStore, column: string): Promise<void> {
  for (const table of cluster === undefined ? ['scans'] : ['scans_local', 'scans']) {
    const query = `ALTER TABLE ${table}${onCluster(cluster)} ADD COLUMN IF NOT EXISTS ${column}`;
    await client.command({ query });
  }
}

/** Stores the current fields of links. Every server of a cluster has all of them, so that queries join them locally. */
async function createLinks({ client, cluster }: WarehouseStore): Promise<void> {
  const engine =
    cluster === undefined
      ? 'ReplacingMergeTree(version)'
      : "ReplicatedReplacingMergeTree('/clickhouse/tables/{database}/links', '{shard}-{replica}', version)";
  const columns = 'workspace String, id String, domain String, folder String, tags Array(String), version UInt64';
  const query = `CREATE TABLE IF NOT EXISTS links${onCluster(cluster)} (${columns})
    ENGINE = ${engine} ORDER BY (workspace, id)`;
  await client.command({ query });
}

/** Forces a new fill: rows stored in the ledger before this migration have not been loaded. */
async function fillAgain({ client, cluster }: WarehouseStore): Promise<void> {
  await client.command({ query: `TRUNCATE TABLE fills${onCluster(cluster)}` });
}

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

export const onCluster = (cluster: string | undefined): string =>
  cluster === undefined ? '' : ` ON CLUSTER ${quoteName(cluster)}`;

export const quoteName = (name: string): string => `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
