import { get } from 'node:http';
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
const start = () => startRedirect({ ...backing, SPOOL_DIR: spool.path, VISITOR_MISSES_PER_MINUTE: String(LIMIT) });
let askedCount = 0;

beforeAll(async () => {
  database = await createConnection(backing.MONGODB_URI).asPromise();
  neighbours = new Neighbours(backing);
  serveRequests(neighbours.broker, resolveCode, ({ short_code: code }) => {
    askedCount += 1;
    const link = { ...sampleLink(), short_code: code };
    return Promise.resolve({ target: code.startsWith('owned') ? { workspace: 'acme', link } : null });
  });
  serveRequests(neighbours.broker, resolveHost, () => Promise.resolve({ owner: null }));
  await neighbours.start();
  redirect = await start();
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
const guess = async (address: string, host?: string): Promise<number> =>
  (await visit(newGuess(), address, host)).status;
const guesses = async (count: number, address: string, host?: string) => {
  const statuses: number[] = [];
  for (let n = 0; n < count; n += 1) statuses.push(await guess(address, host));
  return statuses;
};
const times = (count: number, status: number) => Array<number>(count).fill(status);

/** A link that this process does not have in memory, and that the database has. */
async function coldLink() {
  const link = sampleLink();
  await neighbours.tell(linkCreated, link);
  const targets = database.collection<{ _id: string }>('targets');
  await waitFor('the link', async () => (await targets.countDocuments({ _id: link.id })) === 1);
  await redirect.stop();
  redirect = await start();
  return link;
}

describe('a visitor who guesses codes', () => {
  test('gets 429 after the limit, without a question to the owner of codes, and no other visitor does', async () => {
    expect(await guesses(LIMIT, '203.0.113.1')).toEqual(times(LIMIT, 404));
    const before = askedCount;
    expect(await guesses(20, '203.0.113.1')).toEqual(times(20, 429));
    expect((await visit('/guess', '203.0.113.1')).retryAfter).toBe('60');
    expect(askedCount).toBe(before);
    expect(await guess('203.0.113.2')).toBe(404);
    expect(askedCount).toBeGreaterThan(before);
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

  test('keeps nobody else from a link that the owner alone knows, also at the same moment', async () => {
    const address = '203.0.113.9';
    expect((await guesses(LIMIT + 1, address)).at(-1)).toBe(429);
    const statuses: number[] = [];
    for (let n = 0; n < 20; n += 1) {
      const path = `/owned${n}`;
      const guessed = visitOnce(path, address, 'go.acme.com');
      statuses.push((await visit(path, '203.0.113.10')).status);
      await guessed;
    }
    expect(statuses).toEqual(times(20, 302));
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
    expect((await visit(`/${link.short_code}`, '2001:db8:1:ffff::1')).status).toBe(302);
    expect(await guess('2001:db8:2::1')).toBe(404);
  });

  test('may also guess what a custom host sends elsewhere, and hosts, and no more of them', async () => {
    const domain = sampleDomain({ not_found_url: 'https://acme.com/lost' });
    await neighbours.tellDomain(domainVerified, domain);
    await waitFor('the host', async () => (await visit('/nothing', '', domain.hostname)).status === 302);
    expect(await guesses(LIMIT + 2, '203.0.113.4', domain.hostname)).toEqual([...times(LIMIT, 302), 429, 429]);
    // There is nothing to guess.
    expect((await visit('/', '203.0.113.4', domain.hostname)).location).toBe('https://acme.com/lost');
    for (let n = 0; n < LIMIT; n += 1) expect(await guess('203.0.113.5', `guess${n}.example.com`)).toBe(404);
    expect(await guess('203.0.113.5', 'another.example.com')).toBe(429);
  });

  test('has few look-ups under way, while another visitor gets a link that must be looked up', async () => {
    const cold = await coldLink();
    const sent = Array.from({ length: 200 }, () => visitOnce(newGuess(), '203.0.113.7', 'go.acme.com'));
    expect((await visit(`/${cold.short_code}`, '203.0.113.8')).status).toBe(302);
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    expect(statuses.filter((status) => ![404, 429, 503].includes(status))).toEqual([]);
  });

  test('has no limit behind a trusted proxy that names no visitor', async () => {
    expect(await guesses(3 * LIMIT, '')).toEqual(times(3 * LIMIT, 404));
  });
});
