import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type Channel, type ChannelModel } from 'amqplib';
import { z } from 'zod';
import { defineEvent, type Event } from '@waymark/contract/event';
import { EVENTS } from '@waymark/contract/events';
import { WORK_QUEUE_DEFINITIONS } from '@waymark/contract/queues';
import { declareInstallation } from '@waymark/kernel/broker/declare';
import { startConsumer, UnprocessableMessage, type ConsumerOptions } from '@waymark/kernel/broker/consumer';
import { listParked, replayParked } from '@waymark/kernel/broker/parked';
import { brokerConfig, databaseConfig, processConfig } from '@waymark/kernel/process/config';
import { createRuntime, startRuntime, type Runtime } from '@waymark/kernel/runtime';
import { freshBacking } from '@waymark/testing/backing';
import { testProcess } from '@waymark/testing/process-parts';
import { waitFor } from '@waymark/testing/wait-for';

const config = processConfig.extend({ ...databaseConfig.shape, ...brokerConfig.shape });
const counted = defineEvent('test.counted', 1, z.object({ n: z.number() }));
type Counted = { n: number };

let backing: ReturnType<typeof freshBacking>;
let connection: ChannelModel;
let channel: Channel;
const running: Runtime[] = [];

beforeEach(async () => {
  backing = freshBacking();
  connection = await connect(backing.AMQP_URL);
  channel = await connection.createChannel();
  channel.on('error', () => undefined);
});
afterEach(async () => {
  for (const parts of running.splice(0)) await parts.lifecycle.stop();
  await connection.close();
});

function open(env: Partial<typeof backing> = {}): Runtime {
  const parts = createRuntime('test', testProcess(config, { ...backing, ...env }));
  running.push(parts);
  return parts;
}

function consume(parts: Runtime, options: Partial<ConsumerOptions<Counted>> = {}): number[] {
  const seen: number[] = [];
  const handle = (events: Event<Counted>[]) => Promise.resolve(void seen.push(...events.map(({ data }) => data.n)));
  startConsumer<Counted>(parts, { queue: 'test.work', events: [counted], handle, ...options });
  return seen;
}

async function start(parts: Runtime): Promise<void> {
  await startRuntime(parts);
  await waitFor('database and broker', () => parts.db.isReady && parts.publisher.isUp);
}

const event = (n: number) => counted.create({ workspace: 'acme' }, { n });
const publish = (parts: Runtime, each: Event) => parts.publisher.publish(each.type, each.id, JSON.stringify(each));
const queue = (name: string) => `${backing.AMQP_NAMESPACE}.${name}`;
const depth = async (name: string) => (await channel.checkQueue(queue(name))).messageCount;
const address = () => ({ url: backing.AMQP_URL, namespace: backing.AMQP_NAMESPACE });

describe('the connections of a process', () => {
  test('try the next node when the first one does not answer', async () => {
    const parts = open({ AMQP_URL: `amqp://guest:guest@127.0.0.1:1,${backing.AMQP_URL}` });
    const seen = consume(parts);
    await start(parts);
    await publish(parts, event(1));
    await waitFor('the event', () => seen.length === 1);
  });

  test('keep one consumer running while the queue of another is unusable', async () => {
    await channel.assertQueue(queue('test.locked.parked'), { exclusive: true });
    const parts = open();
    consume(parts, { queue: 'test.locked' });
    const seen = consume(parts);
    await start(parts);
    await publish(parts, event(1));
    await waitFor('the event', () => seen.length === 1);
    expect(parts.broker.closedChannels).toEqual(['consumer test.locked']);

    await channel.deleteQueue(queue('test.locked.parked'));
    await waitFor('the other consumer', () => parts.broker.closedChannels.length === 0);
  });

  test('use a queue that exists with other arguments unchanged', async () => {
    await channel.assertQueue(queue('test.work'), { durable: true, arguments: { 'x-max-length': 1000 } });
    const parts = open();
    const seen = consume(parts);
    await start(parts);
    await publish(parts, event(1));
    await waitFor('the event', () => seen.length === 1);
  });
});

