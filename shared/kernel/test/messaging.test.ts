import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type Channel, type ChannelModel } from 'amqplib';
import { Schema } from 'mongoose';
import { pino } from 'pino';
import { z } from 'zod';
import { defineEvent, type Event } from '@waymark/contract/event';
import { resolveCode } from '@waymark/contract/requests';
import { startConsumer, UnprocessableMessage, type ConsumerOptions } from '@waymark/kernel/broker/consumer';
import { PARKED_COMMANDS } from '@waymark/kernel/command-line/parked-commands';
import { listParked, replayParked } from '@waymark/kernel/broker/parked';
import { serveRequests, openRequester } from '@waymark/kernel/broker/requests';
import { brokerConfig, databaseConfig, processConfig } from '@waymark/kernel/process/config';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { Inbox } from '@waymark/kernel/mongo/inbox';
import { currentContext, newContext, runInContext } from '@waymark/kernel/process/request-context';
import { createRuntime, startRuntime, type Runtime } from '@waymark/kernel/runtime';
import { freshBacking } from '@waymark/testing/backing';
import { failCommand } from '@waymark/testing/fail-command';
import { testProcess } from '@waymark/testing/process-parts';
import { waitFor, waitForCount } from '@waymark/testing/wait-for';

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
});
afterEach(async () => {
  for (const parts of running.splice(0)) await parts.lifecycle.stop();
  await connection.close();
});

function open(): Runtime {
  const parts = createRuntime('test', testProcess(config, backing));
  running.push(parts);
  return parts;
}

function consume(parts: Runtime, options: Partial<ConsumerOptions<Counted>>): Counted[] {
  const seen: Counted[] = [];
  startConsumer<Counted>(parts, {
    queue: 'test.work',
    events: [counted],
    handle: (events) => {
      seen.push(...events.map((event) => event.data));
      return Promise.resolve();
    },
    ...options,
  });
  return seen;
}

const up = (parts: Runtime) => waitFor('database and broker', () => parts.db.isReady && parts.publisher.isUp);
const publish = (parts: Runtime, event: Event) => parts.publisher.publish(event.type, event.id, JSON.stringify(event));
const event = (n: number) => counted.create({ workspace: 'acme' }, { n });
const queue = (name: string) => `${backing.AMQP_NAMESPACE}.${name}`;

/** Returns the value of a metric for a queue; `undefined` if it has none. */
async function seriesOf({ metrics }: Runtime, name: string, ofQueue: string): Promise<number | undefined> {
  const text = await metrics.registry.metrics();
  const value = new RegExp(`^waymark_${name}\\{[^}]*queue="${ofQueue}"[^}]*\\} (\\S+)$`, 'm').exec(text)?.[1];
  return value === undefined ? undefined : Number(value);
}

async function parkedMessages(): Promise<{ reason: string; body: string }[]> {
  const messages = [];
  for (;;) {
    const message = await channel.get(queue('test.work.parked'));
    if (!message) return messages;
    messages.push({ reason: String(message.properties.headers?.['x-error']), body: message.content.toString() });
  }
}

test('a process that stops opens none of its channels again, and warns of nothing', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const parts = createRuntime('test', { ...testProcess(config, backing), log, lifecycle: new Lifecycle(log) });
  running.push(parts);
  consume(parts, {});
  await startRuntime(parts);
  await up(parts);
  await waitFor('the channels', () => parts.broker.closedChannels.length === 0);
  await parts.lifecycle.stop();
  expect(lines).toEqual([]);
});

