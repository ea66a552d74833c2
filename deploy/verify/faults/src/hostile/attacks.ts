import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { importBomb, importOf, zerosBomb } from './bodies.js';
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
const SLOW_CONNECTIONS = 1500;

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
function slowBodies({ apiUrl }: AttackTarget): RunningAttack {
  const beginning =
    `POST /api/v1/session HTTP/1.1\r\nHost: ${new URL(apiUrl).hostname}\r\nX-Forwarded-For: 198.51.100.66\r\n` +
    'Content-Type: application/json\r\nContent-Length: 3000\r\n\r\n{';
  return onSockets(apiUrl, ({ open, all }) => {
    for (const socket of all) socket.write(' ');
    const added = Math.min(150, SLOW_CONNECTIONS - all.size);
    for (let count = 0; count < added; count += 1) open().write(beginning);
    return added;
  });
}

/** Of 9 MB each; every second one expands from 10 kB to as much. */
const hugeImport = ({ token }: AttackTarget, index: number) =>
  index % 2 === 0
    ? post(importOf(4500, `huge${index}`), { ...JSON_BODY, ...bearer(token) })
    : post(importBomb, { ...GZIP_BODY, ...bearer(token) });

/** Every attack by its name; each at a rate that one laptop can send. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  'anonymous: compressed bombs': flood(20, [413, 429], session, () => post(zerosBomb, GZIP_BODY)),
  'anonymous: slow bodies': { answers: [408, 429], start: slowBodies },
  'anonymous: unknown credentials': flood(
    500,
    [401, 429],
    (target) => inWorkspace(target, '/links'),
    () => ({ headers: bearer(`wmk_${randomBytes(30).toString('hex')}`) }),
  ),
  // The dearest request without a credential: each password is hashed.
  'anonymous: sign-ins': flood(50, [401, 429], session, (_, index) =>
    post(JSON.stringify({ email: `user${index}@example.com`, password: 'a wrong password' }), JSON_BODY),
  ),
  'anonymous: code guessing': flood(
    1000,
    [404, 429],
    ({ shortUrl }) => `${shortUrl}/${randomCode()}`,
    () => ({}),
  ),
  // Last, because its imports continue after the attack.
  'editor: huge imports': flood(1, [202, 413, 422], (target) => inWorkspace(target, '/links/import'), hugeImport),
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