describe('the topology of an installation', () => {
  test('routes every event type to a queue', () => {
    const routed = new Set(Object.values(WORK_QUEUE_DEFINITIONS).flatMap(({ types }) => types));
    expect(Object.keys(EVENTS).filter((type) => !routed.has(type))).toEqual([]);
  });

  test('rejects a consumer of events that it does not route', () => {
    const consumer = () => consume(open(), { queue: 'audit.entries', singleActive: true });
    expect(consumer).toThrow('WORK_QUEUE_DEFINITIONS: audit.entries lacks test.counted');
  });

  test('exists before the first event is published, even while no consumer runs', async () => {
    const parts = open({ AMQP_DECLARE: 'all' });
    await start(parts);
    await parts.publisher.publish('link.created', 'evt_1', '{}');
    for (const name of ['analytics.links', 'audit.entries', 'redirect.targets', 'webhook.events'])
      await waitFor(name, async () => (await depth(name)) === 1);
  });

  test('is only checked once it exists, and a queue that is gone returns with its bindings', async () => {
    const parts = open({ AMQP_DECLARE: 'all' });
    await start(parts);
    const declare = () => declareInstallation(connection, parts.broker);
    const events = parts.broker.topology.events;
    await channel.unbindQueue(queue('webhook.events'), events, 'link.created');
    await declare();
    await parts.publisher.publish('link.created', 'evt_1', '{}');
    await waitFor('the event', async () => (await depth('audit.entries')) === 1);
    expect(await depth('webhook.events')).toBe(0);
    await channel.deleteQueue(queue('analytics.links'));
    await declare();
    await parts.publisher.publish('link.created', 'evt_2', '{}');
    for (const name of ['analytics.links', 'webhook.events'])
      await waitFor(name, async () => (await depth(name)) === 1);
  });

  test('is declared by one process of those that start together', async () => {
    const { topology } = open({ AMQP_DECLARE: 'all' }).broker;
    await channel.assertQueue(topology.lock, { exclusive: true });
    const waiting = open({ AMQP_DECLARE: 'all' });
    const starting = start(waiting);
    await sleep(3000);
    expect(waiting.publisher.isUp).toBe(false);
    await channel.deleteQueue(topology.lock);
    await starting;
    const others = [1, 2, 3, 4].map(() => open({ AMQP_DECLARE: 'all' }));
    await Promise.all(others.map(start));
    await waitFor('the lock to be gone', async () => {
      const probe = await connection.createChannel();
      probe.on('error', () => undefined);
      return probe.checkQueue(topology.lock).then(
        () => probe.close().then(() => false),
        () => true,
      );
    });
  });

  test('is only checked when the operator declares it, and nothing is published before it is complete', async () => {
    const checking = open({ AMQP_DECLARE: 'none' });
    await startRuntime(checking);
    await waitFor('the connections', () => checking.broker.isUp);
    expect(checking.publisher.isUp).toBe(false);
    await expect(checking.publisher.publish('link.created', 'evt_1', '{}')).rejects.toThrow('accepts no messages');
    await start(open({ AMQP_DECLARE: 'all' }));
    await waitFor('the publisher', () => checking.publisher.isUp);
  });
});

test('the publisher waits for no confirm of messages that it cannot send', async () => {
  const parts = open();
  const seen = consume(parts);
  await start(parts);
  // A routing key has up to 255 bytes. As many messages as may be in flight would keep the next one waiting.
  const unsendable = Array.from({ length: 2000 }, () => parts.publisher.publish('x'.repeat(300), 'evt_1', '{}'));
  const results = await Promise.allSettled(unsendable);
  expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['rejected']));
  await publish(parts, event(1));
  await waitFor('the event', () => seen.length === 1);
});

