import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { loadConfig } from '@waymark/kernel/process/config';
import { IdentityKeys, secretKey } from '@waymark/testing/keys';
import { freshBacking } from '@waymark/testing/backing';
import { testProcess } from '@waymark/testing/process-parts';
import { urlOf } from '@waymark/testing/urls';
import { waitFor } from '@waymark/testing/wait-for';
import { adminTargets } from '@waymark/auth/admin/context';
import { COMMANDS } from '@waymark/auth/admin/commands';
import { startAuth } from '@waymark/auth/app';
import { authConfig } from '@waymark/auth/config';
import { startGateway } from '@waymark/gateway/app';
import { gatewayConfig } from '@waymark/gateway/config';
import { sendRaw } from './client.js';
import { UNREACHED_MS } from './edge.js';

const keys = new IdentityKeys();
const env = { ...freshBacking(), IDENTITY_KEY: keys.keyOf('auth'), API_BASE_URL: 'http://api.test' };
const LIMIT = 400;
const authParts = testProcess(authConfig, { ...env, API_WORKSPACE_REQUESTS_PER_MINUTE: String(LIMIT) });
let gatewayParts: ReturnType<typeof startParts>;
let gateway: Server;
let upstream: Server;
/** The requests that the stand-in for the other services has received. */
let received: { url: string; headers: Record<string, unknown> }[] = [];
const tokens: Record<string, string> = {};
let abandoned = 0;
let sockets = 0;

/** Sends a first line at once, and a second one when `release` is called. */
let release: () => void;
function stream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/csv' }).write('first\n');
  release = () => response.end('second\n');
}

const UNREACHED = { authorizeTimeoutMs: UNREACHED_MS, upstreamTimeoutMs: UNREACHED_MS };

function startParts(urls: { auth: string; other: string }, more: Record<string, string> = {}) {
  return testProcess(gatewayConfig, {
    IDENTITY_SECRET: keys.secret,
    CORS_ORIGINS: 'https://app.example.com',
    UNVERSIONED_SUNSET: '2027-12-31',
    AUTH_URL: urls.auth,
    RESOURCE_URL: urls.other,
    ANALYTICS_URL: urls.other,
    WEBHOOK_URL: urls.other,
    DOMAIN_URL: urls.other,
    AUDIT_URL: urls.other,
    ...more,
  });
}

async function admin(name: string, options: Record<string, string>): Promise<any> {
  return COMMANDS[name]!.run(adminTargets(env), options);
}

beforeAll(async () => {
  upstream = createServer((request, response) => {
    received.push({ url: request.url!, headers: request.headers });
    if (request.url!.includes('/links/lnk_never')) return void request.once('close', () => (abandoned += 1));
    if (request.url!.includes('/links/lnk_stream')) return void stream(response);
    if (request.method === 'POST') return void request.pipe(response);
    response.setHeader('content-type', 'application/json').end('{"data":[]}');
  });
  upstream.on('connection', () => (sockets += 1));
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const auth = await startAuth(authParts);
  gatewayParts = startParts({ auth: urlOf(auth), other: urlOf(upstream) });
  gateway = await startGateway(gatewayParts, UNREACHED);
  await waitFor(
    'the database',
    () => authParts !== undefined && fetch(`${urlOf(gateway)}/api/user`, bearer('wmk_x')).then((r) => r.status === 401),
  );

  for (const name of ['owner', 'viewer', 'outsider']) {
    await admin('user create', { email: `${name}@example.com`, name, password: `password of ${name}` });
  }
  await admin('workspace create', { slug: 'acme', name: 'Acme', owner: 'owner@example.com' });
  await admin('workspace create', { slug: 'globex', name: 'Globex', owner: 'outsider@example.com' });
  await admin('member set', { workspace: 'acme', email: 'viewer@example.com', role: 'viewer' });
  const mint = async (workspace: string, user: string, ability = 'read_write') =>
    (await admin('token create', { workspace, email: `${user}@example.com`, name: 'test', ability }))
      .plaintext_token as string;
  tokens['owner'] = await mint('acme', 'owner');
  tokens['readOnly'] = await mint('acme', 'owner', 'read');
  tokens['writeOnly'] = await mint('acme', 'owner', 'write');
  tokens['viewer'] = await mint('acme', 'viewer');
  tokens['outsider'] = await mint('globex', 'outsider');
});
afterAll(async () => {
  await gatewayParts.lifecycle.stop();
  await authParts.lifecycle.stop();
  upstream.closeAllConnections();
  await new Promise((resolve) => upstream.close(resolve));
});
beforeEach(() => (received = []));

