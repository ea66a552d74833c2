import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootFolder } from '@waymark/stack/private-root';
import { openStack } from '@waymark/stack/stack';
import type { Stack } from '@waymark/stack/stack-types';
import { ROOT } from '@waymark/launcher/process-table';
import { openBroker } from '@waymark/kernel/broker/connection';
import { openPublisher } from '@waymark/kernel/broker/publisher';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { waitFor } from '@waymark/testing/wait-for';

interface Definitions {
  permissions: { user: string; configure: string; write: string; read: string }[];
  exchanges: { name: string }[];
  queues: { name: string }[];
  bindings: { destination: string }[];
  policies: { name: string; vhost: string }[];
}

const VHOST = 'waymark-links';
const SERVICE = 'resource';
const USER = `waymark-links-${SERVICE}`;
/** Present today, and absent from the earlier version of this test. */
const QUEUE = 'waymark.audit.entries';

const EARLIER_POLICY = '{"max-length":1}';

const log = createLog('test', 'silent');
const lifecycle = new Lifecycle(log);
const folder = mkdtempSync(join(tmpdir(), 'waymark-broker-upgrade-'));
const definitionsFile = join(folder, 'rabbitmq/definitions.json');
/** Inside the private root, where `rabbitmqctl` finds it. */
const imported = `tmp/upgrade-${process.pid}.json`;

let stack: Stack;
beforeAll(async () => {
  stack = await openStack({ name: `broker-upgrade-${process.pid}`, fresh: true, env: {} });
});
afterAll(async () => {
  await lifecycle.stop();
  await stack?.stop();
  rmSync(join(rootFolder(), imported), { force: true });
  rmSync(folder, { recursive: true, force: true });
});

/** Runs what the container `keys` of Docker Compose runs at each start. */
function makeSecrets(): void {
  const script = join(ROOT, 'deploy/images/make-compose-secrets.mjs');
  expect(spawnSync(process.execPath, [script, 'links', folder]).status).toBe(0);
}

const readDefinitions = () => JSON.parse(readFileSync(definitionsFile, 'utf8')) as Definitions;

async function importDefinitions(): Promise<void> {
  copyFileSync(definitionsFile, join(rootFolder(), imported));
  await stack.broker!.ctl('import_definitions', `/${imported}`);
}

/** Returns the rows of `rabbitmqctl list_…`. */
async function list(...args: string[]): Promise<Record<string, string>[]> {
  return JSON.parse(await stack.broker!.ctl(...args, '--formatter', 'json', '-q')) as Record<string, string>[];
}

function earlierVersion(today: Definitions): Definitions {
  return {
    ...today,
    permissions: today.permissions.map((each) => ({ ...each, configure: '^$', write: '^$', read: '.*' })),
    exchanges: today.exchanges.filter(({ name }) => !name.startsWith('waymark.topology.')),
    queues: today.queues.filter(({ name }) => name !== QUEUE),
    bindings: today.bindings.filter(({ destination }) => destination !== QUEUE),
    policies: today.policies.map((each) => ({ ...each, definition: JSON.parse(EARLIER_POLICY) })),
  };
}

test('an upgraded Compose installation publishes again: the broker gets the new topology and rights, and the old passwords', async () => {
  makeSecrets();
  const today = readDefinitions();
  writeFileSync(definitionsFile, JSON.stringify(earlierVersion(today)));
  await importDefinitions();
  const url = new URL(readFileSync(join(folder, SERVICE, 'AMQP_URL'), 'utf8'));
  url.host = new URL(stack.amqpUrl).host;
  const config = { AMQP_URL: url.href, AMQP_NAMESPACE: 'waymark' };
  const broker = openBroker(SERVICE, { config, log, lifecycle });
  const publisher = openPublisher(broker);
  broker.start();
  await waitFor('the connections', () => broker.isUp);
  expect(publisher.isUp).toBe(false);
  await expect(publisher.publish('link.created', 'evt_1', '{}')).rejects.toThrow('accepts no messages');

  makeSecrets();
  expect(new URL(readFileSync(join(folder, SERVICE, 'AMQP_URL'), 'utf8')).password).toBe(url.password);
  await importDefinitions();
  await waitFor('the publisher', () => publisher.isUp);

  const [permission] = (await list('list_permissions', '-p', VHOST)).filter(({ user }) => user === USER);
  expect(permission).toMatchObject(rightsOf(today.permissions.find(({ user }) => user === USER)!));
  const queues = await list('list_queues', '-p', VHOST, 'name');
  expect(queues.map(({ name }) => name)).toEqual(expect.arrayContaining(today.queues.map(({ name }) => name)));
  const bindings = (await list('list_bindings', '-p', VHOST)).map(({ destination_name }) => destination_name);
  const bound = today.bindings.map(({ destination }) => destination).filter((name) => name === QUEUE);
  // The default exchange adds one.
  expect(bindings.filter((name) => name === QUEUE)).toHaveLength(bound.length + 1);
  const policies = await list('list_policies', '-p', VHOST);
  expect(policies).toHaveLength(today.policies.length);
  for (const { definition } of policies) expect(definition).not.toBe(EARLIER_POLICY);
});

const rightsOf = ({ configure, write, read }: Definitions['permissions'][number]) => ({ configure, write, read });
