import { rmSync } from 'node:fs';
import { prepareClickHouse } from './clickhouse.js';
import { ensureEnginePackage } from './engine-package.js';
import { freePorts } from './ports.js';
import { hasDatabase, preparePostgres } from './postgres.js';
import type { Progress } from './debian-root.js';
import { ensurePrivateRoot, rootFolder } from './private-root.js';
import { prepareRabbitMq, type RabbitMq, type RabbitMqNode } from './rabbitmq.js';
import type { ServerProcess } from './server-process.js';
import type { BrokerControl, ServerControl, Stack } from './stack-types.js';
import { checkoutFolder, claimFolder, leaveFolder, runningStacks, stackFolder } from './stack-folder.js';
import { prepareMongoGateway } from './mongo-gateway.js';

/** How often documents that a TTL index has expired are deleted; MongoDB does it every 60 s. */
const PURGE_SECONDS = 10;
const PURGE_SECONDS_THROW_AWAY = 1;

export interface PrivateStackOptions {
  name: string;
  fresh: boolean;
  progress: Progress;
  brokerNodes?: number;
}

/** The servers inside the private root and the local ClickHouse beside it, on loopback ports of this run. */
export async function openPrivateStack({
  name,
  fresh,
  progress,
  brokerNodes = 1,
}: PrivateStackOptions): Promise<Stack> {
  // Side by side on a fresh machine: one waits for Debian's mirror, the other for npm's.
  const [root, packageFolder] = await Promise.all([ensurePrivateRoot(progress), ensureEnginePackage(progress)]);
  const folder = stackFolder(root, name);
  await claimFolder(folder, fresh);
  const [wire, postgres, epmd, http, ...rest] = (await freePorts(4 + brokerNodes * 2)) as [
    number,
    number,
    number,
    number,
    ...number[],
  ];
  const nodes = Array.from({ length: brokerNodes }, (_, index) => ({
    amqp: rest[index * 2]!,
    distribution: rest[index * 2 + 1]!,
  }));
  const rabbitMq = prepareRabbitMq({ root, folder, epmd, nodes });
  const purgeSeconds = fresh ? PURGE_SECONDS_THROW_AWAY : PURGE_SECONDS;
  const mongoGateway = prepareMongoGateway({ folder, port: wire, postgresPort: postgres, purgeSeconds });
  const database = inOrder(
    await preparePostgres({ root, folder, port: postgres, throwAway: fresh }).catch((error: unknown) => {
      leaveFolder(folder);
      throw error;
    }),
    mongoGateway,
  );
  const clickHouse = serverControl(prepareClickHouse({ folder, port: http, packageFolder, progress }));
  const brokers = rabbitMq.nodes.map((node) => brokerControl(rabbitMq.names, node));
  const startBrokers = async (): Promise<void> => {
    // One after the other: the first makes the cookie and the cluster that the others need.
    for (const broker of brokers) await broker.start();
  };
  const stop = async (): Promise<void> => {
    await Promise.all([database.stop(), clickHouse.stop(), ...brokers.map((broker) => broker.stop())]);
    await rabbitMq.names.stop();
    leaveFolder(folder);
  };
  try {
    progress(`starting the database, the broker and ClickHouse of stack '${name}'`);
    await Promise.all([database.start(), clickHouse.start(), startBrokers()]);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    kind: 'private-root',
    mongoUri: `mongodb://127.0.0.1:${wire}/?replicaSet=waymark&retryWrites=false`,
    amqpUrl: nodes.map(({ amqp }) => `amqp://guest:guest@127.0.0.1:${amqp}`).join(','),
    clickHouseUrl: `http://127.0.0.1:${http}`,
    database,
    clickHouse,
    broker: brokers[0],
    brokers,
    stop,
  };
}

export const hasPrivateStackData = (name: string): boolean => hasDatabase(stackFolder(rootFolder(), name));

export function resetPrivateStacks(progress: Progress): void {
  const root = rootFolder();
  const running = runningStacks(root);
  if (running.length > 0) throw new Error(`stop what is running first: stack ${running.join(', ')}`);
  rmSync(checkoutFolder(root), { recursive: true, force: true });
  progress("removed this checkout's local databases and queues");
}

/** Servers that are one to their clients: started together, stopped from the client's side. */
function inOrder(inner: ServerProcess, outer: ServerProcess): ServerControl {
  const start = async (): Promise<void> => void (await Promise.all([inner.start(), outer.start()]));
  const stop = async (): Promise<void> => {
    await outer.stop();
    await inner.stop();
  };
  return {
    pids: () => [...inner.pids(), ...outer.pids()],
    signal(signal) {
      inner.signal(signal);
      outer.signal(signal);
    },
    start,
    stop,
    async restart() {
      await stop();
      await start();
    },
  };
}

function serverControl(server: ServerProcess): ServerControl {
  return {
    pids: () => server.pids(),
    signal: (signal) => server.signal(signal),
    start: () => server.start(),
    stop: () => server.stop(),
    async restart() {
      await server.stop();
      await server.start();
    },
  };
}

function brokerControl(names: RabbitMq['names'], { broker, ctl }: RabbitMqNode): BrokerControl {
  const start = async (): Promise<void> => {
    if (names.pids().length === 0) await names.start();
    await broker.start();
  };
  return {
    pids: () => broker.pids(),
    signal: (signal) => broker.signal(signal),
    start,
    stop: () => broker.stop(),
    async restart() {
      await broker.stop();
      await start();
    },
    ctl,
  };
}
