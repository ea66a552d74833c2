import type { IncomingMessage, ServerResponse } from 'node:http';
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { waitFor } from '@waymark/testing/wait-for';
import { sendRaw } from './client.js';
import { Edge, type EdgeGateway } from './edge.js';

const PER_USER = 128;
const PER_WORKSPACE = 256;
const LARGE_BODIES_PER_WORKSPACE = 4;
const MB = 1024 * 1024;

let edge: Edge;
let gateway: EdgeGateway;
/** The same with a short time-out for answers. */
let hasty: EdgeGateway;
const tokens: Record<string, string> = {};
const sockets: Socket[] = [];

beforeAll(async () => {
  edge = await Edge.start({ API_WORKSPACE_REQUESTS_PER_MINUTE: '100000' });
  gateway = await edge.startGateway();
  hasty = await edge.startGateway({}, { upstreamTimeoutMs: 500 });
  for (const name of ['ada', 'bob']) tokens[name] = await edge.addMember('acme', name);
  tokens['carl'] = await edge.addMember('globex', 'carl');
});
afterAll(() => edge.stop());
afterEach(() => {
  edge.behave = undefined;
  sockets.splice(0).forEach((socket) => socket.destroy());
});

const call = (name: string, workspace: string, init: RequestInit = {}, to = gateway) =>
  fetch(`${to.url}/api/v1/workspaces/${workspace}/links`, {
    ...init,
    headers: { authorization: `Bearer ${tokens[name]}`, ...init.headers },
  });
const statusOf = async (response: Promise<Response>) => {
  const { status } = await response;
  return status;
};

/** Sends text and leaves the connection open. @returns the socket and the bytes received so far */
function open(to: EdgeGateway, text: string): { socket: Socket; answer: () => string } {
  let answer = '';
  const socket = connect((to.server.address() as AddressInfo).port, '127.0.0.1', () => socket.write(text));
  socket.on('data', (chunk) => (answer += chunk.toString('latin1'))).on('error', () => undefined);
  sockets.push(socket);
  return { socket, answer: () => answer };
}

const head = (line: string, ...headers: string[]) =>
  [`${line} HTTP/1.1`, 'Host: api.test', 'Content-Type: application/json', ...headers, '', ''].join('\r\n');
