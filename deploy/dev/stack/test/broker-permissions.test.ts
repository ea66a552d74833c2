import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type Channel, type ChannelModel } from 'amqplib';
import { z } from 'zod';
import { installationFile } from '@waymark/launcher/broker-definitions';
import { rootFolder } from '@waymark/stack/private-root';
import { openStack } from '@waymark/stack/stack';
import type { Stack } from '@waymark/stack/stack-types';
import { ROOT } from '@waymark/launcher/process-table';
import type { Event } from '@waymark/contract/event';
import { EVENTS } from '@waymark/contract/events';
import { BROKER_SERVICES, type BrokerService } from '@waymark/contract/broker-services';
import {
  LIVE_TYPES,
  producerOf,
  REQUESTERS,
  WORK_QUEUE_DEFINITIONS,
  WORK_QUEUES,
  type WorkQueue,
} from '@waymark/contract/queues';
import { openBroker, type Broker } from '@waymark/kernel/broker/connection';
import { startConsumer, UnprocessableMessage } from '@waymark/kernel/broker/consumer';
import { listParked, replayParked } from '@waymark/kernel/broker/parked';
import { openPublisher, type Publisher } from '@waymark/kernel/broker/publisher';
import { serveRequests, openRequester, type Requester } from '@waymark/kernel/broker/requests';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { Metrics } from '@waymark/kernel/process/metrics';
import { waitFor } from '@waymark/testing/wait-for';

const log = createLog('test', process.env['TEST_LOG_LEVEL'] ?? 'silent');
const NAMESPACE = 'waymark';
const folder = mkdtempSync(join(tmpdir(), 'waymark-permissions-'));
/** Inside the private root, where `rabbitmqctl` finds it. */
const IMPORT = `tmp/definitions-${process.pid}.json`;

let stack: Stack;
let urls: Record<string, string>;
let operatorUrl: string;
/** The contents of the generated file that the operator imports. */
let definitions: Definitions;

interface Permission {
  user: string;
  write: string;
  read: string;
}

interface Definitions {
  permissions: Permission[];
  topic_permissions: (Permission & { exchange: string })[];
}

beforeAll(async () => {
  stack = await openStack({ name: `permissions-${process.pid}`, fresh: true, env: {} });
  const out = join(folder, 'out');
  const amqp = `amqp://${new URL(stack.amqpUrl).host}/waymark-links`;
  const options = { deployment: 'links', mongodb: 'mongodb://127.0.0.1/', amqp, management: 'http://127.0.0.1', out };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  expect(spawnSync(process.execPath, [join(ROOT, 'deploy/k8s/make-secrets.mjs'), ...args]).status).toBe(0);
  const { items } = JSON.parse(readFileSync(join(out, 'secrets.json'), 'utf8'));
  urls = Object.fromEntries(
    items.map((item: { metadata: { name: string }; stringData: Record<string, string> }) => [
      item.metadata.name.replace('-secrets', ''),
      item.stringData['AMQP_URL'],
    ]),
  );
  operatorUrl = readFileSync(join(out, 'operator-amqp-url'), 'utf8');
  const users = readFileSync(join(out, 'rabbitmq-users.json'), 'utf8');
  definitions = JSON.parse(users) as Definitions;
  writeFileSync(join(rootFolder(), IMPORT), users, { mode: 0o644 });
  await stack.broker!.ctl('import_definitions', `/${IMPORT}`);
});
afterAll(async () => {
  await stack?.stop();
  rmSync(join(rootFolder(), IMPORT), { force: true });
  rmSync(folder, { recursive: true, force: true });
});

test('the file that the scripts of the operator read is up to date: npm run broker:definitions', () => {
  expect(readFileSync(join(ROOT, 'deploy/k8s/broker/installation.json'), 'utf8')).toBe(installationFile());
});

describe('the broker user of the redirect', () => {
  let connection: ChannelModel;
  beforeEach(async () => {
    connection = await connect(urls['redirect']!);
    connection.on('error', () => undefined);
  });
  afterEach(() => connection.close().catch(() => undefined));

  const forbidden: [string, (channel: Channel) => unknown][] = [
    ['publish an event of another service', (channel) => channel.publish('waymark.events', 'link.created', BODY)],
    ['publish into a queue of another service', (channel) => channel.publish('', 'waymark.audit.entries', BODY)],
    ['put a message into a work queue', (channel) => channel.publish('waymark.queues', 'audit.entries', BODY)],
    ['park a message of another service', (channel) => channel.publish('waymark.queues', 'audit.entries.parked', BODY)],
    ['put a message into its own work queue', (channel) => channel.publish('waymark.queues', 'redirect.targets', BODY)],
    ['ask a question of another service', (channel) => channel.publish('waymark.questions', 'auth.find_plan', BODY)],
    ['answer a service that asks it nothing', (channel) => channel.publish('waymark.answers', 'audit.answers.1', BODY)],
    ['give a message up', (channel) => channel.publish('waymark.dead', 'waymark.audit.entries', BODY)],
    ['name another user', (channel) => channel.publish('waymark.events', 'scan.recorded', BODY, { userId: 'guest' })],
    ['read every event', (channel) => bindLive(channel, '#')],
    ['read the events of the audit log', (channel) => bindLive(channel, 'session.created')],
    ['read a queue of another service', (channel) => channel.consume('waymark.audit.entries', () => undefined)],
    ['delete an exchange', (channel) => channel.deleteExchange('waymark.events')],
    ['declare an exchange', (channel) => channel.assertExchange('waymark.other', 'topic')],
    ['delete its own work queue', (channel) => channel.deleteQueue('waymark.redirect.targets')],
    [
      'declare a queue of another service',
      (channel) => channel.assertQueue('waymark.audit.live.1', { exclusive: true }),
    ],
  ];

  test.each(forbidden)('may not %s', async (_what, attempt) => {
    expect(await refusalOf(connection, attempt)).toBe(_what === 'name another user' ? 406 : 403);
  });
});

