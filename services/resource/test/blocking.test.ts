import { execFile } from 'node:child_process';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findDestinationBlocks, resolveCode } from '@waymark/contract/requests';
import { entryOf } from '@waymark/launcher/process-table';
import { urlOf } from '@waymark/testing/urls';
import { waitFor } from '@waymark/testing/wait-for';
import { Stack } from './stack.js';

const TIMEOUT_MS = 5000;

let stack: Stack;
let folder: string;
let checker: Server;
/** How the checker answers. */
let answerOf: (urls: string[]) => { status: number; body: unknown };
const asked: string[] = [];

const verdicts = (urls: string[]) => ({
  status: 200,
  body: {
    results: urls.map((url) =>
      url.includes('harmful') ? { url, verdict: 'block', reason: 'Malware\u202e' } : { url, verdict: 'ok' },
    ),
  },
});
const outage = () => ({ status: 503, body: 'busy' });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-blocking-'));
  await writeFile(list(), '# nothing yet\n');
  answerOf = verdicts;
  checker = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { urls } = JSON.parse(Buffer.concat(chunks).toString()) as { urls: string[] };
      asked.push(...urls);
      const { status, body } = answerOf(urls);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => checker.once('listening', resolve));
  stack = await Stack.start('links', 1, { DESTINATION_BLOCKLIST: list(), DESTINATION_CHECK_URL: urlOf(checker) });
});
afterAll(async () => {
  await stack.stop();
  checker.close();
  await rm(folder, { recursive: true });
});

const list = () => join(folder, 'blocklist.txt');
const show = async (id: string) => (await stack.call('GET', `/links/${id}`)).body.data;
const blocked = (id: string, isBlocked = true) =>
  waitFor('the block', async () => (await show(id)) && ((await show(id)).blocked !== null) === isBlocked);
const problemOf = ({ status, body }: any, field = 'destination_url') => [
  status,
  body.error.problems?.find((problem: any) => problem.field === field)?.code,
];
const linkTo = (destination_url: string) => stack.call('POST', '/links', { body: { destination_url } });

async function command(...args: string[]): Promise<any> {
  const program = entryOf('resource', 'admin/main.js');
  const run = promisify(execFile)(process.execPath, [program, 'link', ...args, '--json'], { env: stack.env });
  return JSON.parse((await run).stdout);
}

describe('a link that the operator blocks', () => {
  test('says why, can be changed and deleted, and is named by webhooks and the audit log', async () => {
    const link = await stack.create({ title: 'Offer' });
    expect(link.blocked).toBeNull();
    const result = await command('block', link.short_url, '--reason', 'Phishing');
    expect(result).toMatchObject({ id: link.id, workspace: 'acme', blocked: true, reason: 'Phishing' });
    expect(result.in_force).toMatch(/^at every redirect within 5 seconds/);
    const shown = await show(link.id);
    expect(shown).toMatchObject({ status: 'active', blocked: { at: expect.any(String), reason: 'Phishing' } });
    const [event] = await waitFor('the event', () => {
      const told = stack.toldOf(link.id).filter(({ type }) => type === 'link.blocked');
      return told.length > 0 && told;
    });
    expect(event).toMatchObject({
      actor: { type: 'system' },
      data: { link: { blocked: shown.blocked } },
      audit: { target: { type: 'link', id: link.id }, changes: { blocked: { from: null, to: shown.blocked } } },
    });

    // Repeating it changes nothing.
    await command('block', link.id, '--reason', 'Phishing');
    expect((await show(link.id)).updated_at).toBe(shown.updated_at);
    const renamed = await stack.call('PATCH', `/links/${link.id}`, {
      body: { title: 'Other', destination_url: 'https://example.net/' },
    });
    expect(renamed.body.data).toMatchObject({ title: 'Other', blocked: { reason: 'Phishing' } });
    const row = (await stack.call('GET', '/links/export')).text.split('\n').find((line) => line.includes(link.id))!;
    expect(row).toContain(`"${shown.blocked.at}","Phishing"`);

    expect(await command('unblock', link.id)).toMatchObject({ blocked: false, reason: null });
    expect((await show(link.id)).blocked).toBeNull();
    await command('unblock', link.id);
    await waitFor('the event', () => stack.toldOf(link.id).some(({ type }) => type === 'link.unblocked'));
    await command('block', link.id, '--reason', 'Again');
    expect((await stack.call('DELETE', `/links/${link.id}`)).status).toBe(204);
  });

  test.each([
    [['block', '--reason', 'x'], /either a link or --host/],
    [['block', 'lnk_01', '--host', 'a.example', '--reason', 'x'], /either a link or --host/],
    [['block', 'go.test/none', '--reason', 'x'], /does not exist/],
    [['unblock', 'https://other.example/x'], /does not exist/],
    [['block', '--host', 'https://a.example/', '--reason', 'x'], /without scheme/],
    [['block', 'go.test/none'], /--reason is missing/],
  ])('the wrong call %j fails and says why', async (args, message) => {
    await expect(command(...args)).rejects.toMatchObject({ stderr: expect.stringMatching(message) });
  });
});

