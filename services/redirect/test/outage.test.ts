import { fork } from 'node:child_process';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { linkArchived, linkCreated, linkUpdated } from '@waymark/contract/events';
import { freshBacking } from '@waymark/testing/backing';
import { freePorts } from '@waymark/stack/ports';
import { waitFor } from '@waymark/testing/wait-for';
import {
  Cable,
  Neighbours,
  NO_BROKER,
  NO_DATABASE,
  sampleLink,
  startRedirect,
  temporaryDirectory,
  visitUrl,
  type TestRedirect,
} from './support.js';

const backing = freshBacking();
let neighbours: Neighbours;
let spool: ReturnType<typeof temporaryDirectory>;
const running: TestRedirect[] = [];

beforeAll(async () => {
  neighbours = await new Neighbours(backing).start();
});
afterAll(() => neighbours.stop());
beforeEach(() => {
  spool = temporaryDirectory();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((redirect) => redirect.stop()));
  spool.remove();
});

async function startOne(env: Record<string, string> = {}): Promise<TestRedirect> {
  const redirect = await startRedirect({ ...backing, SPOOL_DIR: spool.path, ...env });
  running.push(redirect);
  return redirect;
}

/** A link that the read model in the database knows. */
async function storedLink() {
  const other = temporaryDirectory();
  const redirect = await startRedirect({ ...backing, SPOOL_DIR: other.path });
  const link = sampleLink();
  await waitFor('the queues', () => neighbours.tell(linkCreated, link).then(() => true));
  await waitFor('the link', async () => (await visitUrl(`${redirect.url}/${link.short_code}`)).status === 302);
  await waitFor('the scan', () => neighbours.scansOf(link).length === 1);
  await redirect.stop();
  other.remove();
  neighbours.batches.length = 0;
  return link;
}

/** A request that waits for an absent server takes longer; an answer comes within 250 ms if a core is free. */
const HANGS_MS = 5000;
const STOP_DEADLINE_MS = 20_000;

const statusOf = async (redirect: TestRedirect, code: string) => (await visitUrl(`${redirect.url}/${code}`)).status;

describe('without a broker', () => {
  test('a known code redirects, its scans wait in the spool, and the next process ships them', async () => {
    const link = await storedLink();
    const alone = await startOne({ AMQP_URL: NO_BROKER });
    expect(await alone.ready()).toBe(true);
    await waitFor('the database', async () => (await statusOf(alone, link.short_code)) === 302);
    for (let i = 0; i < 49; i += 1) expect(await statusOf(alone, link.short_code)).toBe(302);
    expect(await alone.metric('spool_bytes')).toBeGreaterThan(0);
    await running.pop()!.stop();
    expect(neighbours.scans).toHaveLength(0);
    const next = await startOne();
    await waitFor('the scans', () => neighbours.scansOf(link).length === 50);
    await waitFor('the spool to be empty', async () => (await next.metric('spool_bytes')) === 0);
  });

  test('a code that only others could know is a 503 soon', async () => {
    const alone = await startOne({ AMQP_URL: NO_BROKER });
    const startedAt = Date.now();
    const response = await visitUrl(`${alone.url}/unknown`);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await alone.metric('visit_seconds_count', 'outcome="unavailable"')).toBe(1);
    expect(Date.now() - startedAt).toBeLessThan(HANGS_MS);
  });

  test('nor a database it is ready and answers', async () => {
    const alone = await startOne({ AMQP_URL: NO_BROKER, MONGODB_URI: NO_DATABASE });
    expect(await alone.ready()).toBe(true);
    expect(await statusOf(alone, 'unknown')).toBe(503);
    expect(await statusOf(alone, '')).toBe(404);
  });
});

test('a code whose owner gives no answer is a 503 soon', async () => {
  const redirect = await startOne();
  await waitFor('the broker', async () => (await redirect.metric('broker_up')) === 1);
  const startedAt = Date.now();
  expect(await statusOf(redirect, 'unknown')).toBe(503);
  expect(Date.now() - startedAt).toBeLessThan(HANGS_MS);
});

