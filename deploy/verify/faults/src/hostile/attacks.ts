import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { deepJson, importBomb, importOf, longUrl, surrogates, wideJson, zerosBomb } from './bodies.js';
import { OpenLoop } from './open-loop.js';
import { send, StatusCounts, type PlainRequest, type PlainResponse } from './plain-request.js';

/** The target of an attack, and its credentials. */
export interface AttackTarget {
  apiUrl: string;
  shortUrl: string;
  workspace: string;
  /** The public short code of a link in another workspace. */
  code: string;
  /** Empty for attacks without a credential. */
  token: string;
}

export interface RunningAttack {
  statuses: StatusCounts;
  stop(): Promise<{ sent: number; skipped: number }>;
}

interface Attack {
  /**
   * Every status that the system must answer to it, and no other: the attack reaches what it is about. What a member sends
   * waits: without a 429 here it may be refused with 429 or 503, or not, by the speed of the machine.
   */
  answers: readonly number[];
  start: (target: AttackTarget) => RunningAttack;
}

/** One laptop has one address. */
const ATTACKER = { 'x-forwarded-for': '198.51.100.66' };
const JSON_BODY = { 'content-type': 'application/json' };
const GZIP_BODY = { ...JSON_BODY, 'content-encoding': 'gzip' };
const SLOW_CONNECTIONS = 1100;
/** As many as one visitor may have at the redirect. */
const BURST_CONNECTIONS = 256;
/** As many requests as a connection may have without their answers. */
const PIPELINED = 4;

const session = ({ apiUrl }: AttackTarget) => `${apiUrl}/api/v1/session`;
const inWorkspace = ({ apiUrl, workspace }: AttackTarget, path: string) =>
  `${apiUrl}/api/v1/workspaces/${workspace}${path}`;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const randomCode = () => randomBytes(6).toString('base64url').slice(0, 7);

/** The same request at a fixed rate. */
function flood(
  perSecond: number,
  answers: readonly number[],
  url: (target: AttackTarget, index: number) => string,
  request: (target: AttackTarget, index: number) => PlainRequest,
): Attack {
  const requests = (target: AttackTarget) => (index: number) =>
    send(url(target, index), fromAttacker(request(target, index)));
  return { answers, start: (target) => startFlood(perSecond, requests(target)) };
}

const fromAttacker = (options: PlainRequest): PlainRequest => ({
  ...options,
  headers: { ...ATTACKER, ...options.headers },
});

function startFlood(perSecond: number, request: (index: number) => Promise<PlainResponse>): RunningAttack {
  const statuses = new StatusCounts();
  const loop = new OpenLoop(perSecond, async (index) => statuses.add((await request(index)).status)).start();
  return {
    statuses,
    async stop() {
      await loop.stop();
      return { sent: loop.sent, skipped: loop.skipped };
    },
  };
}

const post = (body: Buffer | string, headers: Record<string, string>): PlainRequest => ({
  method: 'POST',
  body,
  headers,
});

interface AttackSockets {
  open: () => Socket;
  /** Those that are open. */
  all: ReadonlySet<Socket>;
}

/**
 * Uses connections once a second, and counts the status of each response on them.
 * @param use returns how many requests it has sent
 */
function onSockets(url: string, use: (sockets: AttackSockets) => number): RunningAttack {
  const { hostname, port } = new URL(url);
  const statuses = new StatusCounts();
  const all = new Set<Socket>();
  const open = () => {
    const socket = connect(Number(port), hostname);
    all.add(socket);
    socket.on('data', (bytes) => {
      for (const [, status] of bytes.toString('latin1').matchAll(/^HTTP\/1\.1 (\d{3})/gm)) statuses.add(Number(status));
    });
    socket.on('error', () => undefined);
    socket.on('close', () => all.delete(socket));
    return socket;
  };
  let sent = 0;
  const timer = setInterval(() => (sent += use({ open, all })), 1000);
  return {
    statuses,
    stop() {
      clearInterval(timer);
      for (const socket of all) socket.destroy();
      return Promise.resolve({ sent, skipped: 0 });
    },
  };
}

/** Connections that announce a body of 3 kB and send a byte a second. */
function slowBodies(path: (target: AttackTarget) => string, headers: (target: AttackTarget) => string): Attack {
  const start = (target: AttackTarget) => {
    const { hostname } = new URL(target.apiUrl);
    const beginning =
      `POST ${path(target)} HTTP/1.1\r\nHost: ${hostname}\r\nX-Forwarded-For: 198.51.100.66\r\n` +
      `Content-Type: application/json\r\nContent-Length: 3000\r\n${headers(target)}\r\n{`;
    return onSockets(target.apiUrl, ({ open, all }) => {
      for (const socket of all) socket.write(' ');
      const added = Math.min(150, SLOW_CONNECTIONS - all.size);
      for (let count = 0; count < added; count += 1) open().write(beginning);
      return added;
    });
  };
  return { answers: [408, 429], start };
}