describe('a host that the operator blocks', () => {
  const host = 'phish.example';

  test('blocks stored links to it and below it, and refuses new ones, until it is unblocked', async () => {
    const link = await stack.create({ destination_url: `https://login.${host}/a` });
    const other = await stack.create({ destination_url: `https://not${host}/` });
    expect(await command('block', '--host', host, '--reason', 'Phishing')).toMatchObject({ host, blocked: true });
    await waitFor('the event', () =>
      stack.told.some(({ type, data }) => type === 'destination.blocked' && data.host === host),
    );
    await blocked(link.id);
    expect((await show(link.id)).blocked.reason).toBe('Phishing');
    expect((await show(other.id)).blocked).toBeNull();
    expect(problemOf(await linkTo(`http://${host}:81/x`))).toEqual([422, 'destination_blocked']);

    const { blocks } = await stack.requester.ask(findDestinationBlocks, {}, TIMEOUT_MS);
    expect(blocks).toEqual([{ host, revision: 1, is_blocked: true }]);
    const question = { hostname: null, short_code: link.short_code };
    const answer = await stack.requester.ask(resolveCode, question, TIMEOUT_MS);
    expect(answer).toMatchObject({ target: { link: { blocked: { reason: 'Phishing' } } }, destination_blocks: blocks });

    await expect(command('unblock', link.id)).rejects.toMatchObject({ stderr: expect.stringContaining('its host') });
    await command('unblock', '--host', host);
    await blocked(link.id, false);
    expect((await linkTo(`https://${host}/`)).status).toBe(201);
  });
});

describe('the block list', () => {
  test('refuses new destinations at once, and blocks stored links, after it changed; a removed entry frees them', async () => {
    const link = await stack.create({ destination_url: 'https://www.listed.example/x' });
    await appendFile(list(), 'listed.example\nbroken line here\nhttps://part.example/bad\n');
    await blocked(link.id);
    expect(problemOf(await linkTo('https://listed.example/'))).toEqual([422, 'destination_blocked']);
    expect(problemOf(await linkTo('https://part.example/bad/x'))).toEqual([422, 'destination_blocked']);
    expect((await linkTo('https://part.example/good')).status).toBe(201);

    // What a link has may stay; what it gets may not be blocked.
    const patch = (body: object) => stack.call('PATCH', `/links/${link.id}`, { body });
    expect((await patch({ title: 'T', destination_url: link.destination_url })).status).toBe(200);
    expect(problemOf(await patch({ destination_url: 'https://listed.example/y' }))).toEqual([
      422,
      'destination_blocked',
    ]);
    const moved = await patch({ destination_url: 'https://example.com/clean' });
    expect(moved.body.data.blocked).toBeNull();
    expect(stack.toldOf(link.id).some(({ type }) => type === 'link.deleted')).toBe(false);

    const second = await stack.create({ destination_url: 'https://later.example/' });
    await appendFile(list(), 'later.example\n');
    await blocked(second.id);
    await rm(list());
    // While the file is missing, the last list holds.
    expect(problemOf(await linkTo('https://later.example/'))).toEqual([422, 'destination_blocked']);
    await writeFile(list(), 'listed.example\n');
    await blocked(second.id, false);
  });

  test.each([[false], [true]])('refuses rows of an import (dry run: %p)', async (dry_run) => {
    await waitFor('the list', async () => (await linkTo('https://listed.example/')).status === 422);
    const rows = ['https://listed.example/', 'https://harmful.example/', 'http://10.0.0.1/', 'https://fine.example/'];
    const body = { links: rows.map((destination_url) => ({ destination_url })), options: { dry_run } };
    const sent = await stack.call('POST', '/links/import', { body });
    expect(sent.status).toBe(202);
    const ended = await waitFor('the import', async () => {
      const { data } = (await stack.call('GET', `/links/imports/${sent.body.data.id}`)).body;
      return data.finished_at && data;
    });
    const codes = ended.errors.map(({ row, field, problem_code }: any) => [row, field, problem_code]);
    expect([ended.created_count, codes]).toEqual([
      1,
      [
        [1, 'destination_url', 'destination_blocked'],
        [2, 'destination_url', 'destination_blocked'],
        [3, 'destination_url', 'url_not_allowed'],
      ],
    ]);
  });
});