describe('the outbox', () => {
  test('publishes the event of a committed transaction, and not the event of an aborted one', async () => {
    const parts = open();
    const seen = consume(parts, {});
    await startRuntime(parts);
    await up(parts);
    await parts.db.transaction(async (tx) => {
      tx.emit(event(1));
      await Promise.resolve();
    });
    const aborted = parts.db.transaction(async (tx) => {
      tx.emit(event(2));
      await Promise.resolve();
      throw new Error('changed my mind');
    });
    await expect(aborted).rejects.toThrow('changed my mind');
    await parts.db.transaction(async (tx) => {
      tx.emit(event(3));
      await Promise.resolve();
    });
    await waitFor('both events', () => seen.length >= 2);
    expect(seen).toEqual([{ n: 1 }, { n: 3 }]);
    expect([...parts.lifecycle.work.longestSeconds.keys()].sort()).toEqual([
      'outbox',
      'queue test.work',
      'transaction',
    ]);
    await waitFor(
      'an empty outbox',
      async () => (await parts.db.connection.collection('outbox').countDocuments()) === 0,
    );
  });

  test('publishes outside of the request that wakes it, since the events of other requests follow', async () => {
    const parts = open();
    await startRuntime(parts);
    await up(parts);
    await channel.assertQueue(queue('test.copies'));
    await channel.bindQueue(queue('test.copies'), queue('events'), counted.type);
    await runInContext(newContext('request-1'), () =>
      parts.db.transaction(async (tx) => {
        tx.emit(event(1));
        await Promise.resolve();
      }),
    );
    const message = await waitFor('the event', () => channel.get(queue('test.copies')));
    expect(message.properties.headers).not.toHaveProperty('traceparent');
  });

  test('keeps an event until its queue exists, then publishes it', async () => {
    const parts = open();
    await startRuntime(parts);
    await up(parts);
    await parts.db.transaction(async (tx) => {
      tx.emit(event(1));
      await Promise.resolve();
    });
    expect(await parts.db.connection.collection('outbox').countDocuments()).toBe(1);
    const later = open();
    const seen = consume(later, {});
    await startRuntime(later);
    await waitFor('the event', () => seen.length === 1);
  });

  test('publishes the events that a killed process left behind', async () => {
    const parts = open();
    await startRuntime(parts);
    await up(parts);
    const left = event(7);
    await parts.db.connection.collection<{ _id: string }>('outbox').insertOne({
      _id: left.id,
      type: left.type,
      body: JSON.stringify(left),
      createdAt: new Date(Date.now() - 60_000),
    } as { _id: string });
    const other = open();
    const seen = consume(other, {});
    await startRuntime(other);
    await waitFor('the event', () => seen.length === 1);
  });
});

