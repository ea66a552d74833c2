import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { deepJson, importBomb, importOf, longUrl, surrogates, wideJson, zerosBomb } from './bodies.js';
import { OpenLoop } from './open-loop.js';
import { send, StatusCounts, type PlainRequest } from './plain-request.js';

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

type Attack = (target: AttackTarget) => RunningAttack;

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
  url: (target: AttackTarget, index: number) => string,
  request: (target: AttackTarget, index: number) => PlainRequest,
): Attack {
  return (target) => {
    const statuses = new StatusCounts();
    const loop = new OpenLoop(perSecond, async (index) => {
      const options = request(target, index);
      const { status } = await send(url(target, index), { ...options, headers: { ...ATTACKER, ...options.headers } });
      statuses.add(status);
    }).start();
    return {
      statuses,
      async stop() {
        await loop.stop();
        return { sent: loop.sent, skipped: loop.skipped };
      },
    };
  };
}

const post = (body: Buffer | string, headers: Record<string, string>): PlainRequest => ({
  method: 'POST',
  body,
  headers,
});

/** Opens a connection that is in `sockets` until it closes, and counts the status of each response on it. */
function openSocket({ hostname, port }: URL, sockets: Set<Socket>, statuses: StatusCounts): Socket {
  const socket = connect(Number(port), hostname);
  sockets.add(socket);
  socket.on('data', (bytes) => {
    for (const [, status] of bytes.toString('latin1').matchAll(/^HTTP\/1\.1 (\d{3})/gm)) statuses.add(Number(status));
  });
  socket.on('error', () => undefined);
  socket.on('close', () => sockets.delete(socket));
  return socket;
}

/** Connections that announce a body of 3 kB and send a byte a second. */
function slowBodies(path: (target: AttackTarget) => string, headers: (target: AttackTarget) => string): Attack {
  return (target) => {
    const statuses = new StatusCounts();
    const sockets = new Set<Socket>();
    const url = new URL(target.apiUrl);
    const { hostname } = url;
    let sent = 0;
    const open = () => {
      sent += 1;
      openSocket(url, sockets, statuses).write(
        `POST ${path(target)} HTTP/1.1\r\nHost: ${hostname}\r\nX-Forwarded-For: 198.51.100.66\r\n` +
          `Content-Type: application/json\r\nContent-Length: 3000\r\n${headers(target)}\r\n{`,
      );
    };
    const timer = setInterval(() => {
      for (const socket of sockets) socket.write(' ');
      for (let count = sockets.size, added = 0; count < SLOW_CONNECTIONS && added < 150; count += 1, added += 1) open();
    }, 1000);
    return {
      statuses,
      stop() {
        clearInterval(timer);
        for (const socket of sockets) socket.destroy();
        return Promise.resolve({ sent, skipped: 0 });
      },
    };
  };
}

/** Visits of a link whose whole query has to be escaped, pipelined on many connections, all of them at once each second. */
const burstsOfVisits: Attack = ({ shortUrl, code }) => {
  const statuses = new StatusCounts();
  const url = new URL(shortUrl);
  const path = `/${code}?${'<'.repeat(7900)}`;
  const visits = `GET ${path} HTTP/1.1\r\nHost: ${url.host}\r\nX-Forwarded-For: 198.51.100.66\r\n\r\n`.repeat(
    PIPELINED,
  );
  const sockets = new Set<Socket>();
  let sent = 0;
  const timer = setInterval(() => {
    for (const socket of sockets) socket.write(visits, 'latin1');
    sent += PIPELINED * sockets.size;
    while (sockets.size < BURST_CONNECTIONS) openSocket(url, sockets, statuses);
  }, 1000);
  return {
    statuses,
    stop() {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
      return Promise.resolve({ sent, skipped: 0 });
    },
  };
};

const manyHeaders = Object.fromEntries(
  Array.from({ length: 90 }, (_, index) => [`x-filler-${index}`, 'f'.repeat(150)]),
);
const hugeImport = (target: AttackTarget, index: number) =>
  post(importOf(4500, `huge${index}`), { ...JSON_BODY, ...bearer(target.token) });