const SIGN_IN = 'POST /api/v1/session';
const signIn = (to = gateway, headers: Record<string, string> = {}) =>
  fetch(`${to.url}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ email: 'ada@example.com', password: 'password of ada' }),
  });
const as = (name: string) => `Authorization: Bearer ${tokens[name]}`;

describe('bodies that do not come', () => {
  test('more than a thousand of them hold no place: a healthy client is served', async () => {
    const slow = Array.from({ length: 1100 }, (_, index) =>
      open(gateway, head(SIGN_IN, 'Content-Length: 1000', `X-Forwarded-For: 198.51.100.${index % 200}`) + '{'),
    );
    await Promise.all(slow.map(({ socket }) => once(socket, 'connect')));
    expect(await statusOf(signIn())).toBe(200);
    expect(await statusOf(call('ada', 'acme'))).toBe(200);
    expect(slow.map(({ answer }) => answer()).filter((answer) => answer !== '')).toEqual([]);
  });

  test('one that stops gets 408 and the end of its connection, once', async () => {
    const framings = [
      'Content-Length: 1000',
      'Transfer-Encoding: chunked',
      'Content-Length: 1000\r\nExpect: 100-continue',
    ];
    const stopped = framings.map((framing) =>
      open(gateway, head(SIGN_IN, framing) + (framing.startsWith('T') ? '1\r\n{\r\n' : '{')),
    );
    await Promise.all(stopped.map(({ socket }) => once(socket, 'close')));
    for (const { answer } of stopped) {
      const statuses = [...answer().matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
      expect(statuses.filter((status) => status !== 100)).toEqual([408]);
      expect(answer()).toMatch(/\r\nConnection: close\r\n/i);
    }
  });

  test('large ones of a workspace wait for those before them, and neither other workspaces nor small bodies do', async () => {
    let imports = 0;
    edge.behave = (request, response) => {
      imports += Number(request.url!.endsWith('/import'));
      request.resume().once('end', () => response.end('{}'));
    };
    const upload = (name: string, workspace: string, sent: number) =>
      open(
        gateway,
        head(`POST /api/v1/workspaces/${workspace}/links/import`, as(name), `Content-Length: ${MB}`) + ' '.repeat(sent),
      );
    const stalled = Array.from({ length: LARGE_BODIES_PER_WORKSPACE }, () => upload('ada', 'acme', MB - 1));
    await waitFor('their places', () =>
      stalled.every(({ socket }) => socket.bytesWritten > MB && socket.writableLength === 0),
    );
    const other = upload('carl', 'globex', MB);
    await waitFor('another workspace', () => other.answer().startsWith('HTTP/1.1 200'));
    const next = upload('bob', 'acme', MB);
    const small = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };
    expect(await statusOf(call('ada', 'acme', small))).toBe(200);
    expect([imports, next.answer()]).toEqual([1, '']);
    stalled[0]!.socket.destroy();
    await waitFor('the next one', () => next.answer().startsWith('HTTP/1.1 200'));
  });
});

describe('a body that comes', () => {
  let received: { headers: IncomingMessage['headers']; body: string }[];
  beforeEach(() => {
    received = [];
    edge.behave = (request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      request.once('end', () => {
        received.push({ headers: request.headers, body });
        response.end('{}');
      });
    };
  });
  const chunks = (text: string) => [...text].map((byte) => `1\r\n${byte}\r\n`).join('') + '0\r\n';
  const createLink = (framing: string) =>
    head('POST /api/v1/workspaces/acme/links', as('ada'), framing, 'Connection: close');

  test('in chunks of one byte, with a trailer, reaches the service whole, with its length and without the trailer', async () => {
    const text = JSON.stringify({ destination_url: 'https://example.com/'.padEnd(5000, 'x') });
    const answer = await sendRaw(
      gateway.url,
      `${createLink('Transfer-Encoding: chunked')}${chunks(text)}X-Waymark-Identity: forged\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
    expect(received[0]!.body).toBe(text);
    expect(received[0]!.headers).toMatchObject({ 'content-length': String(text.length) });
    expect(received[0]!.headers['transfer-encoding']).toBeUndefined();
  });

  test('without a length and longer than its route allows gets 413, and no service hears of it', async () => {
    const tooLong = ' '.repeat(11 * 1024 * 1024);
    const { answer } = open(
      gateway,
      `${createLink('Transfer-Encoding: chunked')}${tooLong.length.toString(16)}\r\n${tooLong}\r\n0\r\n\r\n`,
    );
    await waitFor('the refusal', () => answer().startsWith('HTTP/1.1 413'));
    expect(received).toEqual([]);
  });
});