/** Visits of a link whose whole query has to be escaped, pipelined on many connections, all of them at once each second. */
function burstsOfVisits({ shortUrl, code }: AttackTarget): RunningAttack {
  const path = `/${code}?${'<'.repeat(7900)}`;
  const visit = `GET ${path} HTTP/1.1\r\nHost: ${new URL(shortUrl).host}\r\nX-Forwarded-For: 198.51.100.66\r\n\r\n`;
  const visits = visit.repeat(PIPELINED);
  return onSockets(shortUrl, ({ open, all }) => {
    for (const socket of all) socket.write(visits, 'latin1');
    const sent = PIPELINED * all.size;
    while (all.size < BURST_CONNECTIONS) open();
    return sent;
  });
}

/** Links that one attacker creates to change all of them at once. */
const LINKS_OF_BULK = 60;

/** The costliest calls of an editor: changes of many links, searches for many words, large images and exports. */
function costlyCalls(target: AttackTarget): RunningAttack {
  const headers = { ...JSON_BODY, ...bearer(target.token) };
  const ids: string[] = [];
  const call = (path: string, options: PlainRequest = { headers }) =>
    send(inWorkspace(target, path), fromAttacker(options));
  const create = async (index: number) => {
    const answer = await call('/links', post(JSON.stringify({ destination_url: longUrl(index) }), headers));
    if (answer.status === 201) ids.push((JSON.parse(answer.text) as { data: { id: string } }).data.id);
    return answer;
  };
  const calls = [
    (index: number) =>
      call('/links/bulk', post(JSON.stringify({ ids, action: index % 8 ? 'archive' : 'reactivate' }), headers)),
    () => call('/links?per_page=100&search=a1+example+com+https+heavy+folder+huge+member'),
    () => call(`/links/${ids[0]}/qr?format=png&size=2048&error_correction=H`),
    () => call('/links/export'),
  ];
  return startFlood(20, (index) => (index < LINKS_OF_BULK ? create(index) : calls[index % calls.length]!(index)));
}