describe('the outbox', () => {
  test('sets unroutable events aside, and publishes the events behind them', async () => {
    const lost = defineEvent('test.lost', 1, z.object({}));
    const parts = open();
    const seen = consume(parts);
    await start(parts);
    const rows = [...Array.from({ length: 600 }, () => lost.create({ workspace: 'acme' }, {})), event(1)];
    const outbox = parts.db.connection.collection<{ _id: string }>('outbox');
    await outbox.insertMany(
      rows.map((row, index) => ({
        _id: row.id,
        type: row.type,
        body: JSON.stringify(row),
        createdAt: new Date(Date.now() - 60_000 + index),
      })),
    );
    await waitFor('the event behind them', () => seen.length === 1);
    await waitFor('its removal', async () => (await outbox.countDocuments()) <= 600);
    expect(await outbox.countDocuments()).toBe(600);
    expect(await parts.metrics.registry.metrics()).toContain('waymark_outbox_set_aside{service="test"} 600');
  });

  test('sets damaged rows aside, and publishes later rows and rows from a clock that is ahead', async () => {
    const parts = open();
    const seen = consume(parts);
    await start(parts);
    const old = new Date(Date.now() - 60_000);
    const [late, early] = [event(1), event(2)];
    const row = ({ id: _id, type, ...rest }: Event, createdAt: Date) => ({
      ...{ _id, type, createdAt },
      body: JSON.stringify({ id: _id, type, ...rest }),
    });
    await parts.db.connection
      .collection<{ _id: string }>('outbox')
      .insertMany([
        { _id: 'evt_damaged', createdAt: new Date(0) },
        { _id: 'evt_number', type: 'test.counted', body: 7, createdAt: new Date(0) },
        { _id: 'evt_refused', refusals: 'none', createdAt: new Date(0) },
        row(late, old),
        row(early, new Date(Date.now() + 3600_000)),
      ] as { _id: string }[]);
    await waitFor('both events', () => seen.length === 2);
    const outbox = parts.db.connection.collection<{ _id: string; dueAt?: Date }>('outbox');
    await waitFor('their removal', async () => (await outbox.countDocuments()) <= 3);
    const left = await outbox.find({}).toArray();
    expect(left.map(({ _id }) => _id).sort()).toEqual(['evt_damaged', 'evt_number', 'evt_refused']);
    expect(left.every(({ dueAt }) => dueAt instanceof Date)).toBe(true);
  });

  test('sets rows without dates aside, publishes sound ones, and tells the age of the oldest dated row', async () => {
    const lost = defineEvent('test.lost', 1, z.object({})).create({ workspace: 'acme' }, {});
    const parts = open();
    const seen = consume(parts);
    await start(parts);
    const sound = event(1);
    const outbox = parts.db.connection.collection<{ _id: string; dueAt?: Date }>('outbox');
    await outbox.insertMany([
      { _id: 'evt_undated' },
      { _id: 'evt_worded', createdAt: 'never' },
      { _id: 'evt_due', createdAt: new Date(), dueAt: 'soon' },
      { _id: sound.id, type: sound.type, body: JSON.stringify(sound) },
      { _id: lost.id, type: lost.type, body: JSON.stringify(lost), createdAt: new Date(Date.now() - 60_000) },
    ] as { _id: string }[]);
    const ageSeconds = async () =>
      Number(/^waymark_outbox_age_seconds\{.*\} (\S+)$/m.exec(await parts.metrics.registry.metrics())?.[1]);
    expect(await ageSeconds()).toBeGreaterThanOrEqual(60);
    await waitFor('the sound event', () => seen.length === 1);
    await waitFor(
      'the others to be set aside',
      async () => (await outbox.countDocuments({ dueAt: { $not: { $type: 'date' } } })) === 0,
    );
    const left = await outbox.find({}).toArray();
    expect(left.map(({ _id }) => _id).sort()).toEqual([lost.id, 'evt_due', 'evt_undated', 'evt_worded'].sort());
    expect(left.every(({ dueAt }) => dueAt instanceof Date)).toBe(true);
  });

  test('sets rows with damaged ids aside, however many precede sound ones', async () => {
    const parts = open();
    const seen = consume(parts);
    await start(parts);
    const sound = ({ type, ...rest }: Event) => ({ type, body: JSON.stringify({ type, ...rest }) });
    const damagedIds = Array.from({ length: 600 }, (_, index) => (index % 2 === 0 ? index : { number: index }));
    const outbox = parts.db.connection.collection<{ _id: string; dueAt?: Date }>('outbox');
    const last = event(1);
    await outbox.insertMany([
      ...damagedIds.map((_id) => ({ _id, createdAt: 'never' })),
      { _id: -1, ...sound(event(2)) },
      { _id: { number: -1 }, ...sound(event(3)) },
      { _id: last.id, ...sound(last), createdAt: new Date(Date.now() - 60_000) },
    ] as never[]);
    await waitFor('the sound event', () => seen.length > 0);
    const isSetAside = { dueAt: { $type: 'date' as const } };
    await waitFor('the others to be set aside', async () => (await outbox.countDocuments(isSetAside)) === 602);
    expect(seen).toEqual([1]);
    await waitFor('its removal', async () => (await outbox.countDocuments()) === 602);
  });

  test('stores the events of a consumer while their queue is full', async () => {
    const parts = open();
    const seen = consume(parts);
    await start(parts);
    await channel.assertQueue(queue('test.full'), {
      arguments: { 'x-max-length': 0, 'x-overflow': 'reject-publish' },
    });
    await channel.bindQueue(queue('test.full'), queue('events'), counted.type);
    const one = event(1);
    await parts.outbox.publish(one.type, one.id, JSON.stringify(one));
    const rows = parts.db.connection.collection<{ _id: string; dueAt?: Date }>('outbox');
    expect(await rows.findOne({ _id: one.id })).toMatchObject({ refusals: 1, dueAt: expect.any(Date) });
    await channel.deleteQueue(queue('test.full'));
    await waitFor('the event', async () => seen.length > 0 && (await rows.countDocuments()) === 0);
  });

  test('publishes the events behind a refused event at once', async () => {
    const lost = defineEvent('test.lost', 1, z.object({ padding: z.string() }));
    const parts = open();
    const seen = consume(parts);
    await start(parts);
    await parts.db.transaction(async (tx) => {
      // More than one message may have; the broker would close the channel over it.
      tx.emit(lost.create({ workspace: 'acme' }, { padding: 'x'.repeat(9 * 1024 * 1024) }), event(1));
      await Promise.resolve();
    });
    await waitFor('the event', () => seen.length === 1);
  });

  test('stores the events of a consumer while the broker is unreachable', async () => {
    const parts = open({ AMQP_URL: 'amqp://guest:guest@127.0.0.1:1' });
    await startRuntime(parts);
    await waitFor('the database', () => parts.db.isReady);
    const one = event(1);
    for (let time = 0; time < 2; time += 1) await parts.outbox.publish(one.type, one.id, JSON.stringify(one));
    await parts.lifecycle.stop();

    const other = open();
    const seen = consume(other);
    await start(other);
    await waitFor('the event', () => seen.length > 0);
  });
});

