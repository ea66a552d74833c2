import { connect, type AddressInfo, type Socket } from 'node:net';
import type { RequestListener, Server } from 'node:http';
import { siteOf } from '@waymark/kernel/http/networks';
import { serveHttp } from '@waymark/kernel/http/serve-http';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { Metrics } from '@waymark/kernel/process/metrics';
import { waitFor } from '@waymark/testing/wait-for';

const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const PROXY = '127.0.9.9';

const log = createLog('test', 'silent');
let lifecycle: Lifecycle;
let metrics: Metrics;
let server: Server;
let handle: RequestListener;
let acceptedCount = 0;
const clients: Client[] = [];

afterEach(async () => {
  for (const { socket } of clients.splice(0)) socket.destroy();
  await lifecycle.stop();
});

async function start(total: number): Promise<void> {
  handle = (_request, response) => response.end();
  acceptedCount = 0;
  lifecycle = new Lifecycle(log);
  metrics = new Metrics('test');
  const config = { HOST: '127.0.0.1', PORT: 0, CONNECTIONS_MAX: total };
  server = await serveHttp((request, response) => handle(request, response), {
    ...{ config, lifecycle, log, metrics },
    clients: { perAddressMax: 12, isProxy: ({ remoteAddress }) => remoteAddress === PROXY },
  });
  server.on('connection', () => (acceptedCount += 1));
}

class Client {
  isClosed = false;
  private text = '';

  constructor(readonly socket: Socket) {
    socket.on('data', (data) => (this.text += data.toString('latin1')));
    socket.on('error', () => undefined).on('close', () => (this.isClosed = true));
  }

  get answerCount(): number {
    return this.text.split('HTTP/1.1 200').length - 1;
  }

  /** @returns whether the server answers, and does not close the connection */
  async request(): Promise<boolean> {
    const expected = this.answerCount + 1;
    this.socket.write(REQUEST);
    await waitFor('an answer or the end', () => this.isClosed || this.answerCount === expected);
    return !this.isClosed;
  }
}

/** Opens a connection from a loopback address, and waits until the server has seen it. */
async function open(address: string): Promise<Client> {
  const { port } = server.address() as AddressInfo;
  const expected = acceptedCount + 1;
  const client = new Client(connect({ port, host: '127.0.0.1', localAddress: address }));
  clients.push(client);
  await waitFor('the connection', () => acceptedCount === expected);
  return client;
}

async function refusedCount(limit: string): Promise<number> {
  const { values } = await metrics.connectionsRefused.get();
  return values.find(({ labels }) => labels.limit === limit)?.value ?? 0;
}

describe('in a full process', () => {
  test('a new connection replaces the one that is idle longest of the network with most connections', async () => {
    await start(4);
    const lone = await open('127.0.1.1');
    const first = await open('127.0.2.1');
    const second = await open('127.0.2.2');
    const third = await open('127.0.2.3');
    expect(await first.request()).toBe(true);
    const newcomer = await open('127.0.3.1');
    expect(await newcomer.request()).toBe(true);
    await waitFor('the idle one to be closed', () => second.isClosed);
    expect(await refusedCount('idle')).toBe(1);
    for (const client of [lone, first, third]) expect(await client.request()).toBe(true);
  });

  test('a new connection is closed when all others have requests in flight, which are answered', async () => {
    await start(2);
    const answers: (() => void)[] = [];
    handle = (_request, response) => void answers.push(() => response.end());
    const busy = [await open('127.0.2.1'), await open('127.0.2.2')];
    for (const { socket } of busy) socket.write(REQUEST);
    await waitFor('the requests', () => answers.length === 2);
    const newcomer = await open('127.0.3.1');
    await waitFor('the end', () => newcomer.isClosed);
    expect(await refusedCount('total')).toBe(1);
    for (const answer of answers) answer();
    await waitFor('the answers', () => busy.every(({ answerCount }) => answerCount === 1));
    const next = await open('127.0.3.1');
    handle = (_request, response) => response.end();
    expect(await next.request()).toBe(true);
  });

  test('an idle connection of a small network ends before a busy one of a large network', async () => {
    await start(3);
    let answer: (() => void) | undefined;
    const busy = [await open('127.0.2.1'), await open('127.0.2.1')];
    let handledCount = 0;
    handle = (_request, response) => {
      handledCount += 1;
      answer = () => response.end();
    };
    for (const { socket } of busy) socket.write(REQUEST);
    await waitFor('the requests', () => handledCount === 2);
    const idle = await open('127.0.3.1');
    await open('127.0.4.1');
    await waitFor('the idle one to be closed', () => idle.isClosed);
    expect(busy.map(({ isClosed }) => isClosed)).toEqual([false, false]);
    answer!();
  });

  test('idle connections of a trusted proxy stay open', async () => {
    await start(2);
    const proxied = [await open(PROXY), await open(PROXY)];
    const newcomer = await open('127.0.3.1');
    await waitFor('the end', () => newcomer.isClosed);
    for (const client of proxied) expect(await client.request()).toBe(true);
  });

  test('new clients are served although sixteen addresses hold all places', async () => {
    await start(192);
    for (let index = 0; index < 192; index += 1) await open(`127.0.${100 + (index % 16)}.1`);
    const beyond = await open('127.0.100.1');
    await waitFor('the end', () => beyond.isClosed);
    const newcomers: Client[] = [];
    for (let index = 1; index <= 40; index += 1) newcomers.push(await open(`127.0.${index}.1`));
    for (const newcomer of newcomers) expect(await newcomer.request()).toBe(true);
    expect([await refusedCount('address'), await refusedCount('idle'), await refusedCount('total')]).toEqual([
      1, 40, 0,
    ]);
  });
});

test.each([
  ['203.0.113.7', '203.0.113.0/24'],
  ['::ffff:203.0.113.7', '203.0.113.0/24'],
  ['2001:db8:1:2:3::4', '2001:db8:1/48'],
])('the site of %s is %s', (address, site) => {
  expect(siteOf(address)).toBe(site);
});