const bearer = (token: string, init: RequestInit = {}): RequestInit => ({
  ...init,
  headers: { ...init.headers, authorization: `Bearer ${token}` },
});

async function call(path: string, init: RequestInit = {}) {
  const response = await fetch(urlOf(gateway) + path, init);
  const text = await response.text();
  let body: any = text;
  try {
    body = JSON.parse(text);
  } catch {
    // Not every response is JSON.
  }
  return { status: response.status, headers: response.headers, body };
}

const LINKS = '/api/v1/workspaces/acme/links';

describe('who may pass', () => {
  test('no credential gets 401 with a challenge in the v1 shape', async () => {
    const { status, headers, body } = await call(LINKS);
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toBe('Bearer');
    expect(body).toEqual({ error: { code: 'unauthenticated', message: 'Unauthenticated.' } });
  });

  test('an unversioned path answers the older fields beside the error, and names its successor', async () => {
    const { headers, body } = await call('/api/workspaces/acme/links?page=2');
    expect(body).toMatchObject({ message: 'Unauthenticated.', error: { code: 'unauthenticated' } });
    expect(headers.get('deprecation')).toMatch(/^@\d+$/);
    expect(headers.get('sunset')).toBe('Fri, 31 Dec 2027 00:00:00 GMT');
    expect(headers.get('link')).toBe('</api/v1/workspaces/acme/links?page=2>; rel="successor-version"');
  });

  test('an unversioned path of thousands of characters names no successor', async () => {
    const { headers } = await call(`/api/workspaces/acme/links?search=${'x'.repeat(2000)}`);
    expect(headers.get('deprecation')).toMatch(/^@\d+$/);
    expect(headers.get('link')).toBeNull();
  });

  test('the successor of an unversioned path ends where the path does', async () => {
    const target = '/api/workspaces/acme/links?x=</evil>;rel="next"';
    const answer = await sendRaw(urlOf(gateway), `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    expect(answer).toContain('</api/v1/workspaces/acme/links?x=%3C/evil%3E;rel=%22next%22>; rel="successor-version"');
  });

  test.each([
    ['a malformed token', 'nonsense'],
    ['a token with a wrong checksum', `wmk_${'A'.repeat(46)}`],
  ])('%s gets 401', async (_what, token) => {
    expect((await call(LINKS, bearer(token))).status).toBe(401);
  });

  test.each([
    ['owner', 'POST', LINKS, 200],
    ['readOnly', 'GET', LINKS, 200],
    ['readOnly', 'POST', LINKS, 403],
    ['writeOnly', 'GET', LINKS, 200],
    ['viewer', 'GET', LINKS, 200],
    ['viewer', 'POST', LINKS, 403],
    ['viewer', 'GET', '/api/v1/workspaces/acme/analytics/summary', 403],
    ['outsider', 'GET', LINKS, 403],
    ['outsider', 'GET', '/api/v1/workspaces/nobody-has-this/links', 403],
  ])('%s %s %s gets %i', async (who, method, path, expected) => {
    const { status } = await call(path, bearer(tokens[who]!, { method }));
    expect(status).toBe(expected);
    expect(received.length).toBe(expected === 200 ? 1 : 0);
  });

  test('a forbidden role is answered with the roles that are allowed', async () => {
    const { body } = await call('/api/v1/workspaces/acme/analytics/summary', bearer(tokens['viewer']!));
    expect(body.error).toEqual({ code: 'forbidden', message: 'This requires the role owner, admin or analyst.' });
  });

  test('an unknown workspace and a foreign one answer alike', async () => {
    const [absent, foreign] = await Promise.all([
      call('/api/v1/workspaces/nobody-has-this/links', bearer(tokens['outsider']!)),
      call(LINKS, bearer(tokens['outsider']!)),
    ]);
    expect(absent.body).toEqual(foreign.body);
  });
});

describe('what a service is sent', () => {
  test('replaces the credential by a signed identity, for any claim of the client', async () => {
    await call(LINKS, {
      headers: {
        authorization: `Bearer ${tokens['viewer']}`,
        cookie: 'a=b',
        'x-waymark-identity': 'forged',
        'X-Waymark-Role': 'owner',
        'x-request-id': 'my-request-1',
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      },
    });
    const { headers } = received[0]!;
    expect(headers['authorization']).toBeUndefined();
    expect(headers['cookie']).toBeUndefined();
    expect(headers['x-waymark-role']).toBeUndefined();
    expect(headers['x-request-id']).toBe('my-request-1');
    expect(headers['traceparent']).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-(?!b7ad6b7169203331)[0-9a-f]{16}-01$/);
    const claims = JSON.parse(
      Buffer.from(String(headers['x-waymark-identity']).split('.')[1]!, 'base64url').toString(),
    );
    expect(claims).toMatchObject({
      aud: 'resource',
      identity: { actor: { type: 'token', email: 'viewer@example.com' }, workspace: { slug: 'acme', role: 'viewer' } },
    });
  });
});

describe('routing', () => {
  test('an unknown path gets 404, also for a stranger', async () => {
    expect((await call('/api/v1/nothing')).status).toBe(404);
    expect((await call('/api/v1/workspaces/acme/nothing', bearer(tokens['owner']!))).status).toBe(404);
  });

  test('a known path with another method gets 405 with Allow', async () => {
    const { status, headers } = await call(LINKS, { method: 'DELETE' });
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe('GET, POST, HEAD');
  });

  test('a 405 names the successor of an unversioned path only', async () => {
    const [older, newer] = [
      await call('/api/workspaces/acme/links', { method: 'DELETE' }),
      await call(LINKS, { method: 'DELETE' }),
    ];
    expect([older.status, older.headers.get('link')]).toEqual([
      405,
      '</api/v1/workspaces/acme/links>; rel="successor-version"',
    ]);
    expect(older.headers.has('deprecation')).toBe(true);
    expect(newer.headers.has('deprecation')).toBe(false);
    expect(newer.body.error.message).toBe('The method DELETE is not allowed here. Allowed: GET, POST, HEAD.');
  });

  test('OPTIONS answers Allow on a known path and 404 on any other', async () => {
    for (const path of [LINKS, '/api/workspaces/acme/links']) {
      const { status, headers } = await call(path, { method: 'OPTIONS' });
      expect([status, headers.get('allow')]).toEqual([204, 'GET, POST, HEAD']);
    }
    for (const path of ['/nope/nope', '/api/v1/nothing', '/api/workspaces/acme/audit-logs', '/docs/nothing']) {
      expect((await call(path, { method: 'OPTIONS' })).status).toBe(404);
    }
  });

  test('the page of the documentation names its methods to OPTIONS and to another method', async () => {
    for (const path of ['/docs', '/docs/', '/docs/main.js', '/docs/docs.css']) {
      const [options, post] = [await call(path, { method: 'OPTIONS' }), await call(path, { method: 'POST' })];
      expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD']);
      expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
      expect((await call(path, { method: 'HEAD' })).status).toBe(200);
    }
  });

  test('the OpenAPI document refuses unknown parameters as every operation does', async () => {
    const { status, body } = await call('/api/v1/openapi.json?format=yaml');
    expect([status, Object.keys(body.error.details)]).toEqual([422, ['format']]);
    const lenient = await call('/api/v1/openapi.json?format=yaml', { headers: { prefer: 'handling=lenient' } });
    expect([lenient.status, lenient.headers.get('preference-applied')]).toEqual([200, 'handling=lenient']);
  });

  test('audit routes exist under v1 only', async () => {
    expect((await call('/api/workspaces/acme/audit-logs', bearer(tokens['owner']!))).status).toBe(404);
    expect((await call('/api/v1/workspaces/acme/audit-logs', bearer(tokens['owner']!))).status).toBe(200);
  });

  test('a malformed path gets 404, never a 5xx', async () => {
    expect((await call('/api/v1/workspaces/%E0%A4%A/links', bearer(tokens['owner']!))).status).toBe(404);
  });
});

describe('the way to a service', () => {
  const owner = (init: RequestInit = {}) => bearer(tokens['owner']!, init);

  test('a service that is slow gets 503 with Retry-After in time, not a hang', async () => {
    const urls = { auth: gatewayParts.config.AUTH_URL, other: urlOf(upstream) };
    const parts = startParts(urls);
    const impatient = await startGateway(parts, { ...UNREACHED, upstreamTimeoutMs: 500 });
    const { status, headers } = await fetch(`${urlOf(impatient)}${LINKS}/lnk_never`, owner());
    expect([status, headers.get('retry-after')]).toEqual([503, '2']);
    await parts.lifecycle.stop();
  });

  test('a client that goes away takes its request to the service with it', async () => {
    abandoned = 0;
    const controller = new AbortController();
    const request = fetch(`${urlOf(gateway)}${LINKS}/lnk_never`, { ...owner(), signal: controller.signal });
    await waitFor('the service to be asked', () => received.length === 1);
    controller.abort();
    await expect(request).rejects.toThrow('aborted');
    await waitFor('the service to see it', () => abandoned === 1);
  });

  test('what a client tells its own connection does not reach the service', async () => {
    await sendRaw(
      urlOf(gateway),
      `GET ${LINKS} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${tokens['owner']}\r\n` +
        'Connection: close, X-Own, X-Request-Id\r\nX-Own: 1\r\nX-Kept: 1\r\nKeep-Alive: timeout=5\r\n' +
        'Proxy-Authorization: Basic secret\r\nTE: trailers\r\nX-Request-Id: mine\r\n\r\n',
    );
    const [{ headers }] = received as [(typeof received)[0]];
    expect(headers).toMatchObject({ 'x-kept': '1', 'x-request-id': 'mine', connection: 'keep-alive' });
    const names = Object.keys(headers);
    for (const name of ['x-own', 'keep-alive', 'proxy-authorization', 'te']) expect(names).not.toContain(name);
  });

  test('a client that asks first and goes away takes its request with it too', async () => {
    abandoned = 0;
    const { port } = gateway.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(
        `PATCH ${LINKS}/lnk_never HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${tokens['owner']}\r\n` +
          'Content-Type: application/json\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n',
      ),
    );
    await new Promise((resolve) => socket.once('data', resolve));
    socket.write('{"a":1234}');
    await waitFor('the service to be asked', () => received.length === 1);
    expect(received[0]!.headers['expect']).toBeUndefined();
    socket.destroy();
    await waitFor('the service to see it', () => abandoned === 1);
  });

  test('an answer is passed on as it comes', async () => {
    const response = await fetch(`${urlOf(gateway)}${LINKS}/lnk_stream`, owner());
    const reader = response.body!.getReader();
    expect(Buffer.from((await reader.read()).value).toString()).toBe('first\n');
    release();
    expect(Buffer.from((await reader.read()).value).toString()).toBe('second\n');
  });

  test('a body is passed on byte by byte, and connections are used again', async () => {
    const before = sockets;
    for (let round = 0; round < 10; round += 1) {
      const body = `{"round":${round}}`;
      const answer = await call(
        LINKS,
        owner({ method: 'POST', headers: { 'content-type': 'application/json' }, body }),
      );
      expect(answer.body).toEqual({ round });
    }
    expect(sockets - before).toBeLessThanOrEqual(1);
  });
});

describe('browsers', () => {
  test('a preflight of a configured origin is answered without auth and without cookies', async () => {
    const { status, headers } = await call(LINKS, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example.com', 'access-control-request-method': 'POST' },
    });
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe('https://app.example.com');
    expect(headers.get('access-control-allow-headers')).toContain('Prefer');
    expect(headers.get('access-control-allow-credentials')).toBeNull();
  });

  test('a page of a configured origin can read every header that the document names, but neither cookie nor CSRF token', async () => {
    const { headers } = await call(LINKS, { headers: { origin: 'https://app.example.com' } });
    const exposed = headers.get('access-control-expose-headers')!.split(',');
    const { body } = await call('/api/v1/openapi.json');
    const documented = Object.keys(body.components.headers).filter(
      (name) => !['Set-Cookie', 'X-CSRF-Token'].includes(name),
    );
    expect(documented.filter((name) => !exposed.includes(name))).toEqual([]);
  });

  test('another origin is allowed nothing', async () => {
    const { headers } = await call(LINKS, { headers: { origin: 'https://evil.example.com' } });
    expect(headers.get('access-control-allow-origin')).toBeNull();
    expect(headers.get('vary')).toContain('Origin');
  });

  test('every answer tells them to frame, sniff, cache and run nothing', async () => {
    const { headers } = await call(LINKS, bearer(tokens['owner']!));
    expect(headers.get('content-security-policy')).toBe("default-src 'none';frame-ancestors 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('strict-transport-security')).toContain('max-age=');
    expect(headers.get('x-powered-by')).toBeNull();
  });
});

describe('what describes the API', () => {
  test('the document is for everybody and names the deployment', async () => {
    const { status, headers, body } = await call('/api/v1/openapi.json');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(headers.get('content-encoding')).toMatch(/^(br|gzip)$/);
    expect(body.paths['/api/v1/workspaces/{workspace}/links'].post.operationId).toBe('links_create');
    expect(body.paths['/api/v1/workspaces/{workspace}/qr-codes']).toBeUndefined();
  });

  test('the document has the deprecated routes only for those who ask', async () => {
    const { body } = await call('/api/v1/openapi.json');
    expect(Object.keys(body.paths).filter((path) => !path.startsWith('/api/v1/'))).toEqual([]);
    const whole = (await call('/api/v1/openapi.json?deprecated=true')).body;
    expect(whole.paths['/api/workspaces/{workspace}/links'].post.deprecated).toBe(true);
    expect(Object.keys(whole.paths)).toEqual(expect.arrayContaining(Object.keys(body.paths)));
    const wrong = await call('/api/v1/openapi.json?deprecated=perhaps');
    expect([wrong.status, wrong.body.error.problems[0].field]).toEqual([422, 'deprecated']);
  });

  test('the page loads all it needs from here, and may load nothing else', async () => {
    const { status, headers, body } = await call('/docs');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = headers.get('content-security-policy');
    expect(policy).toMatch(/^default-src 'none';/);
    for (const directive of ['script-src', 'style-src', 'connect-src'])
      expect(policy).toContain(`;${directive} 'self'`);
    for (const directive of ['base-uri', 'form-action', 'frame-ancestors'])
      expect(policy).toContain(`;${directive} 'none'`);
    const assets = [...String(body).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path!);
    expect(assets).toHaveLength(4);
    const answers = await Promise.all(assets.map((path) => call(path)));
    expect(answers.map((answer) => [answer.status, answer.headers.get('content-type')])).toEqual([
      [200, 'image/svg+xml'],
      [200, 'text/javascript; charset=utf-8'],
      [200, 'text/css; charset=utf-8'],
      [200, 'text/javascript; charset=utf-8'],
    ]);
    expect(answers.at(-1)!.body).toContain('/api/v1/openapi.json');
    const client = await fetch(`${urlOf(gateway)}/docs/waymark-client.tgz`);
    expect([client.status, client.headers.get('content-type')]).toEqual([200, 'application/octet-stream']);
    const nothing = await call('/docs/package.json');
    expect([nothing.status, nothing.headers.get('content-security-policy')]).toEqual([404, expect.any(String)]);
  });

  test.each([
    ['a range that does not exist', { range: 'bytes=99999999-' }, 200],
    ['a range of its bytes', { range: 'bytes=0-9' }, 200],
  ])('a file of the page answers %s without a 5xx', async (_what, headers, expected) => {
    const response = await fetch(`${urlOf(gateway)}/docs/docs.css`, { headers });
    expect(response.status).toBe(expected);
    await response.arrayBuffer();
  });

  test.each([
    ['/docs/main.js', 'identity, br'],
    ['/docs/main.js', 'deflate'],
    ['/api/v1/openapi.json', 'gzip;q=0.5'],
    ['/console', 'deflate, br;q=0.5'],
  ])('%s for a client that accepts %s is not compressed again for it', async (path, accepted) => {
    const response = await fetch(urlOf(gateway) + path, { headers: { 'accept-encoding': accepted } });
    await response.arrayBuffer();
    // A compressor would not know the length before the end.
    expect([response.status, Number(response.headers.get('content-length'))]).toEqual([200, expect.any(Number)]);
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(0);
    expect([null, 'br', 'gzip']).toContain(response.headers.get('content-encoding'));
  });

  test('each coding of a file has its own entity tag, by which a client revalidates it', async () => {
    const request = (headers: Record<string, string>) => fetch(`${urlOf(gateway)}/docs/docs.css`, { headers });
    const tags = await Promise.all(
      ['identity', 'gzip', 'br'].map(async (coding) => {
        const response = await request({ 'accept-encoding': coding });
        await response.arrayBuffer();
        return response.headers.get('etag')!;
      }),
    );
    const plain = tags[0]!.slice(1, -1);
    expect(tags).toEqual([`"${plain}"`, `"${plain}+gzip"`, `"${plain}+br"`]);
    for (const tag of tags) {
      const { status, headers } = await request({ 'accept-encoding': 'br', 'if-none-match': tag });
      expect([status, headers.get('etag')]).toEqual([304, `"${plain}+br"`]);
      expect(headers.get('vary')).toMatch(/Accept-Encoding/);
    }
  });

  test('what the page may load is no matter of the API', async () => {
    const { headers } = await call('/api/v1/openapi.json');
    expect(headers.get('content-security-policy')).toBe("default-src 'none';frame-ancestors 'none'");
  });
});

describe('what is no request', () => {
  function raw(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const { port } = gateway.address() as AddressInfo;
      let answer = '';
      const socket = connect(port, '127.0.0.1', () => socket.write(text));
      socket.on('data', (chunk) => (answer += chunk.toString())).on('close', () => resolve(answer));
      socket.on('error', reject);
    });
  }

  test.each([
    ['headers that are too large', `GET / HTTP/1.1\r\nHost: a\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['rubbish', 'rubbish\r\n\r\n', 400],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
    ['no host', 'GET / HTTP/1.1\r\n\r\n', 400],
    ['an expectation', 'POST / HTTP/1.1\r\nHost: a\r\nExpect: a miracle\r\n\r\n', 417],
  ])('%s is refused in the shape of every other error', async (_what, text, status) => {
    const answer = await raw(text);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toMatch(/\r\nX-Request-Id: \S+\r\n/);
    expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toMatchObject({ error: { code: 'bad_request' } });
  });

  test.each([
    ['/api/v1/user', ['error']],
    ['/api/user', ['message', 'error']],
  ])('at %s is refused with %j', async (path, fields) => {
    const refusals = [
      `GET ${path} HTTP/1.1\r\nHost: a\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`,
      `GET ${path} HTTP/1.1\r\nHost: a\r\n${'X-A: a\r\n'.repeat(101)}\r\n`,
      `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n`,
      `GET ${path} HTTP/1.1\r\n\r\n`,
      `POST ${path} HTTP/1.1\r\nHost: a\r\nExpect: a miracle\r\n\r\n`,
    ];
    for (const text of refusals) {
      const answer = await raw(text);
      expect(Object.keys(JSON.parse(answer.split('\r\n\r\n')[1]!) as object)).toEqual(fields);
    }
  });
});

describe('sessions', () => {
  const signIn = (password: string) =>
    call('/api/v1/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'OWNER@example.com', password }),
    });

  test('a browser signs in, changes things with its CSRF token only, and signs out', async () => {
    const { status, headers, body } = await signIn('password of owner');
    expect(status).toBe(200);
    expect(body.data.workspaces).toEqual([{ slug: 'acme', name: 'Acme', role: 'owner', plan: 'enterprise' }]);
    const setCookie = headers.get('set-cookie')!;
    expect(setCookie).toMatch(/HttpOnly; Secure; SameSite=Lax/);
    const cookie = setCookie.split(';')[0]!;
    const csrf = { 'x-csrf-token': body.meta.csrf_token as string };

    expect((await call('/api/user', { headers: { cookie } })).body.email).toBe('owner@example.com');
    expect((await call(LINKS, { method: 'POST', headers: { cookie } })).status).toBe(403);
    expect((await call(LINKS, { method: 'POST', headers: { cookie, ...csrf } })).status).toBe(200);
    const foreign = { cookie, ...csrf, 'sec-fetch-site': 'cross-site' };
    expect((await call(LINKS, { method: 'POST', headers: foreign })).status).toBe(403);

    expect((await call('/api/v1/session', { method: 'DELETE', headers: { cookie, ...csrf } })).status).toBe(204);
    expect((await call('/api/user', { headers: { cookie } })).status).toBe(401);
  });

  test('a page that was reloaded asks for its CSRF token, and changes things with it', async () => {
    const { headers } = await signIn('password of owner');
    const cookie = headers.get('set-cookie')!.split(';')[0]!;
    for (const path of ['/api/v1/user', '/api/user']) {
      const user = await call(path, { headers: { cookie } });
      const token = user.headers.get('x-csrf-token')!;
      expect((await call(LINKS, { method: 'POST', headers: { cookie, 'x-csrf-token': token } })).status).toBe(200);
    }
  });

  test('no CSRF token is sent to a program, on another route, or to a page of another site', async () => {
    const { headers } = await signIn('password of owner');
    const cookie = headers.get('set-cookie')!.split(';')[0]!;
    const tokenFor = async (path: string, more: Record<string, string>) => {
      const answer = await call(path, { headers: more });
      expect(answer.status).toBe(200);
      return [answer.headers.get('x-csrf-token'), answer.headers.get('access-control-expose-headers') ?? ''];
    };
    expect((await tokenFor('/api/v1/user', { authorization: `Bearer ${tokens['owner']!}` }))[0]).toBeNull();
    expect((await tokenFor('/api/v1/workspaces', { cookie }))[0]).toBeNull();
    const [, exposed] = await tokenFor('/api/v1/user', { cookie, origin: 'https://other.example' });
    expect(exposed!.toLowerCase()).not.toContain('x-csrf-token');
  });

  test('a wrong password and an unknown e-mail get the same 401', async () => {
    const wrong = await signIn('not the password');
    expect(wrong.status).toBe(401);
    const unknown = await call('/api/v1/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'nobody@example.com', password: 'x' }),
    });
    expect(unknown.body).toEqual(wrong.body);
  });

  test('a body that is not JSON gets 415, a broken one 400, one too large 413, a missing field 422', async () => {
    const post = (body: string, type = 'application/json') =>
      call('/api/v1/session', { method: 'POST', headers: { 'content-type': type }, body });
    expect((await post('email=a', 'application/x-www-form-urlencoded')).status).toBe(415);
    expect((await post('{"email":')).status).toBe(400);
    expect((await post(JSON.stringify({ email: 'a'.repeat(2_000_000) }))).status).toBe(413);
    const missing = await post('{}');
    expect(missing.status).toBe(422);
    expect(Object.keys(missing.body.error.details)).toEqual(['email', 'password']);
  });
});