test('what changed while the broker was out of reach shows once it is back, and until then the old serves', async () => {
  const cable = await Cable.to(backing.AMQP_URL);
  const redirect = await startOne({ AMQP_URL: cable.url });
  const otherSpool = temporaryDirectory();
  const replica = await startOne({ SPOOL_DIR: otherSpool.path });
  const [moved, archived] = [sampleLink(), sampleLink()];
  for (const link of [moved, archived]) {
    await waitFor('the queues', () => neighbours.tell(linkCreated, link).then(() => true));
    await waitFor('the link', async () => (await statusOf(redirect, link.short_code)) === 302);
  }

  cable.cut();
  await waitFor('the loss to be noticed', async () => (await redirect.metric('broker_up')) === 0);
  const newCode = `${moved.short_code}-moved`;
  await neighbours.tell(linkUpdated, { ...moved, revision: 2, short_code: newCode });
  await neighbours.tell(linkArchived, { ...archived, revision: 2, status: 'archived' });
  await waitFor('the replica', async () => (await statusOf(replica, archived.short_code)) === 410);
  expect(await statusOf(redirect, moved.short_code)).toBe(302);
  expect(await statusOf(redirect, archived.short_code)).toBe(302);

  cable.mend();
  await waitFor('the archived link', async () => (await statusOf(redirect, archived.short_code)) === 410);
  await waitFor('the moved link', async () => (await statusOf(redirect, newCode)) === 302);
  await waitFor('its old code', async () => (await statusOf(redirect, moved.short_code)) !== 302);
  cable.remove();
  otherSpool.remove();
});

test('kill -9 in the middle of visits loses no scan that a visitor got an answer for', async () => {
  const link = await storedLink();
  const [port] = (await freePorts(1)) as [number];
  const env = {
    ...process.env,
    ...{ ...backing, AMQP_URL: NO_BROKER, SPOOL_DIR: spool.path, LOG_LEVEL: 'silent' },
    ...{ HOST: '127.0.0.1', PORT: String(port), OPS_PORT: '0', SHORT_BASE_URL: `http://127.0.0.1:${port}` },
  };
  const victim = fork(join(__dirname, '../dist/main.js'), { env, stdio: 'ignore' });
  await new Promise((resolve, reject) => victim.once('message', resolve).once('exit', reject));
  const url = `http://127.0.0.1:${port}/${link.short_code}`;
  const agent = new Agent({ keepAlive: true, maxSockets: VISITORS });
  await waitFor('the database', async () => (await statusOfGet(url, agent)) === 302);

  const crowd = visitUntilGone(url, agent);
  await waitFor('enough visits', () => crowd.answered > 2000);
  victim.kill('SIGKILL');
  await crowd.gone;
  const answered = crowd.answered + 1;

  await startOne();
  await waitFor('the scans', () => neighbours.scansOf(link).length >= answered);
  const scans = neighbours.scansOf(link);
  expect(new Set(scans.map(({ id }) => id)).size).toBe(scans.length);
  // Only visits in flight can be counted without their answer having arrived.
  expect(scans.length).toBeLessThanOrEqual(answered + VISITORS);
});

test('a stop during visits counts exactly the visitors who got an answer', async () => {
  const link = await storedLink();
  const redirect = await startOne();
  const url = `${redirect.url}/${link.short_code}`;
  const agent = new Agent({ keepAlive: true, maxSockets: VISITORS });
  await waitFor('the broker', async () => (await redirect.metric('broker_up')) === 1);
  await waitFor('the database', async () => (await statusOfGet(url, agent)) === 302);
  const crowd = visitUntilGone(url, agent);
  await waitFor('enough visits', () => crowd.answered > 1000);
  const startedAt = Date.now();
  await running.pop()!.stop();
  expect(Date.now() - startedAt).toBeLessThan(STOP_DEADLINE_MS);
  await crowd.gone;
  await waitFor('the scans', () => neighbours.scansOf(link).length === crowd.answered + 1);
});

const VISITORS = 32;

/** Visitors who repeat their visits until one of them is not redirected. */
function visitUntilGone(url: string, agent: Agent) {
  const crowd = { answered: 0, gone: Promise.resolve() };
  const visitors = Array.from({ length: VISITORS }, async () => {
    while ((await statusOfGet(url, agent)) === 302) crowd.answered += 1;
  });
  crowd.gone = Promise.all(visitors).then(() => agent.destroy());
  return crowd;
}

/** Returns 0 if there was no answer. */
function statusOfGet(url: string, agent: Agent): Promise<number> {
  return new Promise((resolve) => {
    get(url, { agent }, (response) => response.resume().on('end', () => resolve(response.statusCode!))).on(
      'error',
      () => resolve(0),
    );
  });
}