describe('a consumer', () => {
  test('keeps a message that it cannot move to its retry queue, and moves it once the queue exists again', async () => {
    const parts = open();
    let tries = 0;
    consume(parts, { handle: () => Promise.reject(new Error(`try ${(tries += 1)}`)) });
    await start(parts);
    await channel.deleteQueue(queue('test.work.retry'));
    await publish(parts, event(1));
    await waitFor('a second try', () => tries >= 2);
    const refused = /messages_consumed_total\{queue="test.work",outcome="refused",service="test"\} [1-9]/;
    expect(await parts.metrics.registry.metrics()).toMatch(refused);
    await channel.assertQueue(queue('test.work.retry'), { durable: true });
    await channel.bindQueue(queue('test.work.retry'), queue('queues'), 'test.work.retry');
    await waitFor('the message in the retry queue', async () => (await depth('test.work.retry')) === 1);
    expect(await depth('test.work')).toBe(0);
  });

  test('handles later messages while the handler of one always times out, and uses up the attempts of that one', async () => {
    const parts = open();
    const slow = event(1);
    const seen = consume(parts, {
      batchMax: 5,
      batchWaitMs: 20,
      holdMaxMs: 300,
      handle: (events) => {
        if (!events.some(({ id }) => id === slow.id)) return Promise.resolve(void seen.push(events.length));
        return Promise.reject(Object.assign(new Error('timed out'), { name: 'MongoNetworkTimeoutError' }));
      },
    });
    await start(parts);
    for (const each of [slow, event(2), event(3)]) await publish(parts, each);
    await waitFor('the others', () => seen.reduce((sum, count) => sum + count, 0) === 2);
    await waitFor('the slow one in the retry queue', async () => (await depth('test.work.retry')) === 1);
    const message = await waitFor('its attempt', () => channel.get(queue('test.work.retry')));
    expect(message.properties.headers?.['x-attempt']).toBe(1);
  });

  test('retries a whole batch without using up attempts while the database answers but refuses all writes', async () => {
    const parts = open();
    const full = new Error('not stored', { cause: Object.assign(new Error('out of disk space'), { code: 14031 }) });
    consume(parts, { batchMax: 5, batchWaitMs: 20, holdMaxMs: 300, handle: () => Promise.reject(full) });
    await start(parts);
    for (const each of [event(1), event(2)]) await publish(parts, each);
    await waitFor('both in the retry queue', async () => (await depth('test.work.retry')) === 2);
    const messages = [await channel.get(queue('test.work.retry')), await channel.get(queue('test.work.retry'))];
    const attempts = messages.map((message) => message && (message.properties.headers?.['x-attempt'] as unknown));
    expect(attempts).toEqual([0, 0]);
  });

  test('holds a message without using up an attempt while the broker accepts nothing', async () => {
    const parts = open();
    const seen: number[] = [];
    consume(parts, {
      holdMaxMs: 300,
      handle: () => {
        seen.push(1);
        const away = Object.assign(new Error('no queue is bound'), { name: 'PublishRefused' });
        return seen.length < 4 ? Promise.reject(away) : Promise.resolve();
      },
    });
    await start(parts);
    await publish(parts, event(1));
    await waitFor('the fourth try', () => seen.length === 4);
    expect(await depth('test.work.parked')).toBe(0);
  });

  test('parks a message that crashes every process that handles it, and no other message', async () => {
    const parts = open();
    const deadly = event(0);
    let deaths = 0;
    const deliveries = new Map<number, number>();
    const seen: number[] = [];
    consume(parts, {
      batchMax: 10,
      batchWaitMs: 20,
      handle: (events) => {
        for (const { data } of events) deliveries.set(data.n, (deliveries.get(data.n) ?? 0) + 1);
        if (events.some(({ id }) => id === deadly.id)) {
          deaths += 1;
          parts.broker.consuming.drop('the process ends');
          return new Promise((_, reject) => setTimeout(() => reject(new Error('gone')), 50));
        }
        return Promise.resolve(void seen.push(...events.map(({ data }) => data.n)));
      },
    });
    await start(parts);
    for (const each of [deadly, ...Array.from({ length: 8 }, (_, index) => event(index + 1))])
      channel.publish(queue('events'), each.type, Buffer.from(JSON.stringify(each)), { messageId: each.id });
    await waitFor('nine deaths', () => deaths >= 9);
    await waitFor('all others', () => new Set(seen).size === 8);
    expect(Math.max(...[1, 2, 3, 4, 5, 6, 7, 8].map((n) => deliveries.get(n)!))).toBeLessThanOrEqual(6);
    const parked = await listParked(address(), ['test.work'], 10);
    expect(parked.filter(({ id }) => id !== deadly.id)).toEqual([]);
  });
});

describe('parked messages', () => {
  test('stay parked when their work queue rejects them', async () => {
    const parts = open();
    consume(parts, { handle: () => Promise.reject(new UnprocessableMessage('never')) });
    await start(parts);
    await publish(parts, event(1));
    await waitFor('the parked message', async () => (await depth('test.work.parked')) === 1);
    await parts.lifecycle.stop();
    await channel.deleteQueue(queue('test.work'));
    await expect(replayParked(address(), { queue: 'test.work', limit: 10 })).rejects.toThrow('no queue is bound');
    await sleep(100);
    expect(await listParked(address(), ['test.work'], 10)).toHaveLength(1);
  });
});
