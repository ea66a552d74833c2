import { createEngine, type Engine } from './engine.js';
import { PostgresGone } from './postgres-connection.js';
import { PostgresPool } from './postgres-pool.js';
import { WireServer } from './server.js';

/** Run by the local stack: `main.js WIRE_PORT POSTGRES_PORT PURGE_SECONDS`; says `ready` when drivers may connect. */
const CONNECTIONS_MAX = 80;
const POSTGRES_START_MS = 60_000;
const SETUP_RETRY_MS = 50;
const SWEEP_MS = 5_000;

async function main(): Promise<void> {
  const [wirePort, postgresPort, purgeSeconds] = process.argv.slice(2).map(Number);
  if (!wirePort || !postgresPort || !purgeSeconds)
    throw new Error('usage: main.js WIRE_PORT POSTGRES_PORT PURGE_SECONDS');
  const pool = new PostgresPool(postgresPort, CONNECTIONS_MAX, () => server.dropClients());
  const { MONGO_GATEWAY_CONFLICT_WAIT_MS: conflictWait } = process.env;
  const engine = createEngine(pool, conflictWait === undefined ? undefined : Number(conflictWait));
  const server = new WireServer(engine, wirePort);
  await setUp(engine, Date.now() + POSTGRES_START_MS);
  await server.listen();
  every(SWEEP_MS, () => sweep(engine));
  every(purgeSeconds * 1000, () => purge(engine));
  console.log('ready');
}

async function setUp(engine: Engine, deadline: number): Promise<void> {
  for (;;) {
    try {
      await engine.pool.run('CREATE EXTENSION IF NOT EXISTS documentdb CASCADE');
      await engine.pool.run('CREATE EXTENSION IF NOT EXISTS documentdb_extended_rum CASCADE');
      return await engine.transactions.setUp();
    } catch (error) {
      if (!(error instanceof PostgresGone) || Date.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, SETUP_RETRY_MS));
  }
}

function sweep(engine: Engine): Promise<void> {
  engine.transactions.abortIdle();
  engine.cursors.closeIdle();
  return engine.transactions.forgetCommits();
}

/** Expiry by TTL indexes. DocumentDB leaves it to pg_cron, once a minute; that is switched off here. */
async function purge(engine: Engine): Promise<void> {
  await engine.pool.run('CALL documentdb_api_internal.delete_expired_rows()');
}

/** Runs one after the other; the next run repeats a failed one (the database may be unavailable). */
function every(periodMs: number, work: () => Promise<void>): void {
  setTimeout(() => {
    void work()
      .catch((error: unknown) => {
        if (!(error instanceof PostgresGone)) console.error(error);
      })
      .then(() => every(periodMs, work));
  }, periodMs);
}

// The owner holds the other end of standard input: its death, however hard, ends this process too.
process.stdin.on('end', () => process.exit(0)).resume();
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(0));
main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