/** Exports whose responses are never read, pipelined on many connections. */
function unreadExports({ apiUrl, workspace, token }: AttackTarget): RunningAttack {
  const request =
    `GET /api/v1/workspaces/${workspace}/links/export HTTP/1.1\r\nHost: ${new URL(apiUrl).host}\r\n` +
    `X-Forwarded-For: 198.51.100.66\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  return onSockets(apiUrl, ({ open, all }) => {
    const added = Math.min(8, BURST_CONNECTIONS - all.size);
    for (let count = 0; count < added; count += 1) {
      const socket = open();
      socket.write(request.repeat(PIPELINED), 'latin1');
      // The first status is seen, and nothing after it.
      socket.once('data', () => socket.pause());
    }
    return added * PIPELINED;
  });
}

const DIMENSIONS = 'country,region,city,browser,os,device,referrer,language,campaign,link,tag,folder,domain';
const VIEWED = [
  '/analytics/export',
  `/analytics/breakdowns?dimensions=${DIMENSIONS}&limit=100`,
  '/links/export',
  '/analytics/scans?per_page=100',
  '/analytics/filters',
];
const manyHeaders = Object.fromEntries(
  Array.from({ length: 90 }, (_, index) => [`x-filler-${index}`, 'f'.repeat(150)]),
);
const hugeImport = (target: AttackTarget, index: number) =>
  post(importOf(4500, `huge${index}`), { ...JSON_BODY, ...bearer(target.token) });

/** Every attack by its name; each at a rate that one laptop can send. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  'anonymous: compressed bombs': flood(20, [413, 429], session, () => post(zerosBomb, GZIP_BODY)),
  'anonymous: lone surrogates': flood(20, [413, 429], session, () => post(surrogates, GZIP_BODY)),
  'anonymous: deep and wide JSON': flood(60, [413, 429], session, (_, index) =>
    post(index % 2 ? deepJson : wideJson, JSON_BODY),
  ),
  'anonymous: slow bodies': slowBodies(
    () => '/api/v1/session',
    () => '',
  ),
  'anonymous: bad cookies': flood(
    200,
    [401, 429],
    (target) => inWorkspace(target, '/links'),
    () => ({ headers: { cookie: `__Host-waymark_session=${randomBytes(32).toString('base64url')}` } }),
  ),
  'anonymous: bad tokens': flood(
    500,
    [401, 429],
    (target) => inWorkspace(target, '/links'),
    () => ({ headers: bearer(`wmk_${randomBytes(30).toString('hex')}`) }),
  ),
  // The dearest request without a credential: each password is hashed.
  'anonymous: sign-ins': flood(50, [401, 429], session, (_, index) =>
    post(JSON.stringify({ email: `user${index}@example.com`, password: 'a wrong password' }), JSON_BODY),
  ),
  'anonymous: guessed links of invitations': flood(
    200,
    [404, 429],
    ({ apiUrl }) => `${apiUrl}/api/v1/invitations/${randomBytes(32).toString('base64url')}`,
    () => ({}),
  ),
  // The largest public answer, compressed for each request.
  'anonymous: the OpenAPI document': flood(
    50,
    [200, 429],
    ({ apiUrl }) => `${apiUrl}/api/v1/openapi.json`,
    () => ({ headers: { 'accept-encoding': 'br' } }),
  ),
  'anonymous: header flood': flood(100, [405, 429], session, () => ({ headers: manyHeaders })),
  'anonymous: code guessing': flood(
    1000,
    [404, 429],
    ({ shortUrl }) => `${shortUrl}/${randomCode()}`,
    () => ({}),
  ),
  'anonymous: bursts of pipelined visits': { answers: [302], start: burstsOfVisits },
  'viewer: bombs on every route': flood(
    20,
    [400, 403, 413],
    (target, index) => inWorkspace(target, ['/links', '/analytics/summary', '/conversions', '/tags'][index % 4]!),
    (target, index) => ({
      ...post(zerosBomb, { ...GZIP_BODY, ...bearer(target.token) }),
      ...(index % 4 === 1 && { method: 'GET' }),
    }),
  ),
  'viewer: slow bodies': {
    ...slowBodies(
      ({ workspace }) => `/api/v1/workspaces/${workspace}/conversions`,
      ({ token }) => `Authorization: Bearer ${token}\r\n`,
    ),
    answers: [408],
  },
  'analyst: exports and breakdowns': flood(
    20,
    [200],
    (target, index) => inWorkspace(target, VIEWED[index % VIEWED.length]!),
    ({ token }) => ({ headers: bearer(token) }),
  ),
  'viewer: unread exports': { answers: [200], start: unreadExports },
  'editor: costly calls': { answers: [200, 201], start: costlyCalls },
  'editor: import bombs': flood(
    4,
    [413],
    (target) => inWorkspace(target, '/links/import'),
    (target) => post(importBomb, { ...GZIP_BODY, ...bearer(target.token) }),
  ),
  'editor: long URLs': flood(
    30,
    [201],
    (target) => inWorkspace(target, '/links'),
    (target, index) =>
      post(JSON.stringify({ destination_url: longUrl(index) }), { ...JSON_BODY, ...bearer(target.token) }),
  ),
  'editor: 60,000 folders': flood(
    300,
    [201],
    (target) => inWorkspace(target, '/folders'),
    (target, index) =>
      post(JSON.stringify({ name: `folder ${index}`, description: 'd'.repeat(200) }), {
        ...JSON_BODY,
        ...bearer(target.token),
      }),
  ),
  // Last, because its imports continue after the attack.
  'editor: huge imports': flood(0.5, [202, 422], (target) => inWorkspace(target, '/links/import'), hugeImport),
};

/** The links of a heavily used workspace: how many imports it has, and how many rows each. */
export const HEAVY_LINKS = { imports: 12, rows: 4200 };
export const heavyCode = (number: number, row: number): string => `heavy${number}-${row}`;
export const HEAVY_VISITS = 'visits to heavily used links';
export const HEAVY_VISITS_PER_SECOND = 1000;

const heavyCodeAt = (index: number): string =>
  heavyCode(index % HEAVY_LINKS.imports, Math.floor(index / HEAVY_LINKS.imports) % HEAVY_LINKS.rows);

/** Everything that a process of its own sends, by name. */
export const LOADS: Readonly<Record<string, Attack>> = {
  ...ATTACKS,
  [HEAVY_VISITS]: flood(
    HEAVY_VISITS_PER_SECOND,
    [302],
    ({ shortUrl }, index) => `${shortUrl}/${heavyCodeAt(index)}`,
    (_, index) => ({
      headers: { 'x-forwarded-for': `198.18.${index % 250}.1`, 'user-agent': 'Mozilla/5.0 Firefox/140.0' },
    }),
  ),
};