describe('tokens', () => {
  const path = '/api/v1/workspaces/acme/tokens';
  const create = (body: unknown, who = 'owner') =>
    call(
      path,
      bearer(tokens[who]!, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    );

  test('a new token shows its plaintext once and never again', async () => {
    const { status, body } = await create({ name: 'CI' });
    expect(status).toBe(201);
    expect(body.meta.plaintext_token).toMatch(/^wmk_[0-9A-Za-z]{46}$/);
    expect(body.data).toMatchObject({
      name: 'CI',
      scope: 'read_write',
      abilities: ['workspace:acme:read', 'workspace:acme:write'],
    });
    const list = await call(path, bearer(tokens['owner']!));
    expect(JSON.stringify(list.body)).not.toContain(body.meta.plaintext_token);
    expect(list.body.data[0]).toEqual(body.data);
  });

  test('the same Idempotency-Key twice mints one token, whose plaintext is not repeated', async () => {
    const mint = () =>
      call(
        path,
        bearer(tokens['owner']!, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'idempotency-key': 'the-same' },
          body: JSON.stringify({ name: 'CI' }),
        }),
      );
    const [first, second] = [await mint(), await mint()];
    expect([first.status, second.status]).toEqual([201, 409]);
    expect(second.body.error).toMatchObject({ code: 'conflict', details: { created_id: first.body.data.id } });
    expect(JSON.stringify(second.body)).not.toContain(first.body.meta.plaintext_token);
  });

  test('a revoked token is refused at once', async () => {
    for (let round = 0; round < 50; round += 1) {
      const { body } = await create({ name: `r${round}` });
      const token = body.meta.plaintext_token as string;
      expect((await call('/api/user', bearer(token))).status).toBe(200);
      expect((await call(`${path}/${body.data.id}`, bearer(tokens['owner']!, { method: 'DELETE' }))).status).toBe(204);
      expect((await call('/api/user', bearer(token))).status).toBe(401);
    }
  });

  test('a member sees and revokes only their own, an owner all', async () => {
    const own = await create({ name: 'mine' }, 'viewer');
    expect(own.status).toBe(201);
    const seen = await call(path, bearer(tokens['viewer']!));
    expect(new Set(seen.body.data.map((token: any) => token.name as string))).toEqual(new Set(['test', 'mine']));
    const ofOwner = (await create({ name: 'of owner' })).body.data.id as string;
    expect((await call(`${path}/${ofOwner}`, bearer(tokens['viewer']!, { method: 'DELETE' }))).status).toBe(404);
    expect((await call(`${path}/${own.body.data.id}`, bearer(tokens['owner']!, { method: 'DELETE' }))).status).toBe(
      204,
    );
  });

  test('an expired token gets 401', async () => {
    const { body } = await create({ name: 'short', expires_at: new Date(Date.now() + 1500).toISOString() });
    const token = body.meta.plaintext_token as string;
    expect((await call('/api/user', bearer(token))).status).toBe(200);
    await waitFor('the expiry', async () => (await call('/api/user', bearer(token))).status === 401);
  });

  test('wrong fields get 422 by name', async () => {
    const { status, body } = await create({ name: ' ', scope: 'admin', expires_at: '2020-01-01T00:00:00Z' });
    expect(status).toBe(422);
    expect(Object.keys(body.error.details).sort()).toEqual(['expires_at', 'name', 'scope']);
  });
});