describe.each(BROKER_SERVICES)('the broker user of %s', (service) => {
  /** True if each of the rights matches: those of the user, and those of the exchange if one is named. */
  function may(right: 'write' | 'read', resource: string, key?: string): boolean {
    const isOwn = ({ user }: Permission) => user === `waymark-links-${service}`;
    const permissions = definitions.permissions.filter(isOwn);
    const topics = definitions.topic_permissions.filter((each) => isOwn(each) && each.exchange === resource);
    if (permissions.length !== 1 || topics.length !== (key === undefined ? 0 : 1)) {
      throw new Error(`not one set of rights of ${service} on ${resource}`);
    }
    return (
      new RegExp(permissions[0]![right]).test(resource) &&
      (key === undefined || new RegExp(topics[0]![right]).test(key))
    );
  }
  const isOwnQueue = (queue: string) => queue.startsWith(`${service}.`);

  test('may publish exactly the events that the service produces', () => {
    const types = Object.keys(EVENTS);
    expect(types.filter((type) => may('write', 'waymark.events', type))).toEqual(
      types.filter((type) => producerOf(type) === service),
    );
  });

  test('may read exactly the queues of the service', () => {
    const queues = WORK_QUEUES.flatMap((queue) => ['', '.retry', '.parked'].map((suffix) => queue + suffix));
    expect(queues.filter((queue) => may('read', `waymark.${queue}`))).toEqual(queues.filter(isOwnQueue));
  });

  test('may bind queues of its own exactly to the events that its replicas follow', () => {
    const types = Object.keys(EVENTS);
    const live = LIVE_TYPES[service] ?? [];
    expect(types.filter((type) => may('read', 'waymark.events', type))).toEqual(
      types.filter((type) => live.includes(type)),
    );
  });

  test('may put messages exactly into the companions of the queues of the service', () => {
    const keys = WORK_QUEUES.flatMap((queue) => ['', '.retry', '.parked'].map((suffix) => queue + suffix));
    expect(keys.filter((key) => may('write', 'waymark.queues', key))).toEqual(
      keys.filter((key) => isOwnQueue(key) && !WORK_QUEUES.includes(key as WorkQueue)),
    );
  });

  test('is refused by the broker beyond its rights', async () => {
    const connection = await connect(urls[service]!);
    connection.on('error', () => undefined);
    try {
      const foreignType = Object.keys(EVENTS).find((type) => producerOf(type) !== service)!;
      const foreignQueue = WORK_QUEUES.find((queue) => !isOwnQueue(queue))!;
      expect(await refusalOf(connection, (channel) => channel.publish('waymark.events', foreignType, BODY))).toBe(403);
      expect(
        await refusalOf(connection, (channel) => channel.consume(`waymark.${foreignQueue}`, () => undefined)),
      ).toBe(403);
    } finally {
      await connection.close().catch(() => undefined);
    }
  });
});

/** Returns the code with which the broker closes the channel, or `undefined` if it does what was asked. */
async function refusalOf(
  connection: ChannelModel,
  attempt: (channel: Channel) => unknown,
): Promise<number | undefined> {
  const channel = await connection.createChannel();
  let code: number | undefined;
  channel.once('error', (error: { code: number }) => (code = error.code));
  await Promise.resolve(attempt(channel)).catch(() => undefined);
  // The broker answers in the order of the requests of a channel.
  await channel.checkExchange('waymark.events').catch(() => undefined);
  return code;
}

const BODY = Buffer.from('{}');

async function bindLive(channel: Channel, key: string): Promise<void> {
  const { queue } = await channel.assertQueue('waymark.redirect.live.1', { exclusive: true });
  await channel.bindQueue(queue, 'waymark.events', key);
}

