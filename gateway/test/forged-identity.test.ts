import { Agent } from 'node:http';
import { IDENTITY_HEADER } from '@waymark/kernel/http/identity';
import { IdentityKeys } from '@waymark/testing/keys';
import { waitFor } from '@waymark/testing/wait-for';
import { inParallel, send, sendRaw } from './client.js';
import { FORGERIES, ownerOf, sign, UNBOUND, type Signed } from './forgeries.js';
import { identityIn, type Arrival } from './observer.js';
import {
  ANY_BODY,
  doorwaysOf,
  isInternal,
  SERVICES,
  startService,
  type Doorway,
  type RunningService,
} from './services.js';
import { World } from './world.js';

const LINKS = '/api/v1/workspaces/acme/links';

describe('through the gateway', () => {
  let world: World;
  let requests = 0;
  /** The strongest forgery: a genuine signature for an owner. */
  let forged: string;

  beforeAll(async () => {
    world = await World.start(['links']);
    forged = sign(world.keys.keyOf('resource'), {
      service: 'resource',
      identity: ownerOf('acme'),
      request: { method: 'GET', url: LINKS },
    });
  });
  afterAll(() => world.stop());

  interface Attack {
    line?: string;
    headers?: (forged: string) => string[];
    body?: string;
    /** The status for the viewer, who gets 200 when the request is let through. */
    status: number;
  }

  async function attempt({ line = `GET ${LINKS}`, headers, body = '' }: Attack, authorization: string[]) {
    const id = `attack-${(requests += 1)}`;
    const all = [`X-Request-Id: ${id}`, ...authorization, ...(headers?.(forged) ?? [])];
    const connection = all.some((header) => /^connection:/i.test(header)) ? [] : ['Connection: close'];
    const head = [`${line} HTTP/1.1`, 'Host: api.test', ...connection, ...all].join('\r\n');
    const answer = await sendRaw(world.urlOf('links'), `${head}\r\n\r\n${body}`);
    return { status: Number(answer.slice(9, 12)), arrivals: world.observer.of(id) };
  }

  /** The service sees the viewer's own identity, once, for the workspace of the request. */
  function expectViewer(arrival: Arrival): void {
    const viewer = world.people.viewer;
    expect(arrival.names.filter((name) => /^x[-_]waymark/i.test(name))).toEqual([IDENTITY_HEADER]);
    const { actor, workspace } = identityIn(arrival, world.keys);
    expect([actor.id, actor.token_id]).toEqual([viewer.id, viewer.tokens.read_write.id]);
    expect([workspace?.slug, workspace?.role]).toEqual(['acme', 'viewer']);
    expect(new URL(arrival.url, 'http://service').pathname).toMatch(/^\/api\/v1\/workspaces\/acme(\/|$)/);
  }

  const named = (name: string): Attack => ({ headers: (value) => [`${name}: ${value}`], status: 200 });
  const lines = (status: number, ...given: string[]): Attack => ({ headers: () => given, status });
  const asked = (status: number, line: string): Attack => ({ line, ...named(IDENTITY_HEADER), status });
  const ATTACKS: Record<string, Attack> = {
    'the header': named(IDENTITY_HEADER),
    'the header in capitals': named(IDENTITY_HEADER.toUpperCase()),
    'the header with underscores': named('x_waymark_identity'),
    'the header with one underscore': named('X-Waymark_Identity'),
    'the header twice': { headers: (value) => [`${IDENTITY_HEADER}: ${value}`, `${IDENTITY_HEADER}: a`], status: 200 },
    'the header in two spellings': {
      headers: (value) => [`x_waymark_identity: ${value}`, `X-Waymark-Identity: ${value}`],
      status: 200,
    },
    'the header with a space before its colon': { ...named(`${IDENTITY_HEADER} `), status: 400 },
    'the header named by Connection': {
      headers: (value) => [`Connection: close, ${IDENTITY_HEADER}`, `${IDENTITY_HEADER}: ${value}`],
      status: 200,
    },
    'a header of ours named by Connection': lines(200, `Connection: close, ${IDENTITY_HEADER}, x-request-id`),
    'the header folded into another': {
      headers: (value) => [`X-Other: a\r\n ${IDENTITY_HEADER}: ${value}`],
      status: 400,
    },
    'the header behind a bare carriage return': {
      headers: (value) => [`X-Other: a\r${IDENTITY_HEADER}: ${value}`],
      status: 400,
    },
    'the header behind a bare line feed': {
      headers: (value) => [`X-Other: a\n${IDENTITY_HEADER}: ${value}`],
      status: 400,
    },
    'the header as a trailer': {
      headers: () => ['Transfer-Encoding: chunked', `Trailer: ${IDENTITY_HEADER}`],
      body: `0\r\n${IDENTITY_HEADER}: forged\r\n\r\n`,
      status: 200,
    },
    'the identity as a cookie': lines(200, `Cookie: ${IDENTITY_HEADER}=forged`),
    'the identity in the query': asked(200, `GET ${LINKS}?${IDENTITY_HEADER}=forged`),
    'other names of ours': lines(200, 'X-Waymark-Role: owner', 'X_Waymark_Workspace: globex'),
    'names that other proxies use': lines(
      200,
      'X-Forwarded-User: owner@example.com',
      'X-Forwarded-Host: evil.test',
      'X-Forwarded-Prefix: /api/v1/workspaces/globex',
      'X-Forwarded-For: owner',
      'Forwarded: for=owner',
      'X-Original-URL: /api/v1/workspaces/globex/links',
      'X-Rewrite-URL: /api/v1/workspaces/globex/links',
    ),
    'another method in a header': lines(
      200,
      'X-HTTP-Method-Override: DELETE',
      'X-HTTP-Method: DELETE',
      'X-Method-Override: DELETE',
    ),
    'a whole URL': asked(200, `GET http://evil.test${LINKS}`),
    'a whole URL of another workspace': asked(403, 'GET http://evil.test/api/v1/workspaces/globex/links'),
    'two slashes in front': asked(404, `GET /${LINKS}`),
    'two slashes within': asked(404, 'GET /api/v1//workspaces/acme/links'),
    'dots to another workspace': asked(404, 'GET /api/v1/workspaces/acme/../globex/links'),
    'encoded dots to another workspace': asked(404, 'GET /api/v1/workspaces/acme/%2e%2e/globex/links'),
    'encoded dots in place of an id': asked(200, `GET ${LINKS}/%2e%2e`),
    'encoded dots and slashes in place of an id': asked(200, `GET ${LINKS}/..%2f..%2fglobex%2flinks`),
    'encoded dots and slashes in place of a workspace': asked(403, 'GET /api/v1/workspaces/globex%2f..%2facme/links'),
    'a backslash': asked(403, 'GET /api/v1/workspaces/acme\\..\\globex\\links'),
    'a fragment': asked(200, `GET ${LINKS}#/../../globex/links`),
    'the door between gateway and auth': asked(404, 'POST /internal/authorize'),
    'the way to it by dots': asked(404, 'POST /api/v1/../../internal/authorize'),
    'two lengths': lines(400, 'Content-Length: 5', 'Transfer-Encoding: chunked'),
    'an unknown encoding': lines(400, 'Transfer-Encoding: xchunked'),
    'an encoding with a space before its colon': lines(400, 'Transfer-Encoding : chunked'),
  };

  test.each(Object.entries(ATTACKS))('%s never changes who the caller is', async (_name, attack) => {
    const { viewer } = world.people;
    const asViewer = await attempt(attack, [`Authorization: Bearer ${viewer.tokens.read_write.plaintext}`]);
    expect(asViewer.status).toBe(attack.status);
    expect(asViewer.arrivals.length).toBe(attack.status === 200 ? 1 : 0);
    asViewer.arrivals.forEach(expectViewer);

    const asNobody = await attempt(attack, []);
    expect(asNobody.status).toBe([400, 404].includes(attack.status) ? attack.status : 401);
    expect(asNobody.arrivals).toEqual([]);
  });

  const LENGTHS: Record<string, (body: string) => [header: string, body: string]> = {
    'of a given length': (body) => [`Content-Length: ${body.length}`, body],
    'in chunks': (body) => ['Transfer-Encoding: chunked', `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`],
    'in chunks of something': (body) => [
      'Transfer-Encoding: identity, chunked',
      `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    ],
  };
  const METHODS = { GET: LINKS, HEAD: LINKS, POST: LINKS, PATCH: `${LINKS}/lnk_none`, DELETE: `${LINKS}/lnk_none` };
  const BODIES = Object.entries(METHODS).flatMap(([method, path]) =>
    Object.keys(LENGTHS).map((how) => [method, path, how] as const),
  );

  test.each(BODIES)('the body of a %s %s %s is never taken for a request', async (method, path, how) => {
    const { owner, viewer } = world.people;
    const before = world.observer.all.length;
    const [length, body] = LENGTHS[how]!(`DELETE ${LINKS}/lnk_hidden HTTP/1.1\r\nHost: a\r\nX-Other: `);
    const head = (line: string, ...headers: string[]) =>
      [`${line} HTTP/1.1`, 'Host: a', ...headers, '', ''].join('\r\n');
    const bearer = (token: string) => `Authorization: Bearer ${token}`;
    const first = head(`${method} ${path}`, bearer(owner.tokens.read_write.plaintext), length) + body;
    // The gateway answers this request itself, so the first connection to the service stays open.
    await sendRaw(world.urlOf('links'), first + head('GET /nowhere', 'Connection: close'));
    // Another user's request on the same upstream connection.
    const next = head(`GET ${LINKS}`, bearer(viewer.tokens.read_write.plaintext), 'Connection: close');
    expect(await sendRaw(world.urlOf('links'), next)).toMatch(/^HTTP\/1.1 200 /);
    const seen = world.observer.all.slice(before).map((arrival) => `${arrival.method} ${arrival.url}`);
    // The gateway rejects requests with an unsupported transfer coding.
    const passedOn = how === 'in chunks of something' ? [] : [`${method} ${path}`];
    expect(seen).toEqual([...passedOn, `GET ${LINKS}`]);
  });
});

const keyOf = ({ method, path }: Doorway): string => `${method} ${path}`;
/** Auth shows the user, or asks when the session signed in: the owner of these tests is in no database. */
const NEED_THE_ACCOUNT = new Set([
  'GET /api/v1/user',
  'PATCH /api/v1/user',
  'POST /api/v1/user/totp',
  'DELETE /api/v1/sessions',
]);

describe.each(SERVICES)('at the port of %s', (name) => {
  const identityKeys = new IdentityKeys();
  const own = identityKeys.keyOf(name);
  const otherService = SERVICES.find((each) => each !== name)!;
  const keys = { own, other: { service: otherService, key: identityKeys.keyOf(otherService) } };
  // Accepted too, as during a key rotation.
  const nextKey = new IdentityKeys().keyOf(name);
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const doorways = doorwaysOf(name);
  let service: RunningService;

  beforeAll(async () => {
    service = await startService(name, `${own},${nextKey}`);
    const [first] = doorways;
    const identity = sign(own, signedFor(first!, 'acme'));
    await waitFor('the database', async () => (await ask(first!, identity)).status < 500);
  });
  afterAll(async () => {
    agent.destroy();
    await service.stop();
  });

  const hasBody = ({ method }: Doorway) => method === 'POST' || method === 'PATCH';
  /** What the gateway signs for a call of this route. */
  const signedFor = (doorway: Doorway, workspace: string | null, body = ANY_BODY): Signed => ({
    service: name,
    identity: ownerOf(workspace),
    request: { method: doorway.method, url: doorway.path, ...(hasBody(doorway) && { body }) },
  });
  const signedForMember = (doorway: Doorway, body?: string) =>
    signedFor(doorway, doorway.isInWorkspace ? 'acme' : null, body);

  function ask(doorway: Doorway, identity: string | undefined, body = ANY_BODY) {
    const { method, path } = doorway;
    const headers = {
      ...(identity !== undefined && { [IDENTITY_HEADER]: identity }),
      ...(hasBody(doorway) && { 'content-type': 'application/json' }),
      authorization: `Bearer ${identity}`,
    };
    return send(agent, service.url + path, { method, headers, ...(hasBody(doorway) && { body }) });
  }

  /** Calls every route; reports each answer with another status, and each change of data. */
  async function problemsOf(identityFor: (doorway: Doorway) => string | undefined, status: number, at = doorways) {
    const before = await service.content();
    const problems = await inParallel(at, 8, async (doorway) => {
      const answer = await ask(doorway, identityFor(doorway));
      return answer.status === status ? [] : [`${doorway.method} ${doorway.path} said ${answer.status}`];
    });
    if ((await service.content()) !== before) problems.push(['something was stored']);
    return problems.flat();
  }

  test.each(Object.entries(FORGERIES))('%s is refused at every route, and nothing happens', async (_what, forge) => {
    expect(await problemsOf((doorway) => forge(keys, signedForMember(doorway)), 401)).toEqual([]);
  });

  test('an identity that expires on the way is refused as what came too late, and nothing happens', async () => {
    const late = (doorway: Doorway) => sign(own, signedForMember(doorway), { expiresIn: -1 });
    expect(await problemsOf(late, 503)).toEqual([]);
  });

  test.each(['globex', 'ACME', 'acme ', '', null])(
    "an identity for the workspace '%s' is refused at another's routes, and nothing happens",
    async (workspace) => {
      const identityOf = (doorway: Doorway) => sign(own, signedFor(doorway, workspace));
      const inWorkspace = doorways.filter((doorway) => doorway.isInWorkspace);
      expect(await problemsOf(identityOf, 403, inWorkspace)).toEqual([]);
    },
  );

  test('an identity that the gateway signs for a caller opens no route that is for the gateway alone', async () => {
    const identityOf = (doorway: Doorway) => sign(own, signedFor(doorway, null));
    expect(await problemsOf(identityOf, 401, doorways.filter(isInternal))).toEqual([]);
  });

  test.each(Object.entries(UNBOUND))('%s is refused at every route, and nothing happens', async (_what, forge) => {
    expect(await problemsOf((doorway) => forge(keys, signedForMember(doorway)), 401)).toEqual([]);
  });

  test('an identity that the gateway signs for one body is refused with another one, and without one', async () => {
    const withBody = doorways.filter((doorway) => hasBody(doorway) && !isInternal(doorway));
    const forOther = (doorway: Doorway) => sign(own, signedForMember(doorway, '{"other":1}'));
    expect(await problemsOf(forOther, 401, withBody)).toEqual([]);
    const forNone = (doorway: Doorway) => {
      const { request, ...signed } = signedForMember(doorway);
      return sign(own, { ...signed, request: { method: request!.method, url: request!.url } });
    };
    expect(await problemsOf(forNone, 401, withBody)).toEqual([]);
  });

  test.each([
    ['its key', own],
    ['the key that follows it', nextKey],
  ])('what the gateway signs with %s is let in at every route', async (_which, key) => {
    const all = doorways.filter((doorway) => !NEED_THE_ACCOUNT.has(keyOf(doorway)) && !isInternal(doorway));
    const statuses = await inParallel(all, 8, async (doorway) => {
      const identity = sign(key, signedForMember(doorway, '{}'));
      return [keyOf(doorway), (await ask(doorway, identity, '{}')).status] as const;
    });
    expect(statuses.filter(([, status]) => status === 401 || status === 403)).toEqual([]);
  });
});