test('the limit lets exactly its number through, and says when to come back', async () => {
  await admin('user create', { email: 'limited@example.com', name: 'L', password: 'password of L' });
  await admin('workspace create', { slug: 'limited', name: 'L', owner: 'limited@example.com' });
  const { plaintext_token: token } = await admin('token create', {
    workspace: 'limited',
    email: 'limited@example.com',
    name: 'L',
    ability: 'read_write',
  });
  const results: Awaited<ReturnType<typeof call>>[] = [];
  while (results.length < LIMIT + 50) {
    const round = Array.from({ length: 50 }, () => call('/api/v1/workspaces/limited/links', bearer(token as string)));
    results.push(...(await Promise.all(round)));
  }
  const accepted = results.filter((result) => result.status === 200);
  const refused = results.filter((result) => result.status === 429);
  expect([accepted.length, refused.length]).toEqual([LIMIT, 50]);
  expect(refused[0]!.body.error.code).toBe('rate_limit_exceeded');
  expect(Number(refused[0]!.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(accepted[0]!.headers.get('ratelimit-policy')).toBe(`"workspace";q=${LIMIT};w=60`);
  expect(accepted[0]!.headers.get('x-ratelimit-limit')).toBe(String(LIMIT));
});

test('auth away gets 503 with Retry-After, and nothing reaches a service', async () => {
  const parts = startParts({ auth: 'http://127.0.0.1:1', other: urlOf(upstream) });
  const alone = await startGateway(parts, UNREACHED);
  const response = await fetch(urlOf(alone) + LINKS, bearer(tokens['owner']!));
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).not.toBeNull();
  expect(received).toEqual([]);
  await parts.lifecycle.stop();
});

test('an auth with the key of another secret gets 503 with Retry-After, and nothing reaches a service', async () => {
  const urls = { auth: gatewayParts.config.AUTH_URL, other: urlOf(upstream) };
  const parts = startParts(urls, { IDENTITY_SECRET: secretKey() });
  const foreign = await startGateway(parts);
  const response = await fetch(urlOf(foreign) + LINKS, bearer(tokens['owner']!));
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).not.toBeNull();
  expect(received).toEqual([]);
  await parts.lifecycle.stop();
});

