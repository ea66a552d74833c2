import { spawnSync } from 'node:child_process';
import { request as openRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import * as fc from 'fast-check';
import { createConnection, type Connection } from 'mongoose';
import { domainVerified, linkCreated, linkUpdated, type LinkSnapshot } from '@waymark/contract/events';
import { assertExchanges } from '@waymark/kernel/broker/topology';
import { bindCommands } from '@waymark/kernel/command-line/command';
import { createProgram } from '@waymark/kernel/command-line/program';
import { entryOf } from '@waymark/launcher/process-table';
import { freshBacking } from '@waymark/testing/backing';
import { withoutNotice } from '@waymark/testing/command-output';
import { observeWhileBlocked, whileCommandFails } from '@waymark/testing/fail-command';
import { findCollectionsWith } from '@waymark/testing/leftovers';
import { waitFor } from '@waymark/testing/wait-for';
import { COMMANDS } from '../src/admin/commands.js';
import { languageOf } from '../src/pages/language.js';
import { parseReport, REASONS } from '../src/reports/report.js';
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
const FORM = 'application/x-www-form-urlencoded';
let neighbours: Neighbours;
let redirect: TestRedirect;
let database: Connection;
/** Sent at the start, since it takes as long as the limit. */
let slowAnswer: Promise<string>;

beforeAll(async () => {
  database = await createConnection(backing.MONGODB_URI).asPromise();
  neighbours = await new Neighbours(backing).start();
  redirect = await startRedirect({ ...backing, SPOOL_DIR: spool.path });
  slowAnswer = sendHalf();
});
afterAll(async () => {
  await redirect.stop();
  await neighbours.stop();
  await database.close();
  spool.remove();
});

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

interface Sent {
  host?: string;
  /** Without one, a visitor of a proxy that names none: without a limit. */
  address?: string;
  headers?: Record<string, string>;
}

function send(
  method: string,
  path: string,
  { host = 'go.acme.com', address, headers }: Sent = {},
  body?: string | Buffer,
) {
  return new Promise<Answer>((resolve, reject) => {
    const sent = { host, ...(address && { 'x-forwarded-for': address }), ...headers };
    const request = openRequest(redirect.url, { method, path, headers: sent }, (response) => {
      text(response).then(
        (received) => resolve({ status: response.statusCode!, headers: response.headers, body: received }),
        reject,
      );
    });
    request.on('error', reject).end(body);
  });
}

const post = (body: string | Buffer, { headers, ...sent }: Sent = {}): Promise<Answer> =>
  send('POST', '/-/report', { ...sent, headers: { 'content-type': FORM, ...headers } }, body);

const report = (url: string, fields: Record<string, string> = {}, sent: Sent = {}): Promise<Answer> =>
  post(new URLSearchParams({ url, reason: 'phishing', ...fields }).toString(), sent);

/** The answer to a body whose end never comes. */
function sendHalf(): Promise<string> {
  const { hostname, port } = new URL(redirect.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /-/report HTTP/1.1\r\nHost: go.acme.com\r\nContent-Type: ${FORM}\r\nContent-Length: 100\r\n\r\nurl=`,
  );
  return text(socket);
}

const countOf = (outcome: string): Promise<number> =>
  redirect.metric('reports_total', `outcome="${outcome}"`).catch(() => 0);
const reports = () => database.collection<Record<string, any> & { _id: string }>('link_reports');
const reportsOf = async ({ id }: LinkSnapshot) => (await reports().findOne({ _id: id }))!;

/** Waits until a number of further reports has an outcome. */
async function afterOutcomes<T>(outcome: string, count: number, work: () => Promise<T>): Promise<T> {
  const before = await countOf(outcome);
  const result = await work();
  await waitFor(`${count} more ${outcome}`, async () => (await countOf(outcome)) >= before + count);
  return result;
}

/** Collects every event from now on; only once the redirect has its queues, since an event is not repeated for them. */
async function followEvents(): Promise<{ events: string[]; stop: () => Promise<void> }> {
  const follower = new Neighbours(backing);
  const events: string[] = [];
  const { broker } = follower;
  const following = new Promise<void>((resolve) =>
    broker.keepChannel('all events', async (channel) => {
      await assertExchanges(channel, broker.topology);
      const { queue } = await channel.assertQueue('', { exclusive: true });
      await channel.bindQueue(queue, broker.topology.events, '#');
      await channel.consume(queue, (message) => message && events.push(message.content.toString()), { noAck: true });
      resolve();
    }),
  );
  await follower.start();
  await following;
  return { events, stop: () => follower.stop() };
}

async function newLink(over: Partial<LinkSnapshot> = {}, workspace = 'acme'): Promise<LinkSnapshot> {
  const link = sampleLink(over);
  await neighbours.tell(linkCreated, link, workspace);
  const targets = database.collection<{ _id: string }>('targets');
  await waitFor('the link', async () => (await targets.countDocuments({ _id: link.id })) === 1);
  return link;
}

describe('the form', () => {
  test.each([
    ['en', 'en-GB,en;q=0.9,de;q=0.8', 'Report a link'],
    ['de', 'de-AT,de;q=0.9,en;q=0.8', 'Einen Link melden'],
    ['en', undefined, 'Report a link'],
  ])('is shown in the language %s for %s, at the default host and a custom one', async (language, accepted, title) => {
    const headers: Record<string, string> = accepted === undefined ? {} : { 'accept-language': accepted };
    const answer = await send('GET', '/-/report', { headers });
    expect(answer.status).toBe(200);
    expect(answer.body).toContain(`<html lang="${language}">`);
    expect(answer.body).toContain(`<h1>${title}</h1>`);
    expect(answer.body).not.toMatch(/<script|\son\w+=/i);
    expect(answer.headers.vary).toBe('Accept, Accept-Language');
    expect(answer.headers['content-security-policy']).toBe(
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    );
    expect(answer.headers).toMatchObject({ 'cache-control': 'private, no-store', 'x-robots-tag': 'noindex' });
    expect(answer.headers).not.toHaveProperty('set-cookie');
    expect((await send('GET', '/-/report', { host: 'links.example.com', headers })).body).toBe(answer.body);
  });

  test('contains the link of the query as text', async () => {
    const url = '"><script>alert(1)</script>&amp;';
    const { body } = await send('GET', `/-/report?url=${encodeURIComponent(url)}&url=other`);
    expect(body).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;"');
    expect(body).not.toContain('<script');
  });

  test('answers HEAD without the page', async () => {
    const { headers, ...whole } = await send('GET', '/-/report');
    const head = await send('HEAD', '/-/report');
    expect([head.status, head.body]).toEqual([200, '']);
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(whole.body)));
    expect(head.headers['content-security-policy']).toBe(headers['content-security-policy']);
  });

  test.each(['PUT', 'DELETE', 'OPTIONS', 'PATCH'])(
    'answers %s with 405 and the methods that it has',
    async (method) => {
      const answer = await send(method, '/-/report');
      expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD, POST']);
    },
  );

  test('is at no other path and at no host that cannot have links', async () => {
    expect((await send('POST', '/-/reports')).status).toBe(405);
    expect((await send('GET', '/-.reports/x')).status).toBe(404);
    expect((await send('POST', '/-/report', { host: '10.0.0.1' })).status).toBe(404);
  });
});

test.each([
  ['de', 'de'],
  ['DE-ch;q=0.5, en;q=0.4', 'de'],
  ['de;q=0.4, en;q=0.5', 'en'],
  ['fr, de;q=0, en;q=0.1', 'en'],
  ['den, deu, *', 'en'],
  ['de;q=x', 'en'],
  ['', 'en'],
])('prefers for %j the language %s', (header, language) => {
  expect(languageOf(header)).toBe(language);
});

describe('a report', () => {
  test('is answered alike for each link that exists, does not exist, or was reported before', async () => {
    const link = await newLink();
    const { events, stop } = await followEvents();
    const address = '198.51.100.77';
    const send = (url: string, fields: object = {}, sent: Sent = {}) =>
      report(url, { comment: 'Look!', ...fields }, sent);
    const answers = await afterOutcomes('stored', 2, () =>
      afterOutcomes('ignored', 6, async () => [
        await send(link.short_url, {}, { address }),
        await send(link.short_url, {}, { address }),
        await send('https://go.acme.com/absent', {}, { address }),
        await send('https://elsewhere.example/x', {}, { address }),
        await send('https://go.acme.com/a/b/c', {}, { address }),
        await send('javascript:alert(1)'),
        await send(link.short_url, { reason: 'revenge' }),
        await send(''),
      ]),
    );
    const visible = answers.map(({ headers: { date: _date, 'x-request-id': _id, ...headers }, ...answer }) => ({
      ...answer,
      headers,
    }));
    for (const each of visible) expect(each).toEqual(visible[0]);
    expect(visible[0]!.status).toBe(200);
    expect(visible[0]!.body).toContain('The operator has received it.');
    expect(visible[0]!.headers).not.toHaveProperty('set-cookie');
    expect(await reports().countDocuments({})).toBe(1);
    // Neither the address of the visitor nor a report is anywhere else, and a report is no scan.
    expect(await findCollectionsWith(database, [address])).toEqual([]);
    expect(await findCollectionsWith(database, ['Look!'])).toEqual(['link_reports']);
    expect(neighbours.scansOf(link)).toEqual([]);
    // No event tells another service, which could show it to a member or send it by mail.
    const next = await newLink();
    await waitFor('its event', () => events.length > 0);
    expect(events).toEqual([expect.stringContaining(next.id)]);
    await stop();
  });

  test('is answered before the link is looked up, and dropped while too many wait', async () => {
    const link = await newLink();
    const before = { dropped: await countOf('dropped'), stored: await countOf('stored'), lost: await countOf('lost') };
    const settled = async () => (await countOf('stored')) + (await countOf('lost')) - before.stored - before.lost;
    const targets = database.collection('targets');
    const observed = await observeWhileBlocked(targets, { command: 'find', times: 4, blockMs: 2000 }, async () => {
      const start = { settled: await settled(), dropped: await countOf('dropped') };
      const answers = [];
      for (let n = 0; n < 13; n += 1) answers.push(await report(link.short_url));
      await waitFor('dropped reports', async () => (await countOf('dropped')) === start.dropped + 3);
      return {
        statuses: answers.map(({ status }) => status),
        settledMeanwhile: (await settled()) - start.settled,
        rest: waitFor('the others', async () => (await settled()) === start.settled + 10),
      };
    });
    expect(observed.statuses).toEqual(Array<number>(13).fill(200));
    expect(observed.settledMeanwhile).toBe(0);
  });

  test('is counted on one document of its link by reason, with the newest ten comments as text', async () => {
    const domain = sampleDomain();
    await neighbours.tellDomain(domainVerified, domain);
    const link = await newLink({ hostname: domain.hostname, destination_url: 'https://Evil.example:8443/x' });
    const renamed = {
      ...link,
      ...{ revision: 2, short_code: `${link.short_code}New` },
      former_codes: [{ hostname: domain.hostname, short_code: link.short_code }],
    };
    await neighbours.tell(linkUpdated, renamed);
    const isRenamed = { _id: link.id, shortCode: renamed.short_code } as never;
    await waitFor('the new code', async () => (await database.collection('targets').countDocuments(isRenamed)) === 1);
    const former = `${domain.hostname}/${link.short_code.toUpperCase()}`;
    for (let n = 1; n <= 12; n += 1) {
      const fields = {
        reason: n % 3 === 0 ? 'malware' : 'phishing',
        comment: `Number\u0000 ${n}\r\n\u001b[2J\u202eend `,
      };
      await afterOutcomes('stored', 1, () => report(former, fields));
    }
    await afterOutcomes('stored', 1, () => report(`https://${domain.hostname}/q/${renamed.short_code}/?a=b`));
    const stored = await reportsOf(link);
    expect(stored).toEqual({
      _id: link.id,
      workspace: 'acme',
      shortUrl: `https://${domain.hostname}/${renamed.short_code}`,
      destinationHost: 'evil.example',
      reportCount: 13,
      counts: { phishing: 9, malware: 4 },
      firstAt: expect.any(Date),
      lastAt: expect.any(Date),
      comments: Array.from({ length: 10 }, (_, index) => ({
        at: expect.any(Date),
        reason: index % 3 === 0 ? 'malware' : 'phishing',
        text: `Number ${12 - index} [2J end`,
      })),
    });
    expect(Number(stored['firstAt'])).toBeLessThan(Number(stored['lastAt']));
  });

  test('expires 90 days after the last one of its link', async () => {
    const indexes = await reports().indexes();
    const expiring = indexes.filter(({ expireAfterSeconds }) => expireAfterSeconds !== undefined);
    expect(expiring).toMatchObject([{ key: { lastAt: 1 }, expireAfterSeconds: 90 * 24 * 3600 }]);
  });

  test('is lost while the database fails, with the same answer', async () => {
    const link = await newLink();
    // MongoDB's "not writable primary".
    const answer = await whileCommandFails(reports() as never, { command: 'update', errorCode: 10107 }, () =>
      afterOutcomes('lost', 1, () => report(link.short_url)),
    );
    expect(answer.status).toBe(200);
    expect(await reports().countDocuments({ _id: link.id })).toBe(0);
  });

  test('gets 429 beyond five of one address, and others are not limited by it', async () => {
    const address = '198.51.100.1';
    const sent = { address, headers: { accept: 'text/html', 'accept-language': 'de' } };
    const answers: Answer[] = [];
    await waitFor('a refusal', async () => {
      answers.push(await report('https://go.acme.com/absent', {}, sent));
      return answers.at(-1)!.status === 429;
    });
    expect(answers.slice(0, 5).map(({ status }) => status)).toEqual(Array<number>(5).fill(200));
    expect(answers.at(-1)!.headers['retry-after']).toBe('60');
    expect(answers.at(-1)!.body).toContain('<h1>Zu viele Meldungen</h1>');
    expect(await countOf('limited')).toBeGreaterThanOrEqual(1);
    expect((await send('GET', '/-/report', sent)).status).toBe(200);
    expect((await report('https://go.acme.com/absent', {}, { address: '198.51.100.2' })).status).toBe(200);
  });

  test.each([
    ['longer than 8 kB', 'x'.repeat(8193), {}, 413, 'payload_too_large'],
    ['of another type', '{}', { 'content-type': 'application/json' }, 415, 'unsupported_media_type'],
    ['that is compressed', 'url=x', { 'content-encoding': 'gzip' }, 415, 'unsupported_media_type'],
  ])('with a body %s is refused', async (_case, body, headers, status, code) => {
    expect((await post(body, { headers })).status).toBe(status);
    const asJson = await post(body, { headers: { ...headers, accept: 'application/json' } });
    expect(JSON.parse(asJson.body)).toEqual({ error: { code, message: expect.any(String) } });
  });

  test('whose body never ends gets 408, and its connection is closed', async () => {
    expect(await slowAnswer).toMatch(/^HTTP\/1\.1 408 [\s\S]*connection: close[\s\S]*<h1>Too slow<\/h1>/i);
  });
});