describe('a consumer', () => {
  test('parks one poison message among a hundred with the reason, and handles the rest in order', async () => {
    const parts = open();
    const seen = consume(parts, { batchMax: 20, batchWaitMs: 20 });
    await startRuntime(parts);
    await up(parts);
    for (let n = 0; n < 100; n += 1) {
      if (n === 50) channel.publish(queue('events'), 'test.counted', Buffer.from('{"not": an event'));
      await publish(parts, event(n));
    }
    await waitFor('all good messages', () => seen.length === 100);
    expect(seen.map(({ n }) => n)).toEqual(Array.from({ length: 100 }, (_, n) => n));
    const parked = await waitFor('the parked message', async () => {
      const messages = await parkedMessages();
      return messages.length > 0 && messages;
    });
    expect(parked).toEqual([{ reason: 'not JSON', body: '{"not": an event' }]);
  });

  test.each([
    ['an unknown version', { ...event(1), version: 99 }, /unknown event test.counted version 99/],
    ['data of a wrong shape', { ...event(1), data: { n: 'one' } }, /bad test.counted/],
    ['no envelope', { hello: 'world' }, /not an event/],
  ])('parks %s', async (_what, body, reason) => {
    const parts = open();
    consume(parts, {});
    await startRuntime(parts);
    await up(parts);
    channel.publish(queue('events'), 'test.counted', Buffer.from(JSON.stringify(body)));
    const [parked] = await waitFor('the parked message', async () => {
      const messages = await parkedMessages();
      return messages.length > 0 && messages;
    });
    expect(parked!.reason).toMatch(reason);
  });

  test('logs at most 500 characters of the reason why it parks a message, with ten of its issues', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
    const parts = createRuntime('test', { ...testProcess(config, backing), log });
    running.push(parts);
    const listed = defineEvent('test.counted', 1, z.object({ list: z.array(z.number()) }));
    startConsumer(parts, { queue: 'test.work', events: [listed], handle: () => Promise.resolve() });
    await startRuntime(parts);
    await up(parts);
    await publish(parts, { ...event(1), data: { list: Array(20_000).fill('') } });
    await publish(parts, { ...event(1), data: { list: ['x', 'y'] } });
    await waitFor('the lines', () => lines.length === 2);
    const reasons = lines.map((line) => (JSON.parse(line) as { reason: string }).reason);
    expect(reasons[0]).toHaveLength(500);
    expect(reasons[1]!.match(/list\[\d+\]/g)).toEqual(['list[0]', 'list[1]']);
  });

  test('removes from a parked message the data that must not be kept', async () => {
    const parts = open();
    consume(parts, {
      handle: () => Promise.reject(new UnprocessableMessage('never')),
      beforeParking: () => Buffer.from('stripped'),
    });
    await startRuntime(parts);
    await up(parts);
    await publish(parts, event(1));
    const [parked] = await waitFor('the parked message', async () => {
      const messages = await parkedMessages();
      return messages.length > 0 && messages;
    });
    expect(parked).toEqual({ reason: 'never', body: 'stripped' });
  });

  test('moves a failed message to the retry queue, not back to the head of its queue', async () => {
    const parts = open();
    const seen: number[] = [];
    consume(parts, {
      handle: ([first]) => {
        if (first!.data.n === 1) return Promise.reject(new Error('not today'));
        seen.push(first!.data.n);
        return Promise.resolve();
      },
    });
    await startRuntime(parts);
    await up(parts);
    await publish(parts, event(1));
    await publish(parts, event(2));
    await waitFor('the other message', () => seen.length === 1);
    const waiting = await waitFor('the message in the retry queue', async () => {
      const { messageCount } = await channel.checkQueue(queue('test.work.retry'));
      return messageCount === 1 && messageCount;
    });
    expect(waiting).toBe(1);
  });

  test('keeps the order of a queue that one process at a time consumes, also when that process stops', async () => {
    const EVENTS = 60;
    const handled: number[] = [];
    const startReplica = async () => {
      const parts = open();
      consume(parts, {
        singleActive: true,
        batchMax: 10,
        handle: async (events) => {
          await sleep(50);
          handled.push(...events.map(({ data }) => data.n));
        },
      });
      await startRuntime(parts);
      await up(parts);
      return parts;
    };
    const first = await startReplica();
    await startReplica();
    for (let n = 1; n <= EVENTS; n += 1) await publish(first, event(n));
    await waitFor('the first batch', () => handled.length >= 5);
    await first.lifecycle.stop();
    await waitForCount('the rest', EVENTS, () => handled.length);
    expect(handled).toEqual(Array.from({ length: EVENTS }, (_, index) => index + 1));
  });

  test('applies an event once, however often it is delivered', async () => {
    const parts = open();
    const inbox = new Inbox(parts.db);
    const sums = parts.db.model('Sum', new Schema<{ _id: string; n: number }>({ _id: String, n: Number }), 'sums');
    let deliveries = 0;
    consume(parts, {
      batchMax: 10,
      batchWaitMs: 5,
      handle: async (events) => {
        deliveries += events.length;
        await inbox.applyOnce('sums', events, async (fresh, tx) => {
          const total = fresh.reduce((sum, { data }) => sum + data.n, 0);
          await sums.updateOne({ _id: 'sum' }, { $inc: { n: total } }, { upsert: true, session: tx.session });
        });
      },
    });
    await startRuntime(parts);
    await up(parts);
    const events = Array.from({ length: 30 }, () => event(1));
    for (const again of [...events, ...events, ...events]) await publish(parts, again);
    await waitFor('all deliveries', () => deliveries >= 90);
    await waitFor('the sum', async () => (await sums.findById('sum').lean())?.n === 30);
  });

  test('divides a batch whose transaction is too large into single messages, and parks none', async () => {
    const parts = open();
    const rows = parts.db.model('Row', new Schema<{ _id: number }>({ _id: Number }), 'rows');
    const sizes: number[] = [];
    consume(parts, {
      batchMax: 6,
      batchWaitMs: 500,
      handle: async (events) => {
        sizes.push(events.length);
        const documents = events.map(({ data }) => ({ _id: data.n }));
        await parts.db.transaction(({ session }) => rows.insertMany(documents, { session, lean: true }));
      },
    });
    await startRuntime(parts);
    await up(parts);
    // The batch, and one of its messages alone. A server throws it at a write, never at the commit.
    await failCommand(rows.collection, { times: 2 }, { failCommands: ['insert'], errorCode: 388 });
    await Promise.all(Array.from({ length: 6 }, (_, n) => publish(parts, event(n))));
    await waitFor('all messages', async () => (await rows.countDocuments()) === 6);
    const [first, ...others] = sizes;
    expect(first).toBeGreaterThan(1);
    expect(others.slice(0, first)).toEqual(Array(first).fill(1));
    expect(await parkedMessages()).toEqual([]);
  });

  test('resumes automatically after its queue was deleted', async () => {
    const parts = open();
    const seen = consume(parts, {});
    await startRuntime(parts);
    await up(parts);
    await publish(parts, event(1));
    await waitFor('the first', () => seen.length === 1);
    await channel.deleteQueue(queue('test.work'));
    // Each attempt may be delivered: several may arrive between two checks.
    await waitFor('the second', async () => {
      if (seen.some(({ n }) => n === 2)) return true;
      await publish(parts, event(2)).catch(() => undefined);
      return false;
    });
  });
});

