import { createRequire } from 'node:module';
import { join } from 'node:path';

/** The part of `chdb` that the local engine uses. */
export interface Session {
  queryAsync(sql: string, options: { format: string }): Promise<{ bytes(): Uint8Array }>;
  queryStream(sql: string, options: { format: string }): AsyncIterable<{ raw(): Uint8Array }>;
  close(): void;
}
interface Chdb {
  Session: new (path: string, options?: { connectionArgs: string[] }) => Session;
}

/**
 * ClickHouse inside this process, on one data folder. Each request opens a session of its own (0.3 ms): settings and query
 * parameters end with it, and sessions run in parallel.
 */
export class Engine {
  private readonly chdb: Chdb;
  /** Keeps the engine open between requests. */
  private readonly owner: Session;

  constructor(
    packageFolder: string,
    private readonly dataFolder: string,
    configFile: string,
  ) {
    this.chdb = createRequire(join(packageFolder, 'package.json'))('chdb') as Chdb;
    this.owner = new this.chdb.Session(dataFolder, { connectionArgs: [`--config-file=${configFile}`] });
  }

  openSession(): Session {
    return new this.chdb.Session(this.dataFolder);
  }

  close(): void {
    this.owner.close();
  }
}

/**
 * The engine's own limits: it shares a developer's machine with everything else. Tests try distributed tables on a
 * cluster of two shards that are both this process; nothing listens on the port, by which the engine recognizes itself.
 */
export const configOf = (backupFolder: string): string => `<clickhouse>
  <max_server_memory_usage>1500000000</max_server_memory_usage>
  <mark_cache_size>67108864</mark_cache_size>
  <background_pool_size>2</background_pool_size>
  <background_merges_mutations_concurrency_ratio>2</background_merges_mutations_concurrency_ratio>
  <background_common_pool_size>2</background_common_pool_size>
  <background_schedule_pool_size>4</background_schedule_pool_size>
  <merge_tree>
    <number_of_free_entries_in_pool_to_execute_mutation>1</number_of_free_entries_in_pool_to_execute_mutation>
    <number_of_free_entries_in_pool_to_lower_max_size_of_merge>1</number_of_free_entries_in_pool_to_lower_max_size_of_merge>
    <number_of_free_entries_in_pool_to_execute_optimize_entire_partition>1</number_of_free_entries_in_pool_to_execute_optimize_entire_partition>
  </merge_tree>
  <tcp_port>9000</tcp_port>
  <remote_servers>
    <twice>
      <shard><replica><host>127.0.0.1</host><port>9000</port></replica></shard>
      <shard><replica><host>127.0.0.1</host><port>9000</port></replica></shard>
    </twice>
  </remote_servers>
  <backups><allowed_path>${backupFolder}/</allowed_path></backups>
</clickhouse>
`;
