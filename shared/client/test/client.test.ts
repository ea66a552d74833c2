import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { linksClient, WaymarkError, type ClientOptions } from '@waymark/client';

const TOKEN = 'wmk_this-is-a-secret';
const LINKS = '/api/v1/workspaces/{workspace}/links';
const LINK = '/api/v1/workspaces/{workspace}/links/{id}';
const PARAMS = { params: { path: { workspace: 'acme' } } };
const BODY = { destination_url: 'https://example.com/secret' };

interface Received {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  text: string;
}

/** The server gives these answers in turn, and repeats the last one. */
let server: Server;
let received: Received[];
let answers: ((response: ServerResponse) => void)[];

beforeAll(async () => {
  server = createServer(
    (request, response) =>
      void text(request).then((body) => {
        const { method, url, headers } = request;
        received.push({ method: method!, url: url!, headers, text: body });
        answers[Math.min(received.length, answers.length) - 1]!(response);
      }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
beforeEach(() => (received = []));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const json =
  (status: number, body: object, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    response
      .writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req_1', ...headers })
      .end(JSON.stringify(body));
const failure = (status: number, code: string, headers: Record<string, string> = {}, more = {}) =>
  json(status, { error: { code, message: `It is ${code}.`, ...more } }, headers);
const busy = failure(503, 'service_unavailable', { 'retry-after': '0' });
const limited = failure(429, 'rate_limit_exceeded', { 'retry-after': '0' });
const cut = (response: ServerResponse) => response.socket!.destroy();
const created = json(201, { data: { id: 'lnk_1' } });
const shown = json(200, { data: { id: 'lnk_1' } });

function newClient(options: Partial<ClientOptions> = {}) {
  const { port } = server.address() as AddressInfo;
  return linksClient({ baseUrl: `http://127.0.0.1:${port}`, token: TOKEN, ...options });
}

async function failureOf(call: Promise<unknown>): Promise<WaymarkError> {
  const error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof WaymarkError)) throw new Error(`Not an error of the client: ${String(error)}`);
  return error;
}

describe('retries', () => {
  test.each([
    ['503', busy],
    ['429', limited],
    ['a network error', cut],
  ])('repeats a POST with the same key and body after %s', async (_name, first) => {
    answers = [first, first, created];
    const { data } = await newClient().POST(LINKS, { ...PARAMS, body: BODY });
    expect(data.data.id).toBe('lnk_1');
    expect(received.map(({ text: body }) => JSON.parse(body))).toEqual([BODY, BODY, BODY]);
    const keys = received.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/\S{16,}/);
    expect(new Set(keys).size).toBe(1);
  });

  test('gives each call a key of its own, and keeps the key of the caller', async () => {
    answers = [created];
    await newClient().POST(LINKS, { ...PARAMS, body: BODY });
    await newClient().POST(LINKS, { ...PARAMS, body: BODY });
    await newClient().POST(LINKS, { params: { ...PARAMS.params, header: { 'Idempotency-Key': 'mine' } }, body: BODY });
    const headers = { 'idempotency-key': 'mine', Authorization: 'Bearer wmk_other' };
    await newClient().POST(LINKS, { ...PARAMS, headers, body: BODY });
    const keys = received.map((request) => request.headers['idempotency-key']);
    expect(keys.slice(2)).toEqual(['mine', 'mine']);
    expect(new Set(keys).size).toBe(3);
    expect(received[3]!.headers.authorization).toBe('Bearer wmk_other');
  });

  test('repeats a POST that takes no key only when the limit has refused it', async () => {
    const confirm = () => newClient().POST('/api/v1/user/totp/confirm', { body: { code: '123456' } });
    answers = [limited, json(200, { data: { recovery_codes: [] } })];
    await confirm();
    expect(received.map(({ headers }) => headers['idempotency-key'])).toEqual([undefined, undefined]);
    for (const first of [busy, cut]) {
      [received, answers] = [[], [first]];
      await failureOf(confirm());
      expect(received).toHaveLength(1);
    }
  });

  test('waits as long as Retry-After says', async () => {
    answers = [failure(429, 'rate_limit_exceeded', { 'retry-after': '1' }), shown];
    const startedAt = Date.now();
    await newClient().GET(LINK, { params: { path: { workspace: 'acme', id: 'lnk_1' } } });
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(990);
  });

  test('fails at once when Retry-After is later than the total time', async () => {
    answers = [failure(429, 'rate_limit_exceeded', { 'retry-after': '30' })];
    const error = await failureOf(newClient({ timeoutMs: 10_000 }).GET(LINKS, PARAMS));
    expect([error.status, error.retryAfter, received.length]).toEqual([429, 30, 1]);
  });

  test.each([400, 403, 404, 409, 412, 422, 500])('does not repeat after %d', async (status) => {
    answers = [failure(status, 'some_code')];
    expect((await failureOf(newClient().GET(LINKS, PARAMS))).status).toBe(status);
    expect(received).toHaveLength(1);
  });

  test('ends after as many retries as it may', async () => {
    answers = [busy];
    expect((await failureOf(newClient({ retries: 2 }).GET(LINKS, PARAMS))).status).toBe(503);
    expect(received).toHaveLength(3);
  });

  test('ends when the total time is over', async () => {
    answers = [() => undefined];
    const error = await failureOf(newClient({ timeoutMs: 300 }).GET(LINKS, PARAMS));
    expect([error.code, error.status, error.requestId]).toEqual(['timeout', 0, null]);
  });

  test('ends when the caller aborts, with the reason of the caller', async () => {
    answers = [() => undefined];
    const abort = new AbortController();
    const call = newClient().GET(LINKS, { ...PARAMS, signal: abort.signal });
    abort.abort(new Error('not needed any more'));
    await expect(call).rejects.toThrow('not needed any more');
  });
});

describe('errors', () => {
  test('have what the API says, and nothing of the request', async () => {
    const problems = [{ field: 'title', code: 'too_long', params: { max: 255 }, message: 'The title is too long.' }];
    answers = [failure(422, 'validation_failed', {}, { problems, details: { title: ['The title is too long.'] } })];
    const error = await failureOf(newClient().POST(LINKS, { ...PARAMS, body: BODY }));
    expect({ ...error }).toEqual({
      name: 'WaymarkError',
      status: 422,
      code: 'validation_failed',
      problems,
      details: { title: ['The title is too long.'] },
      requestId: 'req_1',
      retryAfter: null,
    });
    expect(error.message).toBe('It is validation_failed.');
  });

  test('have a code for an answer that is not the API`s', async () => {
    answers = [(response) => response.writeHead(502).end('<h1>Bad gateway</h1>')];
    const error = await failureOf(newClient().GET(LINKS, PARAMS));
    expect([error.status, error.code, error.message]).toEqual([502, 'unknown', 'The server answered 502.']);
  });

  test('do not have the token or the body, not even in their causes', async () => {
    answers = [cut];
    const error = await failureOf(newClient({ retries: 0 }).POST(LINKS, { ...PARAMS, body: BODY }));
    expect(error.code).toBe('network_error');
    const { inspect } = await import('node:util');
    expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(/secret/);
  });
});

describe('paginate', () => {
  const page = (ids: string[], next: string | null) =>
    json(200, { data: ids.map((id) => ({ id })), meta: { next_cursor: next } });

  test('follows the cursors', async () => {
    answers = [page(['a', 'b'], 'c1'), page(['c'], 'c2'), page([], null)];
    const ids: string[] = [];
    const query = { status: 'active', per_page: 2 } as const;
    for await (const { id } of newClient().paginate(LINKS, { params: { ...PARAMS.params, query } })) ids.push(id);
    expect(ids).toEqual(['a', 'b', 'c']);
    expect(received.map(({ url }) => url.split('?')[1])).toEqual([
      'status=active&per_page=2',
      'status=active&per_page=2&cursor=c1',
      'status=active&per_page=2&cursor=c2',
    ]);
  });

  test('follows the numbers of pages that have no cursor', async () => {
    const numbered = (id: string, current: number, next: string | null) =>
      json(200, { data: [{ id }], links: { next }, meta: { current_page: current } });
    answers = [numbered('a', 1, '/x?page=2'), numbered('b', 2, null)];
    const ids: string[] = [];
    const path = '/api/v1/workspaces/{workspace}/links/imports';
    for await (const { id } of newClient().paginate(path, PARAMS)) ids.push(id);
    expect([ids, received.map(({ url }) => url.split('?')[1])]).toEqual([
      ['a', 'b'],
      [undefined, 'page=2'],
    ]);
  });

  test('asks for no page after the caller has left the loop', async () => {
    answers = [page(['a', 'b'], 'c1')];
    for await (const { id } of newClient().paginate(LINKS, PARAMS)) if (id === 'a') break;
    expect(received).toHaveLength(1);
  });
});