test('a service that is away gets 503 with Retry-After', async () => {
  const parts = startParts({ auth: gatewayParts.config.AUTH_URL, other: 'http://127.0.0.1:1' });
  const alone = await startGateway(parts, UNREACHED);
  const response = await fetch(urlOf(alone) + LINKS, bearer(tokens['owner']!));
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).not.toBeNull();
  await parts.lifecycle.stop();
});

test('a wrong configuration is one line that names every problem', () => {
  expect(() => loadConfig(gatewayConfig, { PORT: 'x', AUTH_URL: 'nowhere' })).toThrow(
    /PORT.*IDENTITY_SECRET is not set.*AUTH_URL.*RESOURCE_URL is not set/,
  );
});

describe('the console', () => {
  const asBrowser = { headers: { accept: 'text/html' }, redirect: 'manual' } as const;

  test('is one page for every path, whose files a browser keeps', async () => {
    const { status, headers, body } = await call('/console/w/acme/links', asBrowser);
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-cache']);
    const assets = [...String(body).matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)].map(([, path]) => path!);
    expect(assets).toHaveLength(3);
    for (const path of assets) {
      const answer = await call(path, { headers: { 'accept-encoding': 'br' } });
      expect([answer.status, answer.headers.get('content-encoding'), answer.headers.get('cache-control')]).toEqual([
        200,
        'br',
        'public, max-age=31536000, immutable',
      ]);
    }
    expect((await call('/console/assets/unknown.js')).status).toBe(404);
  });

  test('is absent, and the origin no page, with CONSOLE=off', async () => {
    const parts = startParts({ auth: urlOf(gateway), other: urlOf(upstream) }, { CONSOLE: 'off' });
    const server = await startGateway(parts, UNREACHED);
    try {
      for (const path of ['/', '/console', '/console/', '/console/w/acme/links', '/console/assets/favicon.svg']) {
        const answer = await fetch(urlOf(server) + path, asBrowser);
        expect([path, answer.status]).toEqual([path, 404]);
      }
    } finally {
      await parts.lifecycle.stop();
    }
  });
});