describe('the trace of a request', () => {
  test('continues in the consumers of its events', async () => {
    const parts = open();
    const seen: (string | undefined)[] = [];
    consume(parts, {
      handle: () => {
        const context = currentContext();
        seen.push(context?.requestId, context?.traceparent.slice(0, 35));
        return Promise.resolve();
      },
    });
    await startRuntime(parts);
    await up(parts);
    const { requestId, traceparent } = newContext('request-1');
    await publish(parts, counted.create({ workspace: 'acme', requestId, traceparent }, { n: 1 }));
    await waitFor('the event', () => seen.length > 0);
    expect(seen).toEqual(['request-1', traceparent.slice(0, 35)]);
  });
});

describe('the publisher', () => {
  test('rejects an event that reaches no queue', async () => {
    const parts = open();
    await startRuntime(parts);
    await up(parts);
    await expect(publish(parts, event(1))).rejects.toThrow('no queue is bound for test.counted');
  });

  test('confirms each of many messages with the same id in flight', async () => {
    const parts = open();
    consume(parts, {});
    await startRuntime(parts);
    await up(parts);
    const body = JSON.stringify(event(1));
    const publishInTurn = async () => {
      for (let turn = 0; turn < 200; turn += 1) await parts.publisher.publish('test.counted', 'same', body);
    };
    await Promise.all([publishInTurn(), publishInTurn(), publishInTurn()]);
  });

  test('fails events in flight and those that wait for room when an alarm begins', async () => {
    const parts = open();
    consume(parts, {});
    await startRuntime(parts);
    await up(parts);
    const body = Buffer.alloc(4 * 1024 * 1024);
    const publications = Array.from({ length: 20 }, (_, n) => parts.publisher.publish('test.counted', `${n}`, body));
    const settled = Promise.allSettled(publications);
    const { current } = parts.broker.publishing as unknown as { current: ChannelModel };
    current.emit('blocked', 'low on memory');
    const outcomes = await Promise.race([settled, sleep(5000, [], { ref: false })]);
    current.emit('unblocked');
    expect(outcomes).toHaveLength(20);
    expect(new Set(outcomes.map((outcome) => (outcome as PromiseRejectedResult).reason.name))).toEqual(
      new Set(['BrokerUnavailable']),
    );
  });

  test('leaves no event waiting for room when the broker is not ready for a moment', async () => {
    const parts = open();
    consume(parts, {});
    await startRuntime(parts);
    await up(parts);
    const publishMany = (count: number) =>
      Promise.allSettled(
        Array.from({ length: count }, (_, n) => parts.publisher.publish('test.unknown', `${n}`, '{}')),
      );
    // As many as may be in flight, and more that wait for room than end now. No consumer publishes anything for them.
    const [inFlight, waiting] = [publishMany(2000), publishMany(2020)];
    const isReady = jest.spyOn(parts.broker, 'isReadyToPublish', 'get').mockReturnValue(false);
    await inFlight;
    await new Promise(setImmediate);
    isReady.mockRestore();
    const outcomes = await Promise.race([waiting, sleep(10_000, [], { ref: false })]);
    expect(outcomes).toHaveLength(2020);
  });

  test('confirms an event published again while the confirm of its first publication is late', async () => {
    const parts = open();
    consume(parts, {});
    await startRuntime(parts);
    await up(parts);
    const { current } = parts.broker.publishing as unknown as { current: ChannelModel };
    const [body, other] = [Buffer.alloc(4 * 1024 * 1024), Buffer.alloc(4 * 1024 * 1024)];
    const first = parts.publisher.publish('test.counted', 'the same', body);
    current.emit('blocked', 'low on memory');
    current.emit('unblocked');
    await expect(first).rejects.toThrow('the broker accepts no messages');
    // Its own confirm comes last, after that of the first publication and of another event.
    await Promise.all([
      parts.publisher.publish('test.counted', 'another', other),
      parts.publisher.publish('test.counted', 'the same', body),
    ]);
    await expect(parts.publisher.publish('test.unknown', 'the same', 'body')).rejects.toThrow('no queue is bound');
  });

  test('fails the messages in flight when the broker drops the connection, then works again', async () => {
    const parts = open();
    consume(parts, {});
    await startRuntime(parts);
    await up(parts);
    const inFlight = Array.from({ length: 50 }, (_, n) => publish(parts, event(n)));
    parts.broker.drop('test');
    const results = await Promise.allSettled(inFlight);
    expect(results.length).toBe(50);
    await up(parts);
    await publish(parts, event(1));
  });
});

