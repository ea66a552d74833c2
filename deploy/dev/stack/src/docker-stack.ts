import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { GenericContainer } from 'testcontainers';
import type { Progress } from './debian-root.js';
import type { Stack } from './stack-types.js';
import { checkoutKey } from './stack-folder.js';

export const MONGO_IMAGE = 'mongo:8';
export const RABBITMQ_IMAGE = 'rabbitmq:4';
export const CLICKHOUSE_IMAGE = 'clickhouse/clickhouse-server:26.7';
const CLICKHOUSE_PORT = 8123;
/** As in production. */
const CLICKHOUSE_CONFIG = join(__dirname, '../../../k8s/base/clickhouse/config.xml');

export interface DockerStackOptions {
  name: string;
  fresh: boolean;
  progress: Progress;
}

/** Why no Docker engine can be used here; undefined if one answers. */
export async function whyNoDocker(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  // Loading testcontainers takes a second: not where there is nothing to talk to.
  if (!env.DOCKER_HOST && !env.TESTCONTAINERS_HOST_OVERRIDE && !SOCKETS.some((path) => existsSync(path))) {
    return 'none is installed';
  }
  const { getContainerRuntimeClient } = await import('testcontainers');
  return getContainerRuntimeClient().then(
    () => undefined,
    (error: Error) => `none answers: ${error.message}`,
  );
}

const SOCKETS = [
  '/var/run/docker.sock',
  join(process.env.XDG_RUNTIME_DIR ?? '/run/user/0', 'docker.sock'),
  ...['.docker/run', '.docker/desktop', '.colima/default', '.rd'].map((path) => join(homedir(), path, 'docker.sock')),
];

export async function openDockerStack({ name, fresh, progress }: DockerStackOptions): Promise<Stack> {
  const { MongoDBContainer } = await import('@testcontainers/mongodb');
  const { RabbitMQContainer } = await import('@testcontainers/rabbitmq');
  const { GenericContainer: Container, Wait } = await import('testcontainers');
  const keep = (container: GenericContainer, server: string, path: string): void => {
    // The servers write their host name into their data: it must be the same at the next start.
    container.withName(`${volumePrefix()}${name}-${server}${fresh ? `-${process.pid}` : ''}`).withHostname(server);
    if (!fresh) container.withBindMounts([{ source: `${volumePrefix()}${name}-${server}`, target: path, mode: 'rw' }]);
  };
  const mongo = new MongoDBContainer(MONGO_IMAGE);
  const rabbit = new RabbitMQContainer(RABBITMQ_IMAGE);
  const clickHouse = new Container(CLICKHOUSE_IMAGE)
    .withExposedPorts(CLICKHOUSE_PORT)
    // By default the image lets its default user log in only inside the container.
    .withEnvironment({ CLICKHOUSE_SKIP_USER_SETUP: '1' })
    .withCopyFilesToContainer([{ source: CLICKHOUSE_CONFIG, target: '/etc/clickhouse-server/config.d/waymark.xml' }])
    .withWaitStrategy(Wait.forHttp('/ping', CLICKHOUSE_PORT));
  keep(mongo, 'mongo', '/data/db');
  keep(rabbit, 'rabbitmq', '/var/lib/rabbitmq');
  keep(clickHouse, 'clickhouse', '/var/lib/clickhouse');
  progress(`starting ${MONGO_IMAGE}, ${RABBITMQ_IMAGE} and ${CLICKHOUSE_IMAGE} in Docker for stack '${name}'`);
  const started = await Promise.allSettled([mongo.start(), rabbit.start(), clickHouse.start()]);
  const stop = async (): Promise<void> => {
    await Promise.all(started.map(async (result) => result.status === 'fulfilled' && (await result.value.stop())));
  };
  const [database, broker, store] = started;
  if (database.status === 'fulfilled' && broker.status === 'fulfilled' && store.status === 'fulfilled') {
    const mongoUri = `${database.value.getConnectionString()}/?directConnection=true`;
    const { host, port } = new URL(broker.value.getAmqpUrl().replace(/^amqp:/, 'http:'));
    const amqpUrl = `amqp://guest:guest@${port ? host : `${host}:5672`}`;
    const clickHouseUrl = `http://${store.value.getHost()}:${store.value.getMappedPort(CLICKHOUSE_PORT)}`;
    return { kind: 'docker', mongoUri, amqpUrl, clickHouseUrl, stop };
  }
  await stop();
  throw new Error(`Docker could not start the stack: ${String(started.find(isRejected)?.reason)}`);
}

export async function hasDockerStackData(name: string): Promise<boolean> {
  const { getContainerRuntimeClient } = await import('testcontainers');
  const { dockerode } = (await getContainerRuntimeClient()).container;
  const { Volumes: volumes } = await dockerode.listVolumes();
  return volumes.some((volume) => volume.Name === `${volumePrefix()}${name}-mongo`);
}

/** Removes the volumes of this checkout; the engine refuses those in use. */
export async function resetDockerStacks(progress: Progress): Promise<void> {
  const { getContainerRuntimeClient } = await import('testcontainers');
  const { dockerode } = (await getContainerRuntimeClient()).container;
  const { Volumes: volumes } = await dockerode.listVolumes();
  for (const { Name: name } of volumes.filter(({ Name }) => Name.startsWith(volumePrefix()))) {
    await dockerode.getVolume(name).remove();
    progress(`removed the Docker volume ${name}`);
  }
}

function isRejected(result: PromiseSettledResult<unknown>): result is PromiseRejectedResult {
  return result.status === 'rejected';
}

function volumePrefix(): string {
  return `waymark-${checkoutKey()}-`;
}
