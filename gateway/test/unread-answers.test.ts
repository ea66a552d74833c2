import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { identityKeys } from '@waymark/testing/keys';
import { testProcess } from '@waymark/testing/process-parts';
import { urlOf } from '@waymark/testing/urls';
import { waitFor } from '@waymark/testing/wait-for';
import { startGateway } from '@waymark/gateway/app';
import { gatewayConfig } from '@waymark/gateway/config';

/** A public route: the gateway forwards the answer of the service behind it. */
const PATH = '/api/v1/session';
const UNREAD_BYTES_MAX = 2 * 1024 * 1024;
const ANSWER_BYTES = 60_000;
const PIPELINED = 4;
const CHUNK = Buffer.alloc(64 * 1024, 'x');
const READING_TIMEOUT_MS = 500;

let upstream: Server;
/** Short answers of the upstream since the start of the test. */
let answerCount = 0;
/** Limits the memory only. */
let gateway: Server;
/** Limits the time only. */
let hasty: Server;
const lifecycles: Lifecycle[] = [];
const sockets: Socket[] = [];

async function start(env: Record<string, string>): Promise<Server> {
  const services = ['AUTH', 'RESOURCE', 'ANALYTICS', 'WEBHOOK', 'DOMAIN', 'AUDIT'];
  const parts = testProcess(gatewayConfig, {
    IDENTITY_PRIVATE_KEY: identityKeys().privateKey,
    // No other time-out ends a connection of this test.
    UPSTREAM_TIMEOUT_MS: '600000',
    UNAUTHENTICATED_REQUESTS_PER_MINUTE: '100000',
    ...Object.fromEntries(services.map((service) => [`${service}_URL`, urlOf(upstream)])),
    ...env,
  });
  lifecycles.push(parts.lifecycle);
  return startGateway(parts);
}

beforeAll(async () => {
  upstream = createServer((request, response) => {
    request.resume();
    if (request.headers['x-answer'] === 'endless') endless().pipe(response);
    else {
      response.setHeader('content-type', 'application/json').end(Buffer.alloc(ANSWER_BYTES, 'x'));
      response.once('finish', () => (answerCount += 1));
    }
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  gateway = await start({ UNREAD_BYTES_MAX: String(UNREAD_BYTES_MAX) });
  hasty = await start({ READING_TIMEOUT_MS: String(READING_TIMEOUT_MS) });
});
beforeEach(() => {
  answerCount = 0;
});
afterEach(() => sockets.splice(0).forEach((socket) => socket.destroy()));
afterAll(async () => {
  for (const lifecycle of lifecycles) await lifecycle.stop();
  upstream.closeAllConnections();
  await new Promise((resolve) => upstream.close(resolve));
});

/** Fills the buffers of the operating system, so that all later answers wait in the gateway. */
const endless = () =>
  new Readable({
    read() {
      this.push(CHUNK);
    },
  });

const requestOf = (address: string, answer: 'endless' | 'short') =>
  [`POST ${PATH} HTTP/1.1`, 'Host: api.test', `X-Forwarded-For: ${address}`, `X-Answer: ${answer}`, '', ''].join(
    '\r\n',
  );

function open(to: Server, text: string): Socket {
  const socket = connect((to.address() as AddressInfo).port, '127.0.0.1', () => socket.write(text));
  socket.on('error', () => undefined);
  sockets.push(socket);
  return socket;
}

/** Opens a connection whose client reads nothing: the answers behind the first one wait in the gateway. */
function openUnread(to: Server, address: string): Socket {
  const followers = requestOf(address, 'short').repeat(PIPELINED - 1);
  return open(to, requestOf(address, 'endless') + followers).pause();
}

/** Sees what a gateway holds: a client that does not read does not notice the end of its connection. */
class Observer {
  readonly responses = new Set<ServerResponse>();
  private readonly ports = new Set<number>();

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      const port = socket.remotePort!;
      this.ports.add(port);
      socket.once('close', () => this.ports.delete(port));
    });
    server.on('request', (_request, response: ServerResponse) => {
      this.responses.add(response);
      response.once('close', () => this.responses.delete(response));
    });
  }

  get unreadBytes(): number {
    return [...this.responses].reduce((sum, { writableLength }) => sum + writableLength, 0);
  }

  isOpen(socket: Socket): boolean {
    return this.ports.has(socket.localPort!);
  }
}

test('memory of unread answers is limited, and the caller with most of it loses the oldest connections', async () => {
  const observer = new Observer(gateway);
  const slow = openUnread(gateway, '198.51.100.1');
  await waitFor('answers behind that of the slow client', () => observer.unreadBytes >= (PIPELINED - 1) * ANSWER_BYTES);
  const greedy: Socket[] = [];
  for (let count = 1; count <= 30; count += 1) {
    greedy.push(openUnread(gateway, '198.51.100.2'));
    await waitFor('its answers', () => answerCount === (count + 1) * (PIPELINED - 1));
    expect(observer.unreadBytes).toBeLessThanOrEqual(UNREAD_BYTES_MAX);
  }
  await waitFor('room', () => !observer.isOpen(greedy[0]!));
  expect(observer.isOpen(greedy.at(-1)!)).toBe(true);
  expect(observer.isOpen(slow)).toBe(true);
  const isOpen = greedy.map((socket) => observer.isOpen(socket));
  // The oldest connections end first.
  expect(isOpen).toEqual([...isOpen].sort());
  sockets.forEach((socket) => socket.destroy());
  await waitFor('all responses to end', () => observer.responses.size === 0);
  const other = open(gateway, requestOf('198.51.100.3', 'short'));
  const [first] = (await once(other, 'data')) as [Buffer];
  expect(first.toString()).toMatch(/^HTTP\/1.1 200 /);
});

test('a client that reads an answer too slowly is disconnected', async () => {
  const observer = new Observer(hasty);
  const slow = openUnread(hasty, '198.51.100.1');
  slow.on('data', () => {
    slow.pause();
    setTimeout(() => slow.resume(), 50);
  });
  slow.resume();
  await waitFor('the requests', () => observer.responses.size === PIPELINED);
  await waitFor('the end of the connection', () => !observer.isOpen(slow));
  await waitFor('all responses to end', () => observer.responses.size === 0);
});

test('a client that reads its answers in time keeps its connection', async () => {
  const observer = new Observer(hasty);
  const prompt = open(hasty, requestOf('198.51.100.1', 'short')).resume();
  await waitFor('the answer', () => prompt.bytesRead > ANSWER_BYTES && observer.responses.size === 0);
  await sleep(2 * READING_TIMEOUT_MS);
  expect(observer.isOpen(prompt)).toBe(true);
});