describe('a request', () => {
  test('is answered by another process', async () => {
    const [asker, answerer] = [open(), open()];
    const requester = openRequester(asker.broker);
    serveRequests(answerer.broker, resolveCode, () => Promise.resolve({ target: null }));
    await startRuntime(asker);
    await startRuntime(answerer);
    await up(asker);
    await up(answerer);
    expect(await requester.ask(resolveCode, { hostname: null, short_code: randomUUID() }, 2000)).toEqual({
      target: null,
    });
  });

  test('fails within its timeout when no process answers', async () => {
    const parts = open();
    const requester = openRequester(parts.broker);
    await startRuntime(parts);
    await up(parts);
    const startedAt = Date.now();
    await expect(requester.ask(resolveCode, { hostname: null, short_code: 'x' }, 250)).rejects.toThrow(
      'no answer in time',
    );
    expect(Date.now() - startedAt).toBeLessThan(20_000);
  });
});

describe('parked messages', () => {
  test('stay listed until they are replayed to their queue', async () => {
    const parts = open();
    let isFixed = false;
    const seen: number[] = [];
    consume(parts, {
      handle: ([first]) => {
        if (!isFixed) return Promise.reject(new UnprocessableMessage('not yet'));
        seen.push(first!.data.n);
        return Promise.resolve();
      },
    });
    await startRuntime(parts);
    await up(parts);
    for (const n of [1, 2, 3]) await publish(parts, event(n));
    const address = { url: backing.AMQP_URL, namespace: backing.AMQP_NAMESPACE };
    const list = () => listParked(address, ['test.work'], 100);
    await waitFor('three parked messages', async () => (await list()).length === 3);
    for (let look = 0; look < 30; look += 1) expect(await list()).toHaveLength(3);
    const parkedSeries = () => seriesOf(parts, 'queue_messages', 'test.work.parked');
    // Those that were listed last return to the queue as their channel closes.
    await waitFor('the metric', async () => (await parkedSeries()) === 3);
    const [first] = await list();
    expect(first).toMatchObject({ queue: 'test.work', reason: 'not yet' });

    const { run } = PARKED_COMMANDS['parked replay']!;
    for (const dryRun of [true, false]) {
      const unknown = run({ ...backing }, { queue: 'test.work', id: 'evt_unknown', limit: 100, dryRun });
      await expect(unknown).rejects.toMatchObject({ details: { id: [expect.stringContaining('not among')] } });
    }
    expect(await list()).toHaveLength(3);

    isFixed = true;
    expect(await replayParked(address, { queue: 'test.work', limit: 100, id: first!.id })).toHaveLength(1);
    await waitFor('the replayed one', () => seen.length === 1);
    expect(await replayParked(address, { queue: 'test.work', limit: 100 })).toHaveLength(2);
    await waitFor('the others', () => seen.length === 3);
    expect(await list()).toHaveLength(0);
    await waitFor('the metric', async () => (await parkedSeries()) === 0);
    expect(await seriesOf(parts, 'message_age_seconds_count', 'test.work')).toBe(3);
  });

  test('are replayed once, also if they fail again at once', async () => {
    const parts = open();
    consume(parts, { handle: () => Promise.reject(new UnprocessableMessage('never')) });
    await startRuntime(parts);
    await up(parts);
    const address = { url: backing.AMQP_URL, namespace: backing.AMQP_NAMESPACE };
    const parkedCount = async () => (await listParked(address, ['test.work'], 1000)).length;
    for (let n = 0; n < 50; n += 1) await publish(parts, event(n));
    await waitFor('the parked messages', async () => (await parkedCount()) === 50);
    // Slow enough for the first ones to be parked again before the last ones are replayed.
    expect(await replayParked(address, { queue: 'test.work', limit: 1000 })).toHaveLength(50);
    await waitFor('them to be parked again', async () => (await parkedCount()) === 50);
    expect(await replayParked(address, { queue: 'test.work', limit: 3 })).toHaveLength(3);
  });
});
