import type { ProcessName } from '@waymark/launcher/process-table';
import { waitFor } from '@waymark/testing/wait-for';
import { startSystem, type RunningSystem } from './system.js';

/** These processes have a replica each, behind a gateway of its own. */
const REPLICATED: ProcessName[] = ['gateway', 'auth', 'resource', 'webhook', 'domain'];
const WRITERS = 100;
/** More writers would only queue, and time out on a slow machine. */
const WRITERS_AT_ONCE = 25;

let running: RunningSystem;
let gateways: string[];
let workspace: string;
let token: string;

beforeAll(async () => {
  running = await startSystem('links', {
    API_WORKSPACE_REQUESTS_PER_MINUTE: '100000',
  });
  const [gateway] = await running.system.startReplicas(REPLICATED);
  gateways = [running.system.baseUrl, gateway!.url];
  workspace = `/api/v1/workspaces/${running.demo.workspace}`;
  token = running.demo.users['owner']!.token;
});
afterAll(() => running?.stop());

interface Answer {
  status: number;
  etag: string;
  headers: Headers;
  body: any;
}

/** @param replica which of the two gateways takes the request */
async function call(
  method: string,
  path: string,
  { body, headers = {}, replica = 0 }: { body?: unknown; headers?: Record<string, string>; replica?: number } = {},
): Promise<Answer> {
  const response = await fetch(gateways[replica]! + (path.startsWith('/api') ? path : workspace + path), {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const parsed = text === '' ? null : (JSON.parse(text) as unknown);
  return { status: response.status, etag: response.headers.get('etag') ?? '', headers: response.headers, body: parsed };
}

async function create(path: string, body: unknown): Promise<{ path: string; etag: string; data: { id: string } }> {
  const answer = await call('POST', path, { body });
  expect(answer).toMatchObject({ status: 201, etag: expect.stringMatching(/^"[\w.+-]+"$/) as string });
  const item = `${path}/${answer.body.data.id}`;
  // Its first check changes its status.
  if (path === '/domains')
    await waitFor('the first check', async () => (await call('GET', item)).body.data.last_checked_at);
  return { path: item, etag: answer.etag, data: answer.body.data };
}

/** One of each, with a field that a request can change. */
const ITEMS = {
  link: { path: '/links', body: { destination_url: 'https://example.com/?q=', title: '' }, field: 'destination_url' },
  folder: { path: '/folders', body: { name: 'Folder-' }, field: 'name' },
  tag: { path: '/tags', body: { name: 'Tag-' }, field: 'name' },
  'UTM template': { path: '/utm-templates', body: { name: 'Template-', utm_source: 'x' }, field: 'name' },
  webhook: {
    path: '/webhooks',
    body: { url: 'https://example.com/hook?q=', event_types: ['link.created'], enabled: false },
    field: 'url',
  },
  domain: { path: '/domains', body: { hostname: 'etag.example.com' }, field: 'not_found_url' },
} as const;
type Kind = keyof typeof ITEMS;
const KINDS = Object.keys(ITEMS) as Kind[];

/** Runs the work for all writers, `WRITERS_AT_ONCE` at a time. */
async function atOnce(writers: readonly number[], work: (writer: number) => Promise<void>): Promise<void> {
  const rest = writers.values();
  const client = async () => {
    for (const writer of rest) await work(writer);
  };
  await Promise.all(Array.from({ length: WRITERS_AT_ONCE }, client));
}

const letterOf = (writer: number) => String.fromCharCode(0x61 + (writer % 26)) + Math.floor(writer / 26);
const START = 'https://example.com/?q=';

describe.each(KINDS)('a %s', (kind) => {
  const { field, path: list, body } = ITEMS[kind];

  test(`loses no change of writers that send If-Match through two replicas`, async () => {
    const { path } = await create(list, kind === 'domain' ? { hostname: 'race.example.com' } : body);
    const writers = Array.from({ length: kind === 'link' ? WRITERS : 20 }, (_, index) => index);
    const statuses = new Map<number, number>();
    const write = async (writer: number) => {
      const replica = writer % 2;
      const { status: readStatus, etag, body: read } = await call('GET', path, { replica });
      expect(readStatus).toBe(200);
      const value = `${read.data[field] ?? START}${letterOf(writer)}`;
      const { status } = await call('PATCH', path, {
        replica,
        headers: { 'if-match': etag },
        body: { [field]: value },
      });
      statuses.set(writer, status);
    };
    await atOnce(writers, write);
    // Half of the refused writers retry: the accepted changes have to stay.
    const refused = writers.filter((writer) => statuses.get(writer) === 412);
    await atOnce(refused.slice(0, refused.length / 2), write);

    expect(new Set(statuses.values())).toEqual(new Set([200, 412]));
    const { data } = (await call('GET', path)).body;
    const stored = (data[field] as string).replace(kind === 'domain' ? START : (body as never)[field], '');
    const expected = writers.filter((writer) => statuses.get(writer) === 200).map(letterOf);
    expect((stored.match(/[a-z]\d/g) ?? []).sort()).toEqual(expected.sort());
  });

  test('answers to If-Match and If-None-Match as RFC 9110 says', async () => {
    const item = await create(list, kind === 'domain' ? body : { ...body, ...renamed(list) });
    const { path } = item;
    const { etag } = await call('GET', path, { replica: 1 });
    const get = async (header: string) => (await call('GET', path, { headers: { 'if-none-match': header } })).status;
    expect(await Promise.all([etag, `W/${etag}`, `"x", ${etag}`, '*', '"x"'].map(get))).toEqual([
      304, 304, 304, 304, 200,
    ]);
    const known = await call('GET', path, { headers: { 'if-none-match': etag } });
    expect([known.etag, known.body]).toEqual([etag, null]);

    const change = (ifMatch: string, method = 'PATCH') =>
      call(method, path, { headers: { 'if-match': ifMatch }, ...(method === 'PATCH' && { body: {} }) });
    for (const refused of ['"x"', `W/${etag}`, '"x", W/"y"']) {
      expect((await change(refused)).body.error).toMatchObject({ code: 'precondition_failed' });
      expect((await change(refused, 'DELETE')).status).toBe(412);
    }
    for (const garbage of ['x', etag.slice(1), `${etag} ${etag}`, '*, "x"', ',', '"'.repeat(2001)]) {
      expect((await change(garbage)).body.error).toMatchObject({ code: 'bad_request' });
      expect((await change(garbage, 'DELETE')).status).toBe(400);
    }
    const unmatched = await call('PATCH', path, { headers: { 'if-none-match': '*' }, body: {} });
    expect(unmatched.status).toBe(412);
    expect((await call('GET', path)).etag).toBe(etag);

    for (const accepted of ['*', etag, `"x", ${etag}`, etag.replace(/"$/, '+gzip"')]) {
      expect(await change(accepted)).toMatchObject({ status: 200, etag });
    }
    expect((await change(etag, 'DELETE')).status).toBe(204);
    expect((await change('*', 'DELETE')).status).toBe(404);
  });
});

/** Makes a user a member, by an invitation that they accept. */
async function join({ email, password }: { email: string; password: string }): Promise<{ id: string; etag: string }> {
  const { body: invited } = await call('POST', '/invitations', { body: { role: 'viewer' } });
  const post = (path: string, headers: Record<string, string>, body: object) =>
    fetch(`${gateways[0]!}/api/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const signedIn = await post('/session', {}, { email, password });
  const { meta } = (await signedIn.json()) as { meta: { csrf_token: string } };
  const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
  const token = (invited.meta.invite_url as string).split('#').at(-1)!;
  const accepted = await post(`/invitations/${token}/accept`, { cookie, 'x-csrf-token': meta.csrf_token }, {});
  const { data } = (await accepted.json()) as { data: { user: { id: string } } };
  const { id } = data.user;
  return { id, etag: (await call('PATCH', `/members/${id}`, { body: {} })).etag };
}

const renamed = (list: string) => (/folders|tags|templates/.test(list) ? { name: `Another of ${list}` } : {});

test('a member and a token, which have no GET, are changed with the tag that the last answer gave', async () => {
  const outsider = running.demo.users['outsider'] ?? Object.values(running.demo.users).at(-1)!;
  const me = await call('GET', '/api/v1/user');
  expect(me.etag).toMatch(/^"/);
  expect((await call('GET', '/api/v1/user', { headers: { 'if-none-match': me.etag } })).status).toBe(304);
  const { id, etag: first } = await join(outsider);
  const member = `/members/${id}`;
  const change = (role: string, etag: string, replica: number) =>
    call('PATCH', member, { headers: { 'if-match': etag }, body: { role }, replica });
  const outcomes = await Promise.all(
    Array.from({ length: 10 }, (_, index) => change(index % 2 ? 'editor' : 'admin', first, index % 2)),
  );
  expect(outcomes.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(412)]);
  expect((await call('DELETE', member, { headers: { 'if-match': first } })).status).toBe(412);
  const { etag } = outcomes.find(({ status }) => status === 200)!;
  expect((await call('DELETE', member, { headers: { 'if-match': etag } })).status).toBe(204);

  const minted = await call('POST', '/tokens', { body: { name: 'CI', scope: 'read_only' } });
  const path = `/tokens/${minted.body.data.id}`;
  expect((await call('DELETE', path, { headers: { 'if-match': '"x"' } })).status).toBe(412);
  expect((await call('DELETE', path, { headers: { 'if-match': minted.etag } })).status).toBe(204);
});

test('a condition on an operation that is not for one item is rejected with 400', async () => {
  const headers = { 'if-match': '*' };
  expect((await call('POST', '/links', { headers, body: ITEMS.link.body })).body.error.message).toContain('If-Match');
  expect((await call('GET', '/links', { headers })).status).toBe(200);
});

describe('an Idempotency-Key', () => {
  const keyed = (key: string) => ({ 'idempotency-key': key });

  test.each(['/api/v1', '/api'])(
    'makes one link of two requests under %s, also with its names in another order',
    async (prefix) => {
      const post = (body: string, replica: number) =>
        call('POST', `${prefix}/workspaces/${running.demo.workspace}/links`, {
          headers: keyed(`of ${prefix.length}`.replace(' ', '-')),
          body,
          replica,
        });
      const first = await post('{"destination_url":"https://example.com/one","title":"A"}', 0);
      const again = await post('{ "title": "\\u0041", "destination_url": "https://example.com/one" }', 1);
      expect([first.status, again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 201, 'true']);
      expect([again.body, again.etag]).toEqual([first.body, first.etag]);
      expect((await post('{"title":"B","destination_url":"https://example.com/one"}', 1)).status).toBe(409);
    },
  );

  test('makes one webhook, whose secret is not repeated', async () => {
    const body = { url: 'https://example.com/once', event_types: ['link.created'] };
    const create = (replica: number) => call('POST', '/webhooks', { headers: keyed('hook'), body, replica });
    const answers = await Promise.all([create(0), create(1), create(0), create(1)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    const { data, meta } = answers.find(({ status }) => status === 201)!.body;
    const again = await create(1);
    expect(again.body.error).toMatchObject({ code: 'conflict', details: { created_id: data.id } });
    expect(JSON.stringify(again.body)).not.toContain(meta.signing_secret);
    const hooks = (await call('GET', '/webhooks')).body.data as { url: string }[];
    expect(hooks.filter(({ url }) => url === body.url)).toHaveLength(1);
  });

  test('is for one webhook where the path names one', async () => {
    const ids = [];
    for (const name of ['a', 'b']) {
      const hook = await create('/webhooks', { url: `https://example.com/${name}`, event_types: ['link.created'] });
      const first = await call('POST', `${hook.path}/test`, { headers: keyed('test') });
      const again = await call('POST', `${hook.path}/test`, { headers: keyed('test'), replica: 1 });
      expect([first.status, again.status, again.body]).toEqual([202, 202, first.body]);
      ids.push(first.body.data.id);
    }
    expect(new Set(ids).size).toBe(2);
  });

  test.each([
    ['GET', '/links'],
    ['GET', '/links/lnk_1'],
    ['PATCH', '/links/lnk_1'],
    ['DELETE', '/links/lnk_1'],
    ['GET', '/analytics/summary'],
    ['GET', '/api/v1/openapi.json'],
  ])('on %s %s, which takes none, is rejected with 400', async (method, path) => {
    const { status, body } = await call(method, path, { headers: keyed('k'), ...(method === 'PATCH' && { body: {} }) });
    expect([status, body.error.message]).toEqual([400, 'This operation takes no Idempotency-Key.']);
  });
});
