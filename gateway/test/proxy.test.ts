import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { secretKey } from '@waymark/testing/keys';
import { testProcess } from '@waymark/testing/process-parts';
import { urlOf } from '@waymark/testing/urls';
import { waitFor } from '@waymark/testing/wait-for';
import { startGateway } from '@waymark/gateway/app';
import { gatewayConfig } from '@waymark/gateway/config';
import { sendRaw } from './client.js';

/** A public route: the tests cover the way to a service and back, independent of the caller. */
const PATH = '/api/v1/session';

let gateway: Server;
/** The same gateway settings with a longer time-out. */
let patient: Server;
let upstream: Server;
/** Handles the next requests to the service; by default it answers `{}`. */
let behave: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
let received: IncomingMessage[] = [];

const lifecycles: Lifecycle[] = [];

async function startBefore(upstreamUrl: string, upstreamTimeoutMs: number): Promise<Server> {
  const services = ['AUTH', 'RESOURCE', 'ANALYTICS', 'WEBHOOK', 'DOMAIN', 'AUDIT'];
  const parts = testProcess(gatewayConfig, {
    IDENTITY_SECRET: secretKey(),
    // All requests of this test are anonymous and come from one address.
    UNAUTHENTICATED_REQUESTS_PER_MINUTE: '1000000',
    ...Object.fromEntries(services.map((service) => [`${service}_URL`, upstreamUrl])),
  });
  lifecycles.push(parts.lifecycle);
  return startGateway(parts, { upstreamTimeoutMs });
}