const value = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(
    'https://go.acme.com/',
    '//go.acme.com/%',
    'http://[::1]:x/',
    '$where',
    '%00',
    '%',
    '\ud800',
    ...REASONS,
  ),
);
const hostileForm = fc
  .array(fc.tuple(fc.oneof(fc.constantFrom('url', 'reason', 'comment', '__proto__', 'url[]'), value), value))
  .map((fields) => Buffer.from(fields.map((field) => field.map(encodeMostly).join('=')).join('&')));
const hostileBody = fc.oneof(
  hostileForm,
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
);

/** Leaves texts that cannot be encoded as they are. */
const encodeMostly = (each: string): string => (each.isWellFormed() ? encodeURIComponent(each) : each);

describe('any body', () => {
  test('is read as a report with bounded plain text, or as none', () => {
    fc.assert(
      fc.property(hostileBody, (body) => {
        const read = parseReport(body.toString('utf8'));
        if (!read) return;
        expect(REASONS).toContain(read.reason);
        expect(read.url.length).toBeLessThanOrEqual(2048);
        expect(read.comment).not.toMatch(/[\p{C}\n]/u);
      }),
      { numRuns: 2000, seed: 1 },
    );
    const long = parseReport(new URLSearchParams({ url: 'x', reason: 'spam', comment: '😀'.repeat(1001) }).toString());
    expect(long?.comment).toBe('😀'.repeat(1000));
  });

  test('gets the same answer, and stores nothing of a link that does not exist', async () => {
    const stored = await reports().countDocuments({});
    const lost = await countOf('lost');
    const bodies = fc.sample(hostileBody, { numRuns: 100, seed: 1 });
    const { body: thanks } = await report('https://go.acme.com/absent');
    for (const body of bodies) expect(await post(body)).toMatchObject({ status: 200, body: thanks });
    await afterOutcomes('ignored', 1, () => report(''));
    expect([await reports().countDocuments({}), await countOf('lost')]).toEqual([stored, lost]);
  });
});