describe('the broker users of all services', () => {
  const lifecycle = new Lifecycle(log);
  const brokers = {} as Record<BrokerService, Broker>;
  const publishers = {} as Record<BrokerService, Publisher>;
  const requesters = {} as Record<BrokerService, Requester>;
  const received: string[] = [];
  const failing = new Set<string>();

  beforeAll(async () => {
    for (const service of BROKER_SERVICES) {
      const broker = openBroker(service, {
        config: { AMQP_URL: urls[service]!, AMQP_NAMESPACE: NAMESPACE },
        log,
        lifecycle,
      });
      brokers[service] = broker;
      publishers[service] = openPublisher(broker);
      const isAsker = Object.values(REQUESTERS).some((askers) => askers.includes(service));
      if (isAsker) requesters[service] = openRequester(broker);
    }
    for (const queue of WORK_QUEUES) consume(queue);
    for (const name of Object.keys(REQUESTERS))
      serveRequests(brokers[serviceOf(name)], question(name), (asked) => Promise.resolve({ answered: asked }));
    for (const broker of Object.values(brokers)) broker.start();
    await waitFor('all services', () => Object.values(publishers).every(({ isUp }) => isUp));
    expect(Object.values(brokers).flatMap(({ closedChannels }) => closedChannels)).toEqual([]);
  });
  afterAll(() => lifecycle.stop());

  const serviceOf = (name: string) => name.split('.')[0] as BrokerService;
  const question = (name: string) => ({ name, question: z.unknown(), answer: z.unknown() });
  const eventOf = (type: string): Event => EVENTS[type]!.create({ workspace: 'acme' }, {} as never);

  function consume(queue: (typeof WORK_QUEUES)[number]): void {
    const service = serviceOf(queue);
    const { types, singleActive } = WORK_QUEUE_DEFINITIONS[queue];
    const events = types.map((type) => ({ ...EVENTS[type]!, schema: z.unknown() }));
    const parts = {
      broker: brokers[service],
      publisher: publishers[service],
      log,
      metrics: new Metrics('test'),
      lifecycle,
    };
    startConsumer(parts, {
      queue,
      events,
      singleActive,
      handle: ([event]) => {
        if (failing.has(`${queue} ${event!.id}`)) return Promise.reject(new UnprocessableMessage('never'));
        return Promise.resolve(void received.push(`${queue} ${event!.id}`));
      },
    });
  }

  test('publish every event into every queue that it belongs to', async () => {
    const expected: string[] = [];
    for (const type of Object.keys(EVENTS)) {
      const event = eventOf(type);
      await publishers[producerOf(type)].publish(type, event.id, JSON.stringify(event));
      for (const queue of WORK_QUEUES)
        if (WORK_QUEUE_DEFINITIONS[queue].types.includes(type)) expected.push(`${queue} ${event.id}`);
    }
    await waitFor('all events', () => expected.every((each) => received.includes(each)));
  });

  test('ask and answer every question', async () => {
    for (const [name, askers] of Object.entries(REQUESTERS))
      for (const asker of askers)
        expect(await requesters[asker].ask(question(name), { asker }, 10_000)).toEqual({ answered: { asker } });
  });

  test('park what they cannot handle, and the operator replays it', async () => {
    const event = eventOf('link.created');
    failing.add(`audit.entries ${event.id}`);
    await publishers.resource.publish(event.type, event.id, JSON.stringify(event));
    const address = { url: operatorUrl, namespace: NAMESPACE };
    const list = () => listParked(address, ['audit.entries'], 10);
    await waitFor('the parked message', async () => (await list()).length === 1);
    failing.clear();
    await replayParked(address, { queue: 'audit.entries', limit: 10 });
    await waitFor('the replayed one', () => received.includes(`audit.entries ${event.id}`));
  });

  test('park an event of a service that was not published by its user, also when all are replayed', async () => {
    const event = eventOf('domain.deleted');
    const admin = await connect(`${stack.amqpUrl}/${encodeURIComponent('waymark-links')}`).catch(() => undefined);
    if (!admin) await stack.broker!.ctl('set_permissions', '-p', 'waymark-links', 'guest', '.*', '.*', '.*');
    const connection = admin ?? (await connect(`${stack.amqpUrl}/waymark-links`));
    const channel = await connection.createConfirmChannel();
    channel.publish('waymark.queues', 'redirect.domains', Buffer.from(JSON.stringify(event)), { messageId: event.id });
    await channel.waitForConfirms();
    const address = { url: operatorUrl, namespace: NAMESPACE };
    const list = () => listParked(address, ['redirect.domains'], 10);
    const [parked] = await waitFor('the forged event', async () => {
      const messages = await list();
      return messages.length > 0 && messages;
    });
    expect(parked!.reason).toBe('domain.deleted was published by the user unknown, not by waymark-links-domain');
    await replayParked(address, { queue: 'redirect.domains', limit: 10 });
    await waitFor('the forged event again', async () => (await list()).length === 1);
    expect(received).not.toContain(`redirect.domains ${event.id}`);
    await connection.close();
  });
});
