import { get } from 'node:http';
import { connect } from 'node:net';
import { createConnection, type Connection } from 'mongoose';
import { linkCreated, linkUpdated, domainVerified } from '@waymark/contract/events';
import { resolveCode, resolveHost } from '@waymark/contract/requests';
import { serveRequests } from '@waymark/kernel/broker/requests';
import { freshBacking } from '@waymark/testing/backing';
import { waitFor } from '@waymark/testing/wait-for';
import {
  Neighbours,
  sampleDomain,
  sampleLink,
  startRedirect,
  temporaryDirectory,
  type TestRedirect,
} from './support.js';

const backing = freshBacking();
const spool = temporaryDirectory();
let neighbours: Neighbours;
let redirect: TestRedirect;
let database: Connection;

/** One more is allowed every half a minute: some tests take as long on a busy machine. */
const LIMIT = 2;
const start = () =>
  startRedirect({
    ...backing,
    SPOOL_DIR: spool.path,
    VISITOR_MISSES_PER_MINUTE: String(LIMIT),
    READ_MODEL_LAG_MAX_MS: '200',
  });
const filterIsRead = (of: TestRedirect) =>
  waitFor('the filters', async () => {
    const ratios = await Promise.all(
      ['targets', 'hosts'].map((name) => of.metric(`${name}_filter_false_positive_ratio`)),
    );
    return ratios.every((ratio) => ratio < 1);
  });

const resolveToNothing = () => Promise.resolve({ target: null });
let resolve: typeof resolveToNothing = resolveToNothing;

beforeAll(async () => {
  database = await createConnection(backing.MONGODB_URI).asPromise();
  neighbours = new Neighbours(backing);
  serveRequests(neighbours.broker, resolveCode, () => resolve());
  serveRequests(neighbours.broker, resolveHost, () => Promise.resolve({ owner: null }));
  await neighbours.start();
  redirect = await start();
  await filterIsRead(redirect);
});
afterAll(async () => {
  await redirect.stop();
  await neighbours.stop();
  await database.close();
  spool.remove();
});

interface Answer {
  status: number;
  retryAfter: string | undefined;
  location: string | undefined;
}

/** Visits again after a 503: a busy machine may not look a code up in time. */
const visit = (path: string, address: string, host = 'go.acme.com'): Promise<Answer> =>
  waitFor('an answer', async () => {
    const answer = await visitOnce(path, address, host);
    return answer.status !== 503 && answer;
  });

function visitOnce(path: string, address: string, host: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { host, ...(address && { 'x-forwarded-for': address }) };
    get(redirect.url, { path, headers }, (response) => {
      const { location, 'retry-after': retryAfter } = response.headers;
      response.resume().on('end', () => resolve({ status: response.statusCode!, location, retryAfter }));
    }).on('error', reject);
  });
}

let guessNumber = 0;
const newGuess = () => `/guess${(guessNumber += 1)}`;
/** @returns `miss` also for a look-up that a busy machine did not finish in time: it counts as a guess */
async function guess(address: string, { host = 'go.acme.com', miss = 404 } = {}): Promise<number> {
  const { status } = await visitOnce(newGuess(), address, host);
  return status === 503 ? miss : status;
}
const guesses = async (count: number, address: string, options?: Parameters<typeof guess>[1]) => {
  const statuses: number[] = [];
  for (let n = 0; n < count; n += 1) statuses.push(await guess(address, options));
  return statuses;
};
const times = (count: number, status: number) => Array<number>(count).fill(status);
const lookUps = () => redirect.metric('targets_lookups_total');

/** A link that this process does not have in memory, and that the database has. */
async function coldLink() {
  const link = sampleLink();
  await neighbours.tell(linkCreated, link);
  const targets = database.collection<{ _id: string }>('targets');
  await waitFor('the link', async () => (await targets.countDocuments({ _id: link.id })) === 1);
  await redirect.stop();
  redirect = await start();
  await filterIsRead(redirect);
  return link;
}

