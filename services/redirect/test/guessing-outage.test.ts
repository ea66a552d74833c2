import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { linkCreated } from '@waymark/contract/events';
import { openStack } from '@waymark/stack/stack';
import type { Stack } from '@waymark/stack/stack-types';
import { waitFor } from '@waymark/testing/wait-for';
import { Neighbours, sampleLink, startRedirect, temporaryDirectory, type TestRedirect } from './support.js';

const LIMIT = 2;
/** How many look-ups a visitor may have under way within the limit. */
const VISITOR_SHARE = 32;
const GUESSES = VISITOR_SHARE + 8;
const ADDRESS = '203.0.113.1';

const spool = temporaryDirectory();
let stack: Stack;
let neighbours: Neighbours;
let redirect: TestRedirect;
/** Not in memory: the database has it, and the filter. */
const link = sampleLink();

beforeAll(async () => {
  stack = await openStack({ name: `guessing-outage-${process.pid}`, fresh: true, env: {} });
  const backing = { MONGODB_URI: stack.mongoUri, AMQP_URL: stack.amqpUrl, AMQP_NAMESPACE: 'test' };
  const start = () =>
    startRedirect({
      ...backing,
      AMQP_DECLARE: 'own',
      SPOOL_DIR: spool.path,
      VISITOR_MISSES_PER_MINUTE: String(LIMIT),
      READ_MODEL_LAG_MAX_MS: '200',
    });
  redirect = await start();
  neighbours = await new Neighbours(backing).start();
  await neighbours.tell(linkCreated, link);
  await waitFor('the link', async () => (await visitAll([link.short_code], ''))[0] === 302);
  await redirect.stop();
  redirect = await start();
  await waitFor('the filter', async () => (await redirect.metric('targets_filter_false_positive_ratio')) < 1);
  await stack.broker!.stop();
  await waitFor('the loss to be noticed', async () => (await redirect.metric('broker_up')) === 0);
});
afterAll(async () => {
  stack?.database?.signal('SIGCONT');
  await redirect?.stop();
  await neighbours?.stop();
  await stack?.stop();
  spool.remove();
});

let guessNumber = 0;
const newGuesses = (count: number) => Array.from({ length: count }, () => `guess${(guessNumber += 1)}`);

/** All requests are written in one turn of the event loop, in this order, on connections that are open. */
async function visitAll(codes: string[], address: string): Promise<number[]> {
  const sockets = await Promise.all(codes.map(open));
  const answers = sockets.map(statusFrom);
  for (const [index, socket] of sockets.entries()) {
    const forwarded = address && `X-Forwarded-For: ${address}\r\n`;
    socket.write(`GET /${codes[index]} HTTP/1.1\r\nHost: go.acme.com\r\n${forwarded}Connection: close\r\n\r\n`);
  }
  return Promise.all(answers);
}

async function open(): Promise<Socket> {
  const socket = connect(Number(new URL(redirect.url).port), '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

async function statusFrom(socket: Socket): Promise<number> {
  let text = '';
  for await (const chunk of socket.setEncoding('latin1')) text += chunk;
  return Number(text.slice('HTTP/1.1 '.length).split(' ')[0]);
}

async function withFrozenDatabase(work: () => Promise<void>): Promise<void> {
  stack.database!.signal('SIGSTOP');
  try {
    await work();
  } finally {
    stack.database!.signal('SIGCONT');
  }
}

describe('a visitor who guesses codes while the broker is down', () => {
  test('has few look-ups under way beyond the limit, although none succeeds', async () => {
    for (const code of newGuesses(LIMIT)) expect(await visitAll([code], ADDRESS)).toEqual([503]);
    await withFrozenDatabase(async () => {
      const rejectedCounts: number[] = [];
      // On a busy machine the first look-ups end before the last request is read.
      for (let round = 0; round < 5; round += 1) {
        const statuses = await visitAll(newGuesses(GUESSES), ADDRESS);
        expect(statuses.filter((status) => status !== 429 && status !== 503)).toEqual([]);
        rejectedCounts.push(statuses.filter((status) => status === 429).length);
      }
      expect(Math.max(...rejectedCounts)).toBeGreaterThan(GUESSES - VISITOR_SHARE);
    });
  });

  test('leaves look-ups to a neighbour at the same address, who visits a link that is not in memory', async () => {
    await withFrozenDatabase(async () => {
      for (let round = 0; round < 3; round += 1) {
        expect((await visitAll([...newGuesses(GUESSES), link.short_code], ADDRESS)).at(-1)).toBe(503);
      }
    });
    const statuses = new Set<number>();
    await waitFor('the link', async () => {
      statuses.add((await visitAll([...newGuesses(GUESSES), link.short_code], ADDRESS)).at(-1)!);
      return statuses.has(302);
    });
    // A busy machine may not look the link up in time.
    expect([...statuses].filter((status) => status !== 302)).toEqual(statuses.has(503) ? [503] : []);
  });
});
