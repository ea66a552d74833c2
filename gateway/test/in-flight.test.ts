import { createServer, request as sendRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { urlOf } from '@waymark/testing/urls';
import { waitFor } from '@waymark/testing/wait-for';
import { sendRaw } from './client.js';
import { Edge, UNREACHED_MS, type EdgeGateway } from './edge.js';

const PER_USER = 3;
const PER_WORKSPACE = 5;
const MB = 1024 * 1024;

let edge: Edge;
let gateway: EdgeGateway;
/** The same with short time-outs for bodies and answers. */
let hasty: EdgeGateway;
/** Has memory for two large bodies, and for one of a workspace. */
let small: EdgeGateway;
const tokens: Record<string, string> = {};
const sockets: Socket[] = [];

beforeAll(async () => {
  edge = await Edge.start({ API_WORKSPACE_REQUESTS_PER_MINUTE: '100000' });
  const settings = { IN_FLIGHT_PER_USER: String(PER_USER), IN_FLIGHT_PER_WORKSPACE: String(PER_WORKSPACE) };
  gateway = await edge.startGateway({
    ...settings,
    SMALL_BODY_TIMEOUT_MS: UNREACHED_MS,
    LARGE_BODY_TIMEOUT_MS: UNREACHED_MS,
  });
  hasty = await edge.startGateway({
    SMALL_BODY_TIMEOUT_MS: '300',
    LARGE_BODY_TIMEOUT_MS: '300',
    UPSTREAM_TIMEOUT_MS: '500',
  });
  small = await edge.startGateway({
    LARGE_BODY_BYTES_MAX: String(25 * MB),
    LARGE_BODY_BYTES_PER_WORKSPACE: String(15 * MB),
    LARGE_BODY_TIMEOUT_MS: UNREACHED_MS,
  });
  // A stalled body is a request that is not complete: the server would end it after a minute.
  for (const { server } of [gateway, small]) server.requestTimeout = Number(UNREACHED_MS);
  for (const name of ['ada', 'bob']) tokens[name] = await edge.addMember('acme', name);
  tokens['carl'] = await edge.addMember('globex', 'carl');
  tokens['dora'] = await edge.addMember('initech', 'dora');
});
afterAll(() => edge.stop());
afterEach(async () => {
  edge.behave = undefined;
  sockets.splice(0).forEach((socket) => socket.destroy());
  for (const { metric } of [gateway, hasty, small]) {
    await waitFor('every body to be released', async () => (await metric('body_bytes')) === 0);
  }
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

/** Stands between a gateway and the real auth, and holds sign-ins back. */
class HoldingAuth {
  isHolding = false;
  readonly held: (() => void)[] = [];
  private readonly server = createServer((request, response) => {
    const forward = () => {
      const { method, url, headers } = request;
      const forwarded = sendRequest(`${edge.authUrl}${url}`, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      });
      request.pipe(forwarded);
    };
    if (this.isHolding && request.method === 'POST' && request.url!.endsWith('/session')) this.held.push(forward);
    else forward();
  });

  static async start(): Promise<HoldingAuth> {
    const auth = new HoldingAuth();
    await new Promise<void>((resolve) => auth.server.listen(0, '127.0.0.1', resolve));
    return auth;
  }

  get url(): string {
    return urlOf(this.server);
  }

  release(): void {
    for (const forward of this.held.splice(0)) forward();
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

// Runs first, because the gateways share the counts of an address.
describe('answers that break off', () => {
  test('do not count for the address of their caller', async () => {
    const strict = await edge.startGateway({ TRUSTED_PROXIES: ',', UNAUTHENTICATED_REQUESTS_PER_MINUTE: '5' });
    edge.behave = (_request, response) => void response.write('first', () => response.socket!.end());
    for (let count = 0; count < 10; count += 1) {
      await sendRaw(strict.url, head('GET /api/v1/workspaces/acme/links', as('ada')));
    }
    expect(await statusOf(fetch(`${strict.url}/api/v1/openapi.json`))).toBe(200);
  });
});

describe('bodies that do not come', () => {
  test('more than a thousand of them hold no place: a healthy client is served', async () => {
    const slow = Array.from({ length: 1100 }, (_, index) =>
      open(gateway, head(SIGN_IN, 'Content-Length: 1000', `X-Forwarded-For: 198.51.100.${index % 200}`) + '{'),
    );
    // Each body takes at least the minimum allocation.
    await waitFor('all bodies to have begun', async () => (await gateway.metric('body_bytes')) >= 1100 * 1000);
    expect(await statusOf(signIn())).toBe(200);
    expect(await statusOf(call('ada', 'acme'))).toBe(200);
    expect(slow.map(({ answer }) => answer()).filter((answer) => answer !== '')).toEqual([]);
  });

  test.each([
    ['with a length', 'Content-Length: 1000', '{'],
    ['in chunks', 'Transfer-Encoding: chunked', '1\r\n{\r\n'],
    ['after 100 Continue', 'Content-Length: 1000\r\nExpect: 100-continue', '{'],
  ])('one that stops %s gets 408 and the end of its connection, once', async (_how, framing, body) => {
    const { socket, answer } = open(hasty, head(SIGN_IN, framing) + body);
    await new Promise((resolve) => socket.once('close', resolve));
    const statuses = [...answer().matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
    expect(statuses.filter((status) => status !== 100)).toEqual([408]);
    expect(answer()).toMatch(/\r\nConnection: close\r\n/i);
  });

  test('a client that goes away in the middle leaves nothing behind', async () => {
    const { socket } = open(gateway, head(SIGN_IN, 'Content-Length: 1000') + '{');
    await waitFor('the body to have begun', async () => (await gateway.metric('body_bytes')) > 0);
    socket.destroy();
    await waitFor('its memory to be released', async () => (await gateway.metric('body_bytes')) === 0);
  });

  test('those that wait behind an unanswered request are released when their connection ends', async () => {
    const held: ServerResponse[] = [];
    edge.behave = (_request, response) => void held.push(response);
    const posts = 3;
    const post = `${head('POST /api/v1/workspaces/acme/links', as('ada'), 'Content-Length: 1')}{`;
    const { socket } = open(small, head('GET /api/v1/workspaces/acme/links', as('ada')) + post.repeat(posts));
    await waitFor('all requests', () => held.length === 1 + posts);
    expect(await small.metric('body_bytes')).toBe(posts * 4096);
    socket.destroy();
    await waitFor('their memory to be released', async () => (await small.metric('body_bytes')) === 0);
  });

  describe('of imports', () => {
    const BYTES = 9 * MB;
    const stall = (to: EdgeGateway, name: string, workspace: string) =>
      open(
        to,
        head(`POST /api/v1/workspaces/${workspace}/links/import`, as(name), `Content-Length: ${BYTES + 1}`) +
          ' '.repeat(BYTES),
      );
    const received = (to: EdgeGateway, count: number) =>
      waitFor(`${count} bodies`, async () => (await to.metric('body_bytes')) >= count * BYTES);

    test('have a budget in bytes for each caller, which other callers do not share', async () => {
      stall(gateway, 'ada', 'acme');
      await received(gateway, 1);
      const second = stall(gateway, 'ada', 'acme');
      await waitFor('the second to be refused', () => second.answer().startsWith('HTTP/1.1 503'));
      expect(second.answer()).toMatch(/\r\nRetry-After: \d+\r\n/i);
      const other = stall(gateway, 'carl', 'globex');
      await received(gateway, 2);
      expect(other.answer()).toBe('');
    });

    test('have a budget for each workspace, which other workspaces do not share', async () => {
      stall(small, 'ada', 'acme');
      await received(small, 1);
      const second = stall(small, 'bob', 'acme');
      await waitFor('the second to be refused', () => second.answer().startsWith('HTTP/1.1 503'));
      const other = stall(small, 'carl', 'globex');
      await received(small, 2);
      expect(other.answer()).toBe('');
    });

    test('leave room for small bodies when they fill the budget of all callers', async () => {
      stall(small, 'ada', 'acme');
      stall(small, 'carl', 'globex');
      await received(small, 2);
      const third = stall(small, 'dora', 'initech');
      await waitFor('the third to be refused', () => third.answer().startsWith('HTTP/1.1 503'));
      expect(await statusOf(signIn(small))).toBe(200);
      const init = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };
      expect(await statusOf(call('dora', 'initech', init, small))).toBe(200);
    });
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

  test('is released when its service has answered, also behind an answer that is not read', async () => {
    const held: ServerResponse[] = [];
    let answered = 0;
    edge.behave = (request, response) => {
      if (request.method === 'GET') held.push(response);
      else request.resume().once('end', () => response.once('finish', () => (answered += 1)).end('{}'));
    };
    const get = head('GET /api/v1/workspaces/acme/links', as('ada'));
    open(gateway, `${get}${createLink('Content-Length: 2')}{}`);
    await waitFor('both requests', () => held.length === 1 && answered === 1);
    await waitFor('the body to be released', async () => (await gateway.metric('body_bytes')) === 0);
    expect(held[0]!.destroyed).toBe(false);
  });

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

  test('one address without a user holds no more than its part, another address is served', async () => {
    const auth = await HoldingAuth.start();
    try {
      const limited = await edge.startGateway({ AUTH_URL: auth.url, IN_FLIGHT_PER_ADDRESS: '2' });
      const signInFrom = (address: string) => signIn(limited, { 'x-forwarded-for': address });
      auth.isHolding = true;
      const pending = [1, 2].map(() => statusOf(signInFrom('198.51.100.1')));
      await waitFor('the places of an address', () => auth.held.length === 2);
      auth.isHolding = false;
      const refused = await signInFrom('198.51.100.1');
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
      expect(await statusOf(signInFrom('198.51.100.2'))).toBe(200);
      auth.release();
      expect(await Promise.all(pending)).toEqual([200, 200]);
      expect(await statusOf(signInFrom('198.51.100.1'))).toBe(200);
    } finally {
      auth.stop();
    }
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

  test.each([
    ['an unreadable host', unparsable, 404],
    ['too many headers', `GET / HTTP/1.1\r\nHost: a\r\n${headers}\r\n`, 431],
  ])('those with %s count for their address', async (_what, request, status) => {
    const strict = await edge.startGateway({ TRUSTED_PROXIES: ',', UNAUTHENTICATED_REQUESTS_PER_MINUTE: '30' });
    expect(await sendRaw(strict.url, request)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    for (let count = 0; count < 40; count += 1) await sendRaw(strict.url, request);
    expect(await statusOf(fetch(`${strict.url}/api/v1/openapi.json`))).toBe(429);
  });
});

describe('connections', () => {
  test('one that pipelines thousands of requests is cut off after a few', async () => {
    let begun = 0;
    const count = (_request: IncomingMessage, response: ServerResponse) => {
      if (response.hasHeader('X-Request-Id')) begun += 1;
    };
    gateway.server.on('request', count);
    const { socket, answer } = open(gateway, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2520));
    await new Promise((resolve) => socket.once('close', resolve));
    gateway.server.off('request', count);
    expect(begun).toBeGreaterThan(0);
    expect(begun).toBeLessThanOrEqual(4);
    expect(answer().split('HTTP/1.1 ').length - 1).toBeLessThanOrEqual(4);
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

  test('that are idle give way to new clients when the gateway is full', async () => {
    const full = await edge.startGateway({ TRUSTED_PROXIES: ',', CONNECTIONS_MAX: '4' });
    const idle = Array.from({ length: 4 }, () => open(full, 'GET /'));
    await Promise.all(idle.map(({ socket }) => once(socket, 'connect')));
    for (let count = 0; count < 3; count += 1) {
      expect(await statusOf(fetch(`${full.url}/api/v1/openapi.json`, { headers: { connection: 'close' } }))).toBe(200);
    }
    expect(await full.metric('connections_refused_total')).toBeGreaterThan(0);
  });

  test('of one address are bounded, those of a trusted proxy are not', async () => {
    const bounded = await edge.startGateway({ TRUSTED_PROXIES: ',', CONNECTIONS_PER_ADDRESS: '5' });
    const idle: Socket[] = [];
    await waitFor('an address to be refused a connection', async () => {
      const { socket } = open(bounded, 'GET /');
      idle.push(socket);
      return Promise.race([
        new Promise<boolean>((resolve) => socket.once('close', () => resolve(true))),
        new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 200)),
      ]);
    });
    expect(idle.length).toBeLessThanOrEqual(6);
    expect(await bounded.metric('connections_refused_total')).toBe(1);
    idle.forEach((socket) => socket.destroy());
    await waitFor('a place', () => fetch(`${bounded.url}/api/v1/openapi.json`).then(({ status }) => status === 200));
    for (let count = 0; count < 50; count += 1) open(gateway, 'GET /');
    expect(await statusOf(call('ada', 'acme'))).toBe(200);
  });
});
