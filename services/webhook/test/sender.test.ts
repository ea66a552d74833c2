import { once } from 'node:events';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Worker } from 'node:worker_threads';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { waitFor } from '@waymark/testing/wait-for';
import { Sender } from '@waymark/webhook/http/sender';
import { Receiver } from './receiver.js';
import { linkEvent, Stack } from './stack.js';

const UNLIMITED_MS = 600_000;
const INTERRUPTED = {
  statusCode: null,
  failure: { type: 'connection', message: 'The connection was interrupted.' },
  retryAfterMs: null,
};

let receiver: Receiver;
let lifecycle: Lifecycle | undefined;
let sender: Sender;
const failures: string[] = [];
const threads: Worker[] = [];
const onThread = (started: unknown) => threads.push((started as { worker: Worker }).worker);

beforeAll(async () => {
  subscribe('worker_threads', onThread);
  receiver = await Receiver.start();
});
afterAll(() => {
  unsubscribe('worker_threads', onThread);
  receiver.stop();
});
beforeEach(() => {
  threads.length = 0;
});
afterEach(() => lifecycle?.stop());

function startSender(timeoutMs: number, steadyAfterMs?: number): void {
  failures.length = 0;
  const log = createLog('test', 'silent');
  const started = new Lifecycle(log);
  started.onWorkFailed((work) => failures.push(work));
  const networks = { allowedNetworks: ['127.0.0.0/8'], deniedNetworks: ['127.0.0.2/32'] };
  sender = new Sender({ ...networks, nameServers: ['127.0.0.1:9'], timeoutMs }, steadyAfterMs);
  sender.start({ log, lifecycle: started });
  lifecycle = started;
}

const messageTo = (url: string) => ({ url, secrets: ['whsec_AAAA'], id: 'evt_1', body: '{}' });
const post = (url: string) => sender.postMessage(messageTo(url));

/** The error comes before the end. */
async function failThread(): Promise<void> {
  const thread = threads.at(-1)!;
  thread.postMessage(null);
  await once(thread, 'exit').catch(() => undefined);
}

test('a thread sends messages with the settings of the process', async () => {
  startSender(UNLIMITED_MS);
  expect(await post(receiver.at('/thread'))).toEqual({
    startedAt: expect.anything(),
    durationMs: expect.any(Number),
    statusCode: 200,
    response: {
      headers: expect.objectContaining({ connection: 'keep-alive' }),
      body: null,
      body_omitted: null,
      is_truncated: false,
    },
    failure: null,
  });
  expect(receiver.on('/thread')[0]!.headers).toMatchObject({ 'webhook-id': 'evt_1' });
  expect(await post('http://127.0.0.2/')).toMatchObject({ failure: { type: 'blocked' } });
});

test.each<[string, (url: string) => unknown]>([
  ['fails', () => null],
  // Each request holds a copy of its long path.
  ['is out of memory', (url) => Array(20_000).fill([0, messageTo(`${url}?${'x'.repeat(100_000)}`)])],
])(
  'a thread that %s is replaced, its messages have failed, and later ones wait for the next thread',
  async (name, makeFatal) => {
    startSender(UNLIMITED_MS);
    const path = `/${name}`.replaceAll(' ', '-');
    const held = receiver.hold(path);
    const outcomes = Promise.all([post(held.url), post(held.url)]);
    await waitFor('the messages', () => receiver.on(path).length === 2);
    threads.at(-1)!.postMessage(makeFatal(held.url));
    expect(await outcomes).toMatchObject([INTERRUPTED, INTERRUPTED]);
    expect(sender.isReady).toBe(false);
    held.release();
    expect(await post(held.url)).toMatchObject({ statusCode: 200, failure: null });
    expect(failures).toEqual(['webhook sender']);
  },
);

test('a thread from which no outcome arrives long after the time limit is replaced', async () => {
  startSender(1);
  const url = receiver.at('/stuck', () => undefined);
  const [thread] = threads;
  thread!.removeAllListeners('message');
  expect(await post(url)).toMatchObject(INTERRUPTED);
  await waitFor('the end of the thread', () => thread!.threadId === -1);
  expect(await post(url)).toMatchObject({ failure: { type: 'timeout' } });
  expect(failures).toEqual(['webhook sender']);
});

test('a thread that fails after a long time is replaced at once, however often', async () => {
  startSender(UNLIMITED_MS, 0);
  for (let time = 1; time <= 3; time += 1) {
    expect(await post(receiver.at('/steady'))).toMatchObject({ failure: null });
    await failThread();
    await waitFor('its failure', () => failures.length === time);
    expect(sender.isReady).toBe(true);
  }
});

test('no thread is started after the stop', async () => {
  startSender(UNLIMITED_MS);
  expect(await post(receiver.at('/last'))).toMatchObject({ failure: null });
  await lifecycle?.stop();
  expect(sender.isReady).toBe(false);
  await expect(post(receiver.at('/last'))).rejects.toMatchObject({ code: 'service_unavailable' });
  expect(failures).toEqual([]);
});

test('an attempt whose thread fails is retried like any other', async () => {
  const stack = await Stack.start({ WEBHOOK_TIMEOUT_MS: String(UNLIMITED_MS), WEBHOOK_RETRY_SCHEDULE: '0.1' });
  const held = receiver.hold('/again');
  const { id } = await stack.subscribe(held.url, 'again');
  await stack.publish(linkEvent('again'));
  await waitFor('the attempt', () => receiver.on('/again').length === 1);
  await failThread();
  held.release();
  expect(await stack.ended(id, 'again', 2)).toMatchObject([
    { attempt_number: 2, status: 'succeeded' },
    { attempt_number: 1, status: 'failed', error: INTERRUPTED.failure },
  ]);
  expect(await stack.endpoint(id, 'again')).toMatchObject({ status: 'healthy', consecutive_failures: 0 });
  await stack.stop();
});
