import { createConnection, type Connection } from 'mongoose';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '@waymark/testing/wait-for';
import { adminTargets } from '@waymark/auth/admin/context';
import { COMMANDS } from '@waymark/auth/admin/commands';
import { Fleet, type FleetOptions } from './fleet.js';

const LIMIT = 120;

interface Accepted {
  key: string;
  from: number;
  to: number;
  at: Date;
}
interface Sent {
  status: number;
  /** On the clock that the database also uses. */
  from: number;
  to: number;
  remaining: number;
}

let fleet: Fleet;
let db: Connection | undefined;
let token: string;
let members = 0;

async function admin(name: string, options: Record<string, string>): Promise<any> {
  return COMMANDS[name]!.run(adminTargets(fleet.backing), options);
}

/** Creates a user with an unused workspace. */
async function newMember(): Promise<string> {
  members += 1;
  const [slug, email] = [`limited-${members}`, `limited-${members}@example.com`];
  await admin('user create', { email, name: 'L', password: 'password of L' });
  await admin('workspace create', { slug, name: 'L', owner: email });
  const minted = await admin('token create', { workspace: slug, email, name: 'L', ability: 'read_write' });
  token = minted.plaintext_token;
  return slug;
}

async function start(options: FleetOptions): Promise<void> {
  // A fast machine sends more refused requests than one address may; that limit has its own test.
  const env = { UNAUTHENTICATED_REQUESTS_PER_MINUTE: '1000000', ...options.env };
  fleet = await Fleet.start({ ...options, env });
  db = await createConnection(fleet.backing.MONGODB_URI).asPromise();
}
afterEach(async () => {
  await db?.close();
  await fleet.stop();
});

let turn = 0;
async function send(slug: string): Promise<Sent> {
  turn += 1;
  const from = Date.now();
  const response = await fetch(`${fleet.gateways[turn % 2]!.url}/api/v1/workspaces/${slug}/links`, {
    headers: { authorization: `Bearer ${token}` },
  });
  await response.arrayBuffer();
  const remaining = Number(response.headers.get('x-ratelimit-remaining'));
  return { status: response.status, from, to: Date.now(), remaining };
}

const burst = (slug: string, count: number) => Promise.all(Array.from({ length: count }, () => send(slug)));
const countOf = (sent: Sent[], status: number) => sent.filter((one) => one.status === status).length;

/** Returns the stored times of the accepted requests, in order; the log must have no gap. */
async function acceptTimes(slug: string): Promise<number[]> {
  const rows = await db!
    .collection<Accepted>('accepted_requests')
    .find({ key: { $regex: `:${slug}$` } })
    .sort({ from: 1 })
    .toArray();
  rows.forEach((row, index) => expect(row.from).toBe(index === 0 ? 1 : rows[index - 1]!.to + 1));
  return rows.flatMap(({ from, to, at }) => Array<number>(to - from + 1).fill(at.getTime()));
}

const inWindow = (times: number[], end: number, windowMs: number) =>
  times.filter((time) => time > end - windowMs && time <= end).length;

/** Sends bursts until one meets a full window: on a slow machine a burst may outlast the window. */
async function sendUntilRefused(slug: string): Promise<Sent[]> {
  const sent: Sent[] = [];
  while (countOf(sent, 429) === 0) sent.push(...(await burst(slug, LIMIT + 30)));
  return sent;
}

/** Every 200 is in the log; a 503 may be too, because it timed out before a decision. */
function checkAccepted(sent: Sent[], times: number[]): void {
  expect(countOf(sent, 200) + countOf(sent, 429) + countOf(sent, 503)).toBe(sent.length);
  expect(times.length).toBeGreaterThanOrEqual(countOf(sent, 200));
  expect(times.length).toBeLessThanOrEqual(countOf(sent, 200) + countOf(sent, 503));
}

/** No window exceeds the limit, and each refusal happened while a window was full. */
function checkAgainstLog(sent: Sent[], times: number[], windowMs: number): void {
  checkAccepted(sent, times);
  const fullest = Math.max(...times.map((time) => inWindow(times, time, windowMs)));
  expect(fullest).toBeLessThanOrEqual(LIMIT);
  for (const { from, to } of sent.filter(({ status }) => status === 429)) {
    const moments = [from, to, ...times.filter((time) => time >= from && time <= to)];
    expect(Math.max(...moments.map((moment) => inWindow(times, moment, windowMs)))).toBe(LIMIT);
  }
  // The same from the client's view: requests that were certainly accepted within one window.
  const accepted = sent.filter(({ status }) => status === 200);
  for (const first of accepted) {
    const surely = accepted.filter(({ from, to }) => from >= first.from && to < first.from + windowMs);
    expect(surely.length).toBeLessThanOrEqual(LIMIT);
  }
}

test('500 requests at once over two gateways and two auths: exactly 120 pass, the rest is refused', async () => {
  await start({});
  for (let round = 0; round < 3; round += 1) {
    const slug = await newMember();
    const sent = await burst(slug, 500);
    const times = await acceptTimes(slug);
    expect(times.length).toBe(LIMIT);
    checkAccepted(sent, times);
    // Each response has a different remaining count: 119 to 0.
    const left = sent.filter(({ status }) => status === 200).map(({ remaining }) => remaining);
    expect(new Set(left).size).toBe(left.length);
    expect(left.every((one) => one >= 0 && one < LIMIT)).toBe(true);
  }
});

test.each([
  ['fast', 300_000],
  ['slow', -300_000],
])('one gateway and auth five minutes %s: still exactly 120 in each window', async (_how, clockOffMs) => {
  const windowMs = 4000;
  await start({ env: { RATE_LIMIT_WINDOW_MS: String(windowMs) }, clockOffMs });
  const slug = await newMember();
  const sent = await sendUntilRefused(slug);
  await waitFor('room', async () => sent.push(await send(slug)) && sent.at(-1)!.status === 200);
  sent.push(...(await sendUntilRefused(slug)));
  checkAgainstLog(sent, await acceptTimes(slug), windowMs);
});

test('driven for several windows: never more than 120 in any of them, never a refusal before', async () => {
  const windowMs = 2000;
  await start({ env: { RATE_LIMIT_WINDOW_MS: String(windowMs) } });
  const slug = await newMember();
  const sent: Sent[] = [];
  const endsAt = Date.now() + windowMs * 5;
  // Pauses, trickles and bursts, so that windows fill and drain at varying rates; longer on a slow machine.
  while (Date.now() < endsAt || countOf(sent, 200) <= LIMIT * 4) {
    sent.push(...(await burst(slug, 1 + Math.floor(Math.random() ** 3 * 150))));
    await sleep(Math.random() * 100);
  }
  expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([200, 429]));
  expect(countOf(sent, 200)).toBeGreaterThan(LIMIT * 4);
  checkAgainstLog(sent, await acceptTimes(slug), windowMs);
});
