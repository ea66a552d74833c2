import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answers } from './ports.js';
import { privateProgram, runPrivate, type ProgramOptions } from './private-program.js';
import { ServerProcess } from './server-process.js';
import { makeFolder, noteServer, type StackFolder } from './stack-folder.js';

export interface PostgresOptions {
  root: string;
  folder: StackFolder;
  port: number;
  /** The data need not outlive this run: nothing waits for the disk. */
  throwAway: boolean;
}

/** PostgreSQL with DocumentDB on its data folder, not yet started. */
export async function preparePostgres(options: PostgresOptions): Promise<ServerProcess> {
  const { root, folder } = options;
  const home = `${folder.inside}/postgres`;
  makeFolder(root, join(folder.outside, 'postgres'), 'postgres');
  const program: ProgramOptions = { root, user: 'postgres', home, deathSignal: 'INT' };
  const data = `${home}/data`;
  await initialize(program, folder, data);
  writeFileSync(join(folder.outside, 'postgres/settings.conf'), settings(options, home));
  return new ServerProcess({
    name: 'PostgreSQL',
    ...privateProgram(program, 'postgres', '-D', data, `--config-file=${home}/settings.conf`),
    logFile: join(folder.outside, 'postgres.log'),
    // Fast shutdown: ends sessions, writes a checkpoint.
    stopSignal: 'SIGINT',
    stopTimeoutMs: 20_000,
    startTimeoutMs: 60_000,
    isReady: () => answers(options.port),
    onStarted: (pid) => noteServer(folder, 'postgres', pid),
  });
}

const dataFolder = (folder: StackFolder): string => join(folder.outside, 'postgres/data');

export const hasDatabase = (folder: StackFolder): boolean => existsSync(dataFolder(folder));

async function initialize(program: ProgramOptions, folder: StackFolder, data: string): Promise<void> {
  const outside = dataFolder(folder);
  if (hasDatabase(folder)) return;
  // Made beside and renamed: an interrupted start leaves no half-made data folder.
  rmSync(`${outside}.new`, { recursive: true, force: true });
  const args = ['-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--locale=C.UTF-8', '-D', `${data}.new`];
  await runPrivate(privateProgram(program, 'initdb', ...args));
  renameSync(`${outside}.new`, outside);
}

function settings(options: PostgresOptions, home: string): string {
  // Committed data survives a killed server: the operating system has it by then. Pages may be torn, since a process
  // can be killed in the middle of writing one: full_page_writes stays on.
  const throwAway = { fsync: 'off' };
  const values: Record<string, string | number> = {
    listen_addresses: '127.0.0.1',
    port: options.port,
    unix_socket_directories: home,
    hba_file: `${home}/data/pg_hba.conf`,
    ident_file: `${home}/data/pg_ident.conf`,
    max_connections: 100,
    shared_preload_libraries: 'pg_cron,pg_documentdb_core,pg_documentdb,pg_documentdb_extended_rum',
    'cron.database_name': 'postgres',
    // Its jobs would connect to the port of the first start; the MongoDB gateway purges expired documents itself.
    'cron.launch_active_jobs': 'off',
    'documentdb.enableBackgroundWorker': 'off',
    // A deadlock undoes the whole statement, which the MongoDB gateway then repeats. Two inserts of one
    // unique key are one already (exclusion constraints wait for each other): detect them soon.
    'documentdb.throwDeadlockOnCRUD': 'on',
    deadlock_timeout: '10ms',
    // The root has no /dev/shm of its own.
    dynamic_shared_memory_type: 'mmap',
    shared_buffers: '256MB',
    // Ordered indexes, as MongoDB's are: with the default ones DocumentDB reads and sorts all matches.
    'documentdb.alternate_index_handler_name': 'extended_rum',
    // Once a table has statistics DocumentDB takes an equality for half of all documents.
    enable_seqscan: 'off',
    // DocumentDB's indexes get slow by dead entries long before PostgreSQL's own would.
    autovacuum_naptime: '2s',
    autovacuum_vacuum_threshold: 200,
    autovacuum_vacuum_scale_factor: '0.02',
    autovacuum_vacuum_cost_delay: 0,
    wal_compression: 'lz4',
    wal_init_zero: 'off',
    min_wal_size: '512MB',
    max_wal_size: '2GB',
    checkpoint_timeout: '15min',
    io_method: 'sync',
    jit: 'off',
    max_parallel_workers_per_gather: 0,
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...(options.throwAway ? throwAway : {}),
  };
  const lines = Object.entries(values).map(([key, value]) => `${key} = '${value}'`);
  return `${lines.join('\n')}\n`;
}