beforeAll(async () => {
  upstream = createServer((request, response) => {
    received.push(request);
    if (behave) return behave(request, response);
    request.resume().once('end', () => response.setHeader('content-type', 'application/json').end('{}'));
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  gateway = await startBefore(urlOf(upstream), 1500);
  patient = await startBefore(urlOf(upstream), 60_000);
  // Time limit for receiving a whole request, so that these tests do not take a minute.
  gateway.requestTimeout = 3000;
});
afterAll(async () => {
  for (const lifecycle of lifecycles) await lifecycle.stop();
  upstream.closeAllConnections();
  await new Promise((resolve) => upstream.close(resolve));
});
beforeEach(() => {
  behave = undefined;
  received = [];
});

const post = (headers: Record<string, string> = {}, to = gateway) =>
  fetch(urlOf(to) + PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: '{}',
  });

/** Builds a request as text; `Connection: close` among its headers ends the response. */
const request = (headers: string[], body = '') =>
  [`POST ${PATH} HTTP/1.1`, 'Host: api.test', 'Content-Type: application/json', ...headers, '', body].join('\r\n');
const ask = (headers: string[], body = '') => sendRaw(urlOf(gateway), request(headers, body));
const statusesIn = (answer: string) => [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

test.each(['?next=a|b^c`d{e}', '?next="a"<b>\\c', '?next=%7e%2F..%2f', '?a=//b?c=http://d/?'])(
  'the service gets the query %s as the client wrote it',
  async (query) => {
    await sendRaw(
      urlOf(gateway),
      request(['Content-Length: 2', 'Connection: close'], '{}').replace(PATH, PATH + query),
    );
    expect(received.map(({ url }) => url)).toEqual([PATH + query.replace(/\?$/, '')]);
  },
);

describe('headers of one connection', () => {
  const FRAMINGS: [name: string, headers: string[], body: string][] = [
    ['no body', ['Content-Length: 0'], ''],
    ['a body', ['Content-Length: 2'], '{}'],
    ['a chunked body', ['Transfer-Encoding: chunked'], '2\r\n{}\r\n0\r\n\r\n'],
  ];
  const HEADERS = [
    'Trailer: x',
    'Keep-Alive: timeout=5',
    'TE: trailers',
    'Upgrade: h2c',
    'Proxy-Connection: keep-alive',
    'Proxy-Authorization: Basic secret',
    'X-Own: 1',
  ];

  test.each(HEADERS.flatMap((header) => FRAMINGS.map(([name, ...rest]) => [header, name, ...rest] as const)))(
    '%s with %s is refused at the gateway, and delays no other client',
    async (header, _name, headers, body) => {
      const answer = await ask([...headers, header, 'Connection: close, X-Own'], body);
      expect(statusesIn(answer)).toEqual([200]);
      const [name] = header.toLowerCase().split(':');
      expect(Object.keys(received[0]!.headers)).not.toContain(name);
      expect((await post()).status).toBe(200);
    },
  );

  test('what a request cannot do without is not taken away by naming it', async () => {
    const answer = await ask(['Content-Length: 2', 'Connection: close, Host, Content-Length'], '{}');
    expect(statusesIn(answer)).toEqual([200]);
    expect(received[0]!.headers).toMatchObject({ 'content-length': '2', host: expect.any(String) });
  });

  test.each([
    ['two hosts', ['Host: other.test', 'Content-Length: 0']],
    ['two credentials', ['Authorization: Bearer a', 'Authorization: Bearer b', 'Content-Length: 0']],
    ['an unsupported coding', ['Transfer-Encoding: gzip, chunked']],
  ])('%s: 400, and nothing is passed on', async (_what, headers) => {
    const answer = await ask([...headers, 'Connection: close'], '0\r\n\r\n');
    expect(statusesIn(answer)[0]).toBe(400);
    expect(received).toEqual([]);
  });
});

describe('many at once', () => {
  /** Requests that the service has received and not answered. */
  let held: ServerResponse[] = [];
  beforeEach(() => {
    held = [];
    behave = (_request, response) => held.push(response);
  });
  const release = () => held.splice(0).forEach((response) => response.end('{}'));

  /** Sends `count` requests; `statuses` fills as they are answered. */
  function send(count: number): { statuses: number[]; all: Promise<unknown> } {
    const statuses: number[] = [];
    const all = Array.from({ length: count }, () => post({}, patient).then(({ status }) => statuses.push(status)));
    return { statuses, all: Promise.all(all) };
  }

  test('hundreds that wait for a slow service are all answered, 128 of a caller at a time', async () => {
    const { statuses, all } = send(600);
    await waitFor('the places of a caller', () => held.length === 128);
    expect(statuses).toEqual([]);
    behave = undefined;
    release();
    await all;
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
});

describe('an answer that breaks off', () => {
  test.each<[string, (response: ServerResponse) => void]>([
    ['with the end of the connection, chunked', (response) => response.write('first') && response.socket!.end()],
    [
      'with the end of the connection, short of its length',
      (response) => response.writeHead(200, { 'content-length': 1000 }).write('abc', () => response.socket!.end()),
    ],
    ['with a reset', (response) => response.write('first', () => response.socket!.resetAndDestroy())],
    ['into silence', (response) => void response.write('first')],
  ])('%s breaks off for the client too', async (_how, abort) => {
    behave = (_request, response) => abort(response);
    const response = await post();
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow('terminated');
  });
});

describe('a body that does not come', () => {
  /** Returns everything received until the connection ends, and how long that took. */
  async function until(text: string): Promise<{ answer: string; seconds: number }> {
    const startedAt = Date.now();
    const { port } = gateway.address() as AddressInfo;
    let answer = '';
    await new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(text));
      socket.on('data', (chunk) => (answer += chunk.toString())).once('close', () => resolve());
      socket.on('error', () => undefined);
    });
    return { answer, seconds: (Date.now() - startedAt) / 1000 };
  }

  test('a slow client gets one error, and its connection ends', async () => {
    const { answer } = await until(request(['Content-Length: 20'], '{'));
    expect(statusesIn(answer)).toEqual([408]);
    expect(answer).toMatch(/\r\nConnection: close\r\n/i);
    expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toEqual({
      error: { code: 'request_timeout', message: 'The request was not completed in time.' },
    });
  });

  test('a request that was answered before its body is not answered again', async () => {
    const { answer } = await until(request(['Content-Length: 20'], '{').replace(PATH, '/api/v1/nothing'));
    expect(statusesIn(answer)).toEqual([404]);
  });

  test.each([
    ['at once', []],
    ['also to one that asks first', ['Expect: 100-continue']],
  ])('a length beyond the limit is refused, %s', async (_when, headers) => {
    const { port } = gateway.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1', () => socket.write(request(['Content-Length: 2000000', ...headers])));
    const [first] = (await new Promise<Buffer[]>((resolve) => socket.once('data', (data) => resolve([data])))) ?? [];
    expect(statusesIn(first!.toString())).toEqual([413]);
    socket.destroy();
    expect(received).toEqual([]);
  });

  test('a request that expects 100-continue gets it', async () => {
    const answer = await ask(['Content-Length: 2', 'Expect: 100-continue', 'Connection: close'], '{}');
    expect(statusesIn(answer)).toEqual([100, 200]);
  });
});

describe('pages of other sites, in a browser that tells only the origin', () => {
  test.each([
    ['https://evil.example.com', 403],
    ['null', 403],
    ['same', 200],
  ])('%s gets %i', async (origin, status) => {
    const own = urlOf(gateway);
    expect((await post({ origin: origin === 'same' ? own : origin })).status).toBe(status);
  });
});