describe('link reports', () => {
  function admin(...args: string[]) {
    const env = { PATH: process.env['PATH'], MONGODB_URI: backing.MONGODB_URI };
    const program = entryOf('redirect', 'admin/main.js');
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'link', 'reports', ...args], {
      ...{ env, encoding: 'utf8' },
    });
    return { status, stdout, stderr: withoutNotice(stderr) };
  }

  test('lists hosts with their links and newest comments, most reported first', async () => {
    await reports().deleteMany({});
    const links = [
      await newLink({ destination_url: 'https://few.example/a' }),
      await newLink({ destination_url: 'https://many.example/a' }, 'beta'),
      await newLink({ destination_url: 'https://many.example/b' }),
    ];
    const [few, manyOnce, manyTwice] = links as [LinkSnapshot, LinkSnapshot, LinkSnapshot];
    for (const [{ short_url: url }, reason, comment] of [
      [few, 'spam', 'so many mails'],
      [manyOnce, 'malware', ''],
      [manyTwice, 'phishing', 'looks like my bank'],
      [few, 'spam', ''],
      [manyTwice, 'other', 'again'],
    ] as const) {
      await afterOutcomes('stored', 1, () => report(url, { reason, comment }));
    }
    const { status, stdout, stderr } = admin('--json');
    expect([status, stderr]).toEqual([0, '']);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
    const none = { phishing: 0, malware: 0, spam: 0, other: 0, first_at: time, last_at: time };
    expect(JSON.parse(stdout)).toEqual({
      data: [
        {
          ...{ destination_host: 'many.example', reports: 3, ...none, phishing: 1, malware: 1, other: 1 },
          links_count: 2,
          links: [
            {
              short_url: manyTwice.short_url,
              id: manyTwice.id,
              workspace: 'acme',
              reports: 2,
              ...none,
              phishing: 1,
              other: 1,
            },
            { short_url: manyOnce.short_url, id: manyOnce.id, workspace: 'beta', reports: 1, ...none, malware: 1 },
          ],
          comments: [
            { at: time, reason: 'other', text: 'again', short_url: manyTwice.short_url },
            { at: time, reason: 'phishing', text: 'looks like my bank', short_url: manyTwice.short_url },
          ],
        },
        {
          ...{ destination_host: 'few.example', reports: 2, ...none, spam: 2, links_count: 1 },
          links: [{ short_url: few.short_url, id: few.id, workspace: 'acme', reports: 2, ...none, spam: 2 }],
          comments: [{ at: time, reason: 'spam', text: 'so many mails', short_url: few.short_url }],
        },
      ],
      meta: { page: 1, last_page: 1, total: 2 },
    });
    const one = admin('--host', 'Few.example');
    expect(one.stdout).toMatch(/^destination host: few\.example\n/);
    expect(one.stdout).toContain('so many mails');
    expect(one.stdout).toMatch(/\n1 in all, page 1 of 1\n$/);
    expect(one.stdout).not.toContain('many.example');
  });

  test('is the only command of its group in this service, which names the container of the others', async () => {
    const program = createProgram('redirect', bindCommands(COMMANDS, {}), () => Promise.resolve());
    const run = (...args: string[]) => program.parseAsync(args, { from: 'user' });
    await expect(run('link', 'other', 'x', '--reason', 'y')).rejects.toThrow("'link' is a command of resource");
    await expect(run('link', 'reports', '--host', 'a.example')).resolves.toBeDefined();
  });
});