describe('a visitor who guesses codes', () => {
  test('gets 429 after the limit, without a look-up, and no other visitor does', async () => {
    expect(await guesses(LIMIT, '203.0.113.1')).toEqual(times(LIMIT, 404));
    const before = await lookUps();
    expect(await guesses(20, '203.0.113.1')).toEqual(times(20, 429));
    expect((await visit('/guess', '203.0.113.1')).retryAfter).toBe('60');
    expect(await lookUps()).toBe(before);
    expect(await guess('203.0.113.2')).toBe(404);
  });

  test('still gets every link: one in memory, one that must be looked up, one that was made a moment ago', async () => {
    const cold = await coldLink();
    const address = '203.0.113.3';
    expect(await guesses(LIMIT + 1, address)).toEqual([...times(LIMIT, 404), 429]);
    expect((await visit(`/${cold.short_code}`, address)).status).toBe(302);
    expect((await visit(`/${cold.short_code}`, address)).status).toBe(302);
    const fresh = sampleLink();
    await neighbours.tell(linkCreated, fresh);
    await waitFor('the new link', async () => (await visit(`/${fresh.short_code}`, address)).status === 302);
    const moved = { ...fresh, revision: 2, short_code: `${fresh.short_code}x` };
    await neighbours.tell(linkUpdated, moved);
    await waitFor('its new code', async () => (await visit(`/${moved.short_code}`, address)).status === 302);
    expect((await guesses(LIMIT + 1, address)).at(-1)).toBe(429);
  });

  test('is one visitor with a whole IPv6 network', async () => {
    for (let n = 1; n <= LIMIT; n += 1) expect(await guess(`2001:db8::${n}`)).toBe(404);
    expect(await guess('2001:db8::ffff:1')).toBe(429);
    expect(await guess('2001:db8:0:1::1')).toBe(404);
  });

  test('has no more guesses with many IPv6 networks of one /48, and still gets links from there', async () => {
    const link = sampleLink();
    await neighbours.tell(linkCreated, link);
    await waitFor('the link', async () => (await visit(`/${link.short_code}`, '')).status === 302);
    const statuses: number[] = [];
    for (let n = 0; n < 80; n += 1) statuses.push(await guess(`2001:db8:1:${(n * 256).toString(16)}::1`));
    expect(statuses.slice(0, 16 * LIMIT)).toEqual(times(16 * LIMIT, 404));
    expect(statuses).toContain(429);
    const before = await lookUps();
    const rejected = (await guesses(20, '2001:db8:1:ffff::1')).filter((status) => status === 429);
    expect(await lookUps()).toBe(before + 20 - rejected.length);
    expect((await visit(`/${link.short_code}`, '2001:db8:1:ffff::1')).status).toBe(302);
    expect(await guess('2001:db8:2::1')).toBe(404);
  });

  test('may also guess what a custom host sends elsewhere, and hosts, and no more of them', async () => {
    const domain = sampleDomain({ not_found_url: 'https://acme.com/lost' });
    await neighbours.tellDomain(domainVerified, domain);
    await waitFor('the host', async () => (await visit('/nothing', '', domain.hostname)).status === 302);
    const onDomain = { host: domain.hostname, miss: 302 };
    expect(await guesses(LIMIT + 2, '203.0.113.4', onDomain)).toEqual([...times(LIMIT, 302), 429, 429]);
    // There is nothing to guess.
    expect((await visit('/', '203.0.113.4', domain.hostname)).location).toBe('https://acme.com/lost');
    for (let n = 0; n < LIMIT; n += 1) expect(await guess('203.0.113.5', { host: `guess${n}.example.com` })).toBe(404);
    expect(await guess('203.0.113.5', { host: 'another.example.com' })).toBe(429);
  });

  test('gets 429 after the limit also while no look-up succeeds', async () => {
    resolve = () => Promise.reject(new Error('away'));
    try {
      const sent = [1, 2, 3, 4, 5].map(async () => (await visitOnce(newGuess(), '203.0.113.7', 'go.acme.com')).status);
      expect((await Promise.all(sent)).sort()).toEqual([429, 429, 429, ...times(LIMIT, 503)]);
    } finally {
      resolve = resolveToNothing;
    }
  });

  test('gets 429 after the limit also without waiting for the answers', async () => {
    const address = '203.0.113.8';
    const before = await lookUps();
    let answer = () => {};
    const held = new Promise<void>((end) => (answer = end));
    resolve = () => held.then(resolveToNothing);
    try {
      const sockets = Array.from({ length: LIMIT }, () => {
        const socket = connect(Number(new URL(redirect.url).port), '127.0.0.1');
        socket.write(`GET ${newGuess()} HTTP/1.1\r\nHost: go.acme.com\r\nX-Forwarded-For: ${address}\r\n\r\n`);
        return socket;
      });
      await waitFor('the look-ups', async () => (await lookUps()) >= before + LIMIT);
      for (const socket of sockets) socket.destroy();
      expect(await guess(address)).toBe(429);
    } finally {
      answer();
      resolve = resolveToNothing;
    }
    // The look-ups have ended when a later one has.
    expect((await visit(newGuess(), '203.0.113.9')).status).toBe(404);
    expect((await guesses(LIMIT + 1, address)).at(-1)).toBe(429);
  });

  test('has no limit behind a trusted proxy that names no visitor', async () => {
    expect(await guesses(3 * LIMIT, '')).toEqual(times(3 * LIMIT, 404));
  });

  test('is looked up for while changes are missed, since any code may exist then', async () => {
    expect(await guesses(LIMIT + 1, '203.0.113.6')).toEqual([...times(LIMIT, 404), 429]);
    await redirect.stop();
    redirect = await startRedirect({ ...backing, SPOOL_DIR: spool.path, VISITOR_MISSES_PER_MINUTE: String(LIMIT) });
    await waitFor('broker and database', async () => (await visit(newGuess(), '')).status === 404);
    await guesses(LIMIT, '203.0.113.6');
    const before = await lookUps();
    await guesses(3, '203.0.113.6');
    expect(await lookUps()).toBe(before + 3);
  });
});