describe('private destinations', () => {
  test.each([['http://127.0.0.1:3000/'], ['http://localhost/'], ['https://intranet/'], ['http://[fd00::1]/']])(
    '%s is refused for new links and changed destinations',
    async (url) => {
      expect(problemOf(await linkTo(url))).toEqual([422, 'url_not_allowed']);
      const { id } = await stack.create();
      const patched = await stack.call('PATCH', `/links/${id}`, { body: { destination_url: url } });
      expect(problemOf(patched)).toEqual([422, 'url_not_allowed']);
    },
  );

  test('a stored link keeps one', async () => {
    const { id } = await stack.create();
    const destinationUrl = 'http://10.0.0.1/old';
    await stack.database.collection<{ _id: string }>('links').updateOne({ _id: id }, { $set: { destinationUrl } });
    const body = { title: 'Kept', destination_url: destinationUrl };
    expect((await stack.call('PATCH', `/links/${id}`, { body })).body.data).toMatchObject(body);
  });
});

describe('the checker', () => {
  afterEach(() => {
    answerOf = verdicts;
  });

  test('is asked about new and changed destinations, and refuses harmful ones', async () => {
    expect(problemOf(await linkTo('https://harmful.example/'))).toEqual([422, 'destination_blocked']);
    const { id } = await stack.create({ destination_url: 'https://asked.example/1' });
    const patch = (body: object) => stack.call('PATCH', `/links/${id}`, { body });
    expect(problemOf(await patch({ destination_url: 'https://harmful.example/2' }))).toEqual([
      422,
      'destination_blocked',
    ]);
    asked.length = 0;
    expect((await patch({ title: 'T', destination_url: 'https://asked.example/1' })).status).toBe(200);
    expect(asked).toEqual([]);
  });

  test.each([
    ['answers 503', outage],
    ['answers something else', () => ({ status: 200, body: { results: 'none' } })],
  ])('blocks nothing while it %s, and its verdicts are caught up', async (_what, answer) => {
    answerOf = answer;
    const harmful = await stack.create({ destination_url: 'https://harmful.example/later' });
    const fine = await stack.create({ destination_url: 'https://fine.example/later' });
    expect((await stack.stored('links', harmful.id)).checkPending).toBe(true);
    answerOf = verdicts;
    await blocked(harmful.id);
    expect((await show(harmful.id)).blocked.reason).toBe('Malware');
    await waitFor('the reviews', async () => (await stack.stored('links', fine.id)).checkPending === false);
    expect((await show(fine.id)).blocked).toBeNull();

    // A later verdict frees what it has blocked.
    answerOf = (urls) => ({ status: 200, body: { results: urls.map((url) => ({ url, verdict: 'ok' })) } });
    await sweepAgain();
    await blocked(harmful.id, false);
  });

  test('a single destination that it cannot answer about does not keep the others from it', async () => {
    answerOf = (urls) => (urls.some((url) => url.includes('poison')) ? outage() : verdicts(urls));
    const poison = await stack.create({ destination_url: 'https://poison.example/' });
    const harmful = await stack.create({ destination_url: 'https://fine.example/x' });
    await stack.database
      .collection<{ _id: string }>('links')
      .updateOne({ _id: harmful.id }, { $set: { destinationUrl: 'https://harmful.example/x' } });
    await sweepAgain();
    await blocked(harmful.id);
    expect((await stack.stored('links', poison.id)).checkPending).toBe(true);
  });

  /** Lets the daily pass be due. */
  const sweepAgain = () => stack.database.collection<{ _id: string }>('destination_sweeps').deleteOne({ _id: 'check' });
});
