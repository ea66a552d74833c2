import { waitFor } from '@waymark/testing/wait-for';
import { Edge, type EdgeGateway } from './edge.js';

const LIMIT = 5;

let edge: Edge;
let gateway: EdgeGateway;
beforeAll(async () => {
  edge = await Edge.start({ API_WORKSPACE_REQUESTS_PER_MINUTE: String(LIMIT) });
  gateway = await edge.startGateway();
});
afterAll(() => edge.stop());

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const get = (path: string, token: string) => fetch(`${gateway.url}/api/v1${path}`, { headers: bearer(token) });

async function signIn(name: string): Promise<Record<string, string>> {
  const response = await fetch(`${gateway.url}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: `${name}@example.com`, password: `password of ${name}` }),
  });
  return { cookie: response.headers.get('set-cookie')!.split(';')[0]! };
}

/** Sends a request. @returns its status and the remaining requests, `null` when no limit counts it */
async function send(path: string, headers: Record<string, string>, method = 'GET', body?: object) {
  const response = await fetch(gateway.url + path, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const remaining = response.headers.get('x-ratelimit-remaining');
  return [response.status, remaining === null ? null : Number(remaining)];
}

test('limits the requests of a user to routes without a workspace, apart from those in a workspace', async () => {
  const token = await edge.addMember('acme', 'ada');
  const sent: Response[] = [];
  for (let index = 0; index <= LIMIT; index += 1) {
    sent.push(await get(index % 2 === 0 ? '/user' : '/workspaces', token));
  }
  expect(sent.map(({ status }) => status)).toEqual([...Array<number>(LIMIT).fill(200), 429]);
  const refused = sent.at(-1)!;
  expect(refused.headers.get('ratelimit-policy')).toBe(`"user";q=${LIMIT};w=60`);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);

  expect((await get('/workspaces/acme/links', token)).status).toBe(200);
  const other = await edge.addMember('acme', 'bob');
  expect((await get('/user', other)).status).toBe(200);
});

test('counts the requests of a user in a workspace together, by token, session and prefix', async () => {
  const first = bearer(await edge.addMember('shared', 'cyd'));
  const second = bearer(await edge.addToken('shared', 'cyd'));
  const session = await signIn('cyd');
  const [v1, older] = ['/api/v1/workspaces/shared/links', '/api/workspaces/shared/links'];
  expect(await send(v1, first)).toEqual([200, 4]);
  expect(await send(older, second)).toEqual([200, 3]);
  expect(await send(v1, session)).toEqual([200, 2]);
  expect(await send(older, session)).toEqual([200, 1]);
  expect(await send(v1, second)).toEqual([200, 0]);
  for (const credential of [first, second, session]) expect(await send(older, credential)).toEqual([429, 0]);

  const other = bearer(await edge.addMember('shared', 'dan'));
  expect(await send(v1, other)).toEqual([200, 4]);
  await edge.admin('workspace create', { slug: 'second', name: 'Second', owner: 'cyd@example.com' });
  const elsewhere = '/api/v1/workspaces/second/links';
  expect(await send(elsewhere, session)).toEqual([200, 4]);
  expect(await send(elsewhere, bearer(await edge.addToken('second', 'cyd')))).toEqual([200, 3]);
});

test.each([
  ['beyond the limit of requests', 'refused-beyond', 429],
  ['in a workspace of others', 'of-others', 403],
])(
  'stops asking auth about a credential whose address has too many refused requests %s',
  async (_what, refusing, status) => {
    const { url } = await edge.startGateway({ UNAUTHENTICATED_REQUESTS_PER_MINUTE: '3' });
    const own = status === 429 ? refusing : 'refused-elsewhere';
    const token = await edge.addMember(own, `lea-${status}`);
    const other = await edge.addMember(own, `max-${status}`);
    const ask = (path: string, by = token, method = 'GET') =>
      fetch(`${url}/api/v1/workspaces/${path}`, { method, headers: bearer(by) });
    // Later on only credentials that were accepted before are let through.
    expect((await ask(`${own}/tokens`, other)).status).toBe(200);
    const acceptedCount = status === 429 ? LIMIT : 1;
    for (let index = 0; index < acceptedCount; index += 1) expect((await ask(`${own}/links`)).status).toBe(200);
    for (let index = 0; index < 3; index += 1) expect((await ask(`${refusing}/links`)).status).toBe(status);
    const { data } = (await (await ask(`${own}/tokens`, other)).json()) as { data: { id: string }[] };
    expect((await ask(`${own}/tokens/${data.at(-1)!.id}`, other, 'DELETE')).status).toBe(204);
    // Auth would answer that the token is revoked.
    const refused = await ask(`${own}/links`);
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
    const { url: unlimited } = await edge.startGateway();
    expect((await fetch(`${unlimited}/api/v1/user`, { headers: bearer(token) })).status).toBe(401);
  },
);

test('counts the refused requests of a member, and none of a non-member', async () => {
  await edge.addMember('counted', 'eve');
  const stranger = bearer(await edge.addMember('elsewhere', 'fay'));
  const path = '/api/v1/workspaces/counted';
  for (let index = 0; index <= LIMIT; index += 1) expect(await send(`${path}/links`, stranger)).toEqual([403, null]);
  expect(await send('/api/v1/workspaces/elsewhere/links', stranger)).toEqual([200, 4]);

  await edge.admin('user create', { email: 'gus@example.com', name: 'gus', password: 'password of gus' });
  await edge.admin('member set', { workspace: 'counted', email: 'gus@example.com', role: 'viewer' });
  const viewer = bearer(await edge.addToken('counted', 'gus'));
  expect(await send(`${path}/members`, viewer)).toEqual([403, 4]);
  expect(await send(`${path}/tokens`, viewer, 'POST', { scope: 'admin' })).toEqual([422, 3]);
  expect(await send(`${path}/tokens/tok_none`, viewer, 'DELETE')).toEqual([404, 2]);
  expect(await send(`${path}/tokens`, viewer)).toEqual([200, 1]);
});

test('does not count requests that are not served', async () => {
  const token = bearer(await edge.addMember('unserved', 'kim'));
  const path = '/api/v1/workspaces/unserved';
  const { url } = await edge.startGateway({ AUDIT_URL: 'http://127.0.0.1:1' });
  for (let index = 0; index < LIMIT; index += 1)
    expect((await fetch(`${url}${path}/audit-logs`, { headers: token })).status).toBe(503);
  const served: unknown[] = [];
  await waitFor('the limit again', async () => {
    const [status] = await send(`${path}/links`, token);
    if (status === 200) served.push(status);
    return served.length === LIMIT;
  });
  expect(await send(`${path}/links`, token)).toEqual([429, 0]);
});

test('counts requests with a method that their path does not have', async () => {
  const token = bearer(await edge.addMember('methods', 'jon'));
  const paths = ['/api/v1/workspaces/methods/links', '/api/workspaces/methods/links'];
  for (let left = LIMIT - 1; left >= 0; left -= 1) {
    expect(await send(paths[left % 2]!, token, 'DELETE')).toEqual([405, left]);
  }
  expect(await send(paths[0]!, token, 'DELETE')).toEqual([429, 0]);
  expect(await send(paths[0]!, token)).toEqual([429, 0]);

  expect(await send('/api/v1/user', token, 'DELETE')).toEqual([405, LIMIT - 1]);
  for (const credential of [bearer('wmk_unknown'), {}]) {
    expect(await send(paths[0]!, credential, 'DELETE')).toEqual([405, null]);
  }
});

test('a token on the route of another workspace gets the same answer for existing and unknown workspaces', async () => {
  await edge.addMember('known', 'hal');
  const token = bearer(await edge.addMember('own', 'ivy'));
  const messageOf = async (slug: string, headers: Record<string, string>) => {
    const response = await fetch(`${gateway.url}/api/v1/workspaces/${slug}/links`, { headers });
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    return [response.status, error.code, error.message];
  };
  for (const slug of ['known', 'unknown', 'OWN']) {
    const expected = [403, 'forbidden', 'This token belongs to another workspace.'];
    expect(await messageOf(slug, token)).toEqual(expected);
  }
  await edge.admin('member set', { workspace: 'known', email: 'ivy@example.com', role: 'owner' });
  expect((await messageOf('known', token))[2]).toBe('This token belongs to another workspace.');
  const session = await signIn('hal');
  for (const slug of ['own', 'unknown']) {
    expect((await messageOf(slug, session))[2]).toBe('You have no access to this workspace.');
  }
});