/** Every attack by its name; each at a rate that one laptop can send. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  'anonymous: compressed bombs': flood(20, session, () => post(zerosBomb, GZIP_BODY)),
  'anonymous: lone surrogates': flood(20, session, () => post(surrogates, GZIP_BODY)),
  'anonymous: deep and wide JSON': flood(60, session, (_, index) => post(index % 2 ? deepJson : wideJson, JSON_BODY)),
  'anonymous: slow bodies': slowBodies(
    () => '/api/v1/session',
    () => '',
  ),
  'anonymous: bad cookies': flood(
    200,
    (target) => inWorkspace(target, '/links'),
    () => ({ headers: { cookie: `__Host-waymark_session=${randomBytes(32).toString('base64url')}` } }),
  ),
  'anonymous: bad tokens': flood(
    200,
    (target) => inWorkspace(target, '/links'),
    () => ({ headers: bearer(`wmk_${randomBytes(30).toString('hex')}`) }),
  ),
  // The dearest request without a credential: each password is hashed.
  'anonymous: sign-ins': flood(50, session, (_, index) =>
    post(JSON.stringify({ email: `user${index}@example.com`, password: 'a wrong password' }), JSON_BODY),
  ),
  'anonymous: guessed links of invitations': flood(
    200,
    ({ apiUrl }) => `${apiUrl}/api/v1/invitations/${randomBytes(32).toString('base64url')}`,
    () => ({}),
  ),
  // The largest public answer, compressed for each request.
  'anonymous: the OpenAPI document': flood(
    50,
    ({ apiUrl }) => `${apiUrl}/api/v1/openapi.json`,
    () => ({ headers: { 'accept-encoding': 'br' } }),
  ),
  'anonymous: header flood': flood(100, session, () => ({ headers: manyHeaders })),
  'anonymous: code guessing': flood(
    300,
    ({ shortUrl }) => `${shortUrl}/${randomCode()}`,
    () => ({}),
  ),
  'anonymous: bursts of pipelined visits': burstsOfVisits,
  'viewer: bombs on every route': flood(
    20,
    (target, index) => inWorkspace(target, ['/links', '/analytics/summary', '/conversions', '/tags'][index % 4]!),
    (target, index) => ({
      ...post(zerosBomb, { ...GZIP_BODY, ...bearer(target.token) }),
      ...(index % 4 === 1 && { method: 'GET' }),
    }),
  ),
  'viewer: slow bodies': slowBodies(
    ({ workspace }) => `/api/v1/workspaces/${workspace}/conversions`,
    ({ token }) => `Authorization: Bearer ${token}\r\n`,
  ),
  'editor: import bombs': flood(
    4,
    (target) => inWorkspace(target, '/links/import'),
    (target) => post(importBomb, { ...GZIP_BODY, ...bearer(target.token) }),
  ),
  'editor: long URLs': flood(
    30,
    (target) => inWorkspace(target, '/links'),
    (target, index) =>
      post(JSON.stringify({ destination_url: longUrl(index) }), { ...JSON_BODY, ...bearer(target.token) }),
  ),
  'editor: 60,000 folders': flood(
    300,
    (target) => inWorkspace(target, '/folders'),
    (target, index) =>
      post(JSON.stringify({ name: `folder ${index}`, description: 'd'.repeat(200) }), {
        ...JSON_BODY,
        ...bearer(target.token),
      }),
  ),
  // Last, because its imports continue after the attack.
  'editor: huge imports': flood(0.5, (target) => inWorkspace(target, '/links/import'), hugeImport),
};

/** The links of a heavily used workspace: it has so many imports of so many rows. */
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
    ({ shortUrl }, index) => `${shortUrl}/${heavyCodeAt(index)}`,
    (_, index) => ({
      headers: { 'x-forwarded-for': `198.18.${index % 250}.1`, 'user-agent': 'Mozilla/5.0 Firefox/140.0' },
    }),
  ),
};