describe('places in flight', () => {
  let held: ServerResponse[];
  beforeEach(() => {
    held = [];
    edge.behave = (_request, response) => void held.push(response);
  });
  const answerAll = () => held.splice(0).forEach((response) => response.end('{}'));

  const answerFromNowOn = () => {
    edge.behave = undefined;
    answerAll();
  };
  test('one user holds no more than their part: the rest waits and is answered, and others are served', async () => {
    const all = Array.from({ length: PER_USER + 2 }, () => statusOf(call('ada', 'acme')));
    await waitFor('the places of a user', () => held.length === PER_USER);
    const carl = statusOf(call('carl', 'globex'));
    await waitFor('another workspace', () => held.length === PER_USER + 1);
    answerFromNowOn();
    expect(new Set(await Promise.all([...all, carl]))).toEqual(new Set([200]));
  });

  test('one workspace holds no more than its part: the rest waits and is answered, and others are served', async () => {
    const all = Array.from({ length: PER_USER }, () => statusOf(call('ada', 'acme')));
    await waitFor('the places of a user', () => held.length === PER_USER);
    const rest = PER_WORKSPACE - PER_USER + 2;
    all.push(...Array.from({ length: rest }, () => statusOf(call('bob', 'acme'))));
    await waitFor('the places of a workspace', () => held.length === PER_WORKSPACE);
    const carl = statusOf(call('carl', 'globex'));
    await waitFor('another workspace', () => held.length === PER_WORKSPACE + 1);
    answerFromNowOn();
    expect(new Set(await Promise.all([...all, carl]))).toEqual(new Set([200]));
  });

  test('reads have places of their own: they are answered while changes of the same user wait, and the other way round', async () => {
    const change = () =>
      call('ada', 'acme', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
    const read = () => call('ada', 'acme');
    for (const [slow, fast] of [
      [change, read],
      [read, change],
    ] as const) {
      const all = Array.from({ length: PER_WORKSPACE + 2 }, () => statusOf(slow()));
      await waitFor('the places of a user', () => held.length === PER_USER);
      const hold = edge.behave;
      edge.behave = undefined;
      expect(await statusOf(fast())).toBe(200);
      expect(held).toHaveLength(PER_USER);
      answerFromNowOn();
      expect(new Set(await Promise.all(all))).toEqual(new Set([200]));
      edge.behave = hold;
    }
  });

  test('a client that disconnects releases its place, once', async () => {
    for (let round = 0; round < 3; round += 1) {
      const controller = new AbortController();
      const calls = Array.from({ length: PER_USER }, () => call('ada', 'acme', { signal: controller.signal }));
      await waitFor('the places of a user', () => held.length === PER_USER);
      controller.abort();
      await Promise.allSettled(calls);
      await waitFor('the places to be free', async () => {
        held = [];
        const controllerOfProbe = new AbortController();
        const probe = call('ada', 'acme', { signal: controllerOfProbe.signal }).catch(() => undefined);
        const outcome = await Promise.race([probe, waitFor('the service', () => held.length === 1)]);
        controllerOfProbe.abort();
        await probe;
        return outcome === true;
      });
      held = [];
    }
    // A place released twice would let more requests in than there are places.
    const all = Array.from({ length: PER_USER + 2 }, () => statusOf(call('ada', 'acme')));
    await waitFor('the places of a user', () => held.length === PER_USER);
    const carl = call('carl', 'globex');
    await waitFor('another workspace', () => held.length === PER_USER + 1);
    answerFromNowOn();
    expect(new Set(await Promise.all([...all, statusOf(carl)]))).toEqual(new Set([200]));
  });

  test('requests that wait behind an unanswered one release their places when their connection ends', async () => {
    const get = head('GET /api/v1/workspaces/acme/links', as('ada'));
    const { socket } = open(gateway, get.repeat(PER_USER));
    await waitFor('the places of a user', () => held.length === PER_USER);
    socket.destroy();
    answerFromNowOn();
    const all = Array.from({ length: PER_USER }, () => statusOf(call('ada', 'acme')));
    expect(new Set(await Promise.all(all))).toEqual(new Set([200]));
  });

  test('a client that does not read its answer is cut off, and the service with it', async () => {
    let closed = 0;
    edge.behave = (_request, response) => {
      const chunk = Buffer.alloc(1024 * 1024, 'x');
      const fill = () => {
        while (!response.destroyed && response.write(chunk)) continue;
      };
      response.on('drain', fill).once('close', () => (closed += 1));
      fill();
    };
    const { socket } = open(hasty, head('GET /api/v1/workspaces/acme/links', as('ada')));
    socket.pause();
    await waitFor('the service to be told', () => closed === 1);
  });
});

describe('requests that reach no route', () => {
  const unparsable = 'GET http://[ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
  const headers = Array.from({ length: 100 }, (_, index) => `X-${index}: 1\r\n`).join('');

  test('a target with an unreadable host is answered as every other path that does not exist', async () => {
    const answer = await sendRaw(gateway.url, unparsable);
    expect(answer).toMatch(/^HTTP\/1.1 404 /);
    expect(answer).toMatch(/\r\nX-Request-Id: /i);
    expect(answer).toContain('"code":"not_found"');
  });

  test('too many headers get 431', async () => {
    expect(await sendRaw(gateway.url, `GET / HTTP/1.1\r\nHost: a\r\n${headers}\r\n`)).toMatch(/^HTTP\/1.1 431 /);
  });
});

test('all that ask for the document get the same bytes from memory', async () => {
  const sent = new Set<unknown>();
  const spy = (_request: IncomingMessage, response: ServerResponse) => {
    const end = response.end.bind(response) as (...args: unknown[]) => ServerResponse;
    response.end = (...args: unknown[]) => {
      sent.add(args[0]);
      return end(...args);
    };
  };
  gateway.server.prependListener('request', spy);
  for (let count = 0; count < 3; count += 1) await (await fetch(`${gateway.url}/api/v1/openapi.json`)).json();
  gateway.server.off('request', spy);
  expect(sent.size).toBe(1);
});
