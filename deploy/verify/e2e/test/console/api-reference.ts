import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { PROBLEM_CODES } from '@waymark/contract/problem-codes';
import { STATUS_OF } from '@waymark/kernel/errors';
import { capture } from './capture.js';
import { expectAccessible, expectAccessibleEverywhere, watchPage } from './browser.js';
import { waitUntilServed, WAIT, type ConsoleTests } from './context.js';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

const ROOT = join(__dirname, '../../../../..');
const SECRET = 'whsec_YSBzZWNyZXQgb2YgMzIgYnl0ZXMsIGFzIHdlIGhhdmU=';

/** A search, and what is first in its results. */
const SEARCHES: [string, RegExp][] = [
  ['clicks', /analytics/],
  ['visit', /^POST\s+Explain what a visitor gets/],
  ['signature', /^Verify the signature/],
  ['webhook-signature', /^Verify the signature/],
  ['etag', /^Safe changes$/],
  ['If-Match', /^Safe changes$/],
  ['pagination', /^Lists$/],
  ['429', /rate_limit_exceeded/],
  ['timezone', /analytics/],
  ['event_types', /Create a webhook endpoint/],
  ['archive', /\/links$/],
  ['idempotency', /^Safe changes$/],
  ['rate limit', /^(Rate limits|Error rate_limit_exceeded)$/],
  ['sdk', /TypeScript client/],
  ['cursor_invalid', /^Problem cursor_invalid$/],
];

/** The headers and the body of a delivery that is signed now. */
function signedDelivery(body: string, sentAt = Date.now()) {
  const timestamp = String(Math.floor(sentAt / 1000));
  const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`evt_1.${timestamp}.${body}`).digest('base64');
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,b3RoZXI= v1,${signature}`,
  };
  return { headers, body };
}

/** The page at `/docs`. */
export function apiReferenceTests({ running, newContext, api }: ConsoleTests): void {
  describe('the API reference', () => {
    let context: BrowserContext;
    let page: Page;
    let problems: string[];
    const hosts = new Set<string>();
    const reference = (hash = '') => `${running().demo.base_url}/docs/${hash}`;
    const owner = () => running().demo.users['owner']!.token;
    /** Leaves the page, so that an address with another hash loads it again. */
    const load = async (hash = '') => {
      await page.goto('about:blank');
      await page.goto(reference(hash));
    };
    const sampleOf = (scope: Locator | Page, language: string) =>
      scope.getByRole('group', { name: new RegExp(`^${language}: `) });

    beforeAll(async () => {
      context = await newContext({ userAgent: FIREFOX });
      page = await context.newPage();
      problems = await watchPage(page);
      page.on('request', (request) => void hosts.add(new URL(request.url()).origin));
    });
    afterAll(async () => {
      await context?.close();
    });
    afterEach(() => {
      expect(problems).toEqual([]);
      expect([...hosts].filter((host) => host !== 'null')).toEqual([new URL(running().demo.base_url).origin]);
    });

    test('leads from the token to the first link and its first figure', async () => {
      await load();
      await page.getByRole('heading', { name: 'First steps' }).waitFor(WAIT);
      await page.getByRole('button', { name: 'Links' }).waitFor(WAIT);
      expect(await page.locator('[aria-expanded=true]').count()).toBe(0);
      await expectAccessibleEverywhere(page);
      await capture(page, 'api-reference');

      await page.getByLabel('Access token').fill('wmk_wrong');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').filter({ hasText: /\w/ }).waitFor(WAIT);
      await page.getByLabel('Access token').fill(running().demo.users['editor']!.token);
      await page.keyboard.press('Enter');
      await page.getByText('with the role editor, which may not read figures').waitFor(WAIT);
      await page.getByText('Requires the role owner, admin or analyst.').waitFor(WAIT);
      await page.getByRole('button', { name: 'Forget the token' }).press('Enter');
      await page.getByLabel('Access token').fill(owner());
      await page.keyboard.press('Enter');
      await page.getByText('The token is kept in this tab').waitFor(WAIT);
      await page.getByLabel('Destination').fill('https://example.com/newcomer');
      await page.getByRole('button', { name: 'Create the link' }).click();
      const link = page.locator(`a[href^="${running().demo.short_url}/"]`);
      await link.waitFor(WAIT);
      await waitUntilServed(link);
      const tab = context.waitForEvent('page');
      await link.press('Enter');
      await page.getByText('That is your first figure.').waitFor(WAIT);
      await (await tab).close();
    });

    test('keeps the token for the tab, not for others', async () => {
      await page.reload();
      await page.getByText('The token is kept in this tab').waitFor(WAIT);
      expect(await page.evaluate<string>('JSON.stringify(localStorage) + document.cookie')).not.toContain(owner());
      const other = await context.newPage();
      await other.goto(reference());
      await other.getByLabel('Access token').waitFor(WAIT);
      expect(await other.evaluate('sessionStorage.length')).toBe(0);
      await other.close();
    });

    test('opens the operation of an address, with samples that work and a form that sends it', async () => {
      const { base_url, workspace } = running().demo;
      await load('#links_create');
      await page.locator('#links_create[aria-expanded=true]:focus').waitFor(WAIT);
      const operation = page.locator('.operation[data-open]');
      await operation.getByText('Requires the role owner, admin or editor.').waitFor(WAIT);
      const body = `{"destination_url": "https://example.com/it's"}`;
      await operation.getByLabel('Body').fill(body);
      const curl = await sampleOf(operation, 'curl').innerText();
      expect(curl).toContain('-H "Idempotency-Key: $(openssl rand -hex 16)"');
      const created = execFileSync('sh', ['-c', `${curl} --silent --show-error`], {
        env: { ...process.env, WAYMARK_TOKEN: owner() },
        encoding: 'utf8',
      });
      expect(JSON.parse(created).data.destination_url).toBe("https://example.com/it's");
      await operation.getByRole('button', { name: 'TypeScript' }).click();
      const typescript = await sampleOf(operation, 'TypeScript').innerText();
      expect(typescript).toContain(`linksClient({ baseUrl: '${base_url}', token: process.env.WAYMARK_TOKEN })`);
      expect(typescript).toContain(`destination_url: 'https://example.com/it\\'s'`);
      await operation.getByRole('button', { name: 'Python' }).click();
      await page.reload();
      const python = await sampleOf(operation, 'Python').innerText();
      expect(python).toContain(`"${base_url}/api/v1/workspaces/${workspace}/links",`);
      expect(python).toContain('"destination_url": "https://shop.example.com/spring",');
      expect(python).toContain('"Idempotency-Key": str(uuid.uuid4())');

      await operation.getByLabel('Body').fill(body);
      await operation.getByRole('button', { name: 'Send POST' }).click();
      const result = operation.getByRole('status');
      await result.getByText('201 Created').waitFor(WAIT);
      for (const name of ['etag', 'ratelimit', 'x-request-id']) await result.getByText(name, { exact: true }).waitFor();
      await operation.getByRole('button', { name: '5 fields of utm_defaults' }).first().click();
      await operation.getByRole('button', { name: /headers of 201$/ }).click();
      await operation.getByText('Idempotency-Replayed', { exact: true }).waitFor(WAIT);
      await operation.getByRole('button', { name: /headers of errors$/ }).click();
      await operation.getByText('Retry-After', { exact: true }).waitFor(WAIT);
      await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
      await expectAccessible(page);
      await page.setViewportSize({ width: 320, height: 800 });
      await operation.getByRole('button', { name: 'TypeScript' }).click();
      await operation.getByRole('link', { name: 'The client' }).waitFor(WAIT);
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
      await expectAccessible(page);
      await capture(page, 'api-reference-operation');
      await operation.getByRole('button', { name: 'Python', exact: true }).click();
    });

    test('names what a sample needs at its beginning', async () => {
      const { id } = await api('/links', { destination_url: 'https://example.com/by-sample' });
      const { workspace } = running().demo;
      const other = await context.newPage();
      await other.goto(reference('#links_show'));
      const operation = other.locator('.operation[data-open]');
      await operation.getByRole('button', { name: 'TypeScript' }).click();
      const typescript = await sampleOf(operation, 'TypeScript').innerText();
      expect(typescript).toMatch(/^\/\/ npm install http:.*\/docs\/waymark-client\.tgz\n/);
      expect(typescript).toContain(`const workspace = 'acme';\nconst id = 'lnk_…';`);
      expect(typescript).toContain('params: { path: { workspace, id } }');
      await operation.getByRole('button', { name: 'Python' }).click();
      const python = await sampleOf(operation, 'Python').innerText();
      expect(python).toContain('WORKSPACE = "acme"\nID = "lnk_…"');
      expect(python).toContain('/api/v1/workspaces/{WORKSPACE}/links/{ID}",');
      await operation.getByRole('button', { name: 'curl' }).click();
      const curl = await sampleOf(operation, 'curl').innerText();
      expect(curl).toMatch(/^WORKSPACE=acme\nID=lnk_…\n/);
      const filled = curl.replace('=acme', `=${workspace}`).replace('=lnk_…', `=${id}`);
      const shown = execFileSync('sh', ['-c', `${filled} --silent --show-error`], {
        env: { ...process.env, WAYMARK_TOKEN: owner() },
        encoding: 'utf8',
      });
      expect(JSON.parse(shown).data.id).toBe(id);
      await other.close();
    });

    test('shows a request for each event, and programs that verify its signature', async () => {
      const document: any = await (await fetch(`${running().demo.base_url}/api/v1/openapi.json`)).json();
      const ajv = new Ajv2020({ strict: false, validateFormats: false });
      ajv.addSchema(document, 'openapi');
      await load('#webhook-events');
      const events = Object.entries<any>(document.webhooks);
      for (const [type, { post }] of events) {
        const event = page.locator(`#${post.operationId}`);
        await event.press('Enter');
        const example = page.getByRole('group', { name: `Example request: ${post.summary}` });
        const [head, body] = (await example.innerText()).split(/\n\n/);
        expect(head).toMatch(/webhook-id: evt_.*\nwebhook-timestamp: \d+\nwebhook-signature: v1,/);
        const path = `openapi#/webhooks/${type}/post/requestBody/content/application~1json/schema`;
        const validate = ajv.compile({ $ref: path });
        expect([type, validate(JSON.parse(body!)), validate.errors]).toEqual([type, true, null]);
        await event.press('Enter');
      }
      await page.locator('#link_updated').press('Enter');
      const changed = page.locator('.operation').filter({ has: page.locator('#link_updated') });
      await changed.getByRole('button', { name: '2 fields of data' }).click();
      await changed.getByRole('button', { name: '1 field of changes' }).click();
      await changed.getByRole('button', { name: '2 fields of {name}' }).click();
      await changed.getByText('from', { exact: true }).waitFor(WAIT);

      await page.getByRole('link', { name: 'Verify each request' }).click();
      await page.locator('#verify-webhooks:focus').waitFor(WAIT);
      const verify = page.locator('.verify');
      await verify.getByText('<webhook-id>.<webhook-timestamp>.<body>').waitFor(WAIT);
      const programs: [string, (program: string) => [string, string[]]][] = [
        ['TypeScript', (program) => [process.execPath, ['--input-type=module-typescript', '--eval', program]]],
        ['Python', (program) => ['python3', ['-c', program]]],
      ];
      const data = JSON.stringify({ id: 'evt_1', type: 'link.created', data: { title: 'Grüße' } });
      const genuine = signedDelivery(data);
      for (const [language, commandOf] of programs) {
        await verify.getByRole('button', { name: language }).click();
        const program = await sampleOf(verify, language).innerText();
        const run = (delivery: typeof genuine): string => {
          const json = JSON.stringify(delivery);
          const call =
            language === 'Python'
              ? `import json, sys\ngiven = json.loads(sys.argv[1])\nprint(verify(given["body"].encode(), given["headers"]))`
              : `const { body, headers } = JSON.parse(process.argv[1]!);
                 try { console.log(!!verify(Buffer.from(body), headers)); } catch { console.log(false); }`;
          const [command, args] = commandOf(`${program}\n${call}`);
          const output = execFileSync(command, [...args, json], {
            cwd: ROOT,
            env: { ...process.env, SIGNING_SECRET: SECRET },
            encoding: 'utf8',
          });
          return output.trim().toLowerCase();
        };
        const changedBody = { ...genuine, body: data.replace('Gr', 'gr') };
        const old = signedDelivery(data, Date.now() - 6 * 60_000);
        expect([language, ...[genuine, changedBody, old].map(run)]).toEqual([language, 'true', 'false', 'false']);
      }
      await expectAccessible(page);
    });

    test('leads to the headings of the basics, and from an error to its code', async () => {
      await page.setViewportSize({ width: 1280, height: 800 });
      await load();
      const { info }: any = await (await fetch(`${running().demo.base_url}/api/v1/openapi.json`)).json();
      const sections = page.getByRole('navigation');
      for (const [, name] of info.description.matchAll(/^## (.*)$/gm)) {
        await sections.getByRole('link', { name, exact: true }).click();
        await page.locator('h3:focus').getByText(name, { exact: true }).waitFor(WAIT);
      }
      await sections.getByRole('link', { name: 'How the API works' }).click();
      await page.locator('.group[data-open]').getByRole('link', { name: 'ProblemCode' }).click();
      await page.locator('h3:focus').getByText('Problems of a 422').waitFor(WAIT);
      await load('#links_create');
      await page.locator('.errors').getByRole('link', { name: 'conflict' }).click();
      await page.locator('li:focus').getByText('(409)').waitFor(WAIT);
      await page.locator('.errors').getByText('408 request_timeout').waitFor(WAIT);
      expect(await page.getByRole('link', { name: 'OpenAPI document' }).getAttribute('href')).toBe(
        '/api/v1/openapi.json',
      );
    });

    test('finds what a search is about first', async () => {
      const search = page.getByLabel('Search');
      const first = page.locator('.found-section, .operation > .disclosure-head').first();
      for (const [query, expected] of SEARCHES) {
        await search.fill(query);
        expect([query, (await first.innerText()).trim()]).toEqual([query, expect.stringMatching(expected)]);
      }
      await search.fill('sdk');
      await expectAccessible(page);
      await search.fill('rate limit');
      await page.getByRole('link', { name: 'Error rate_limit_exceeded' }).click();
      await page.locator('li:focus').getByText('(429)').waitFor(WAIT);
    });

    test('lists every code of errors and of problems', async () => {
      await load('#error-codes');
      const codes = page.locator('.group[data-open] code');
      await codes.getByText('quota_exceeded', { exact: true }).first().waitFor(WAIT);
      const listed = await codes.allInnerTexts();
      expect(listed).toEqual(expect.arrayContaining([...Object.keys(STATUS_OF), ...Object.keys(PROBLEM_CODES)]));
    });

    test('asks before it deletes, and finds operations by their words', async () => {
      const { id } = await api('/links', { destination_url: 'https://example.com/deleted' });
      await page.getByLabel('Search').fill('delete link');
      await page.locator('#links_delete').press('Enter');
      const operation = page.locator('.operation[data-open]');
      await operation.getByLabel('id (required)').fill(id);
      const send = operation.getByRole('button', { name: 'Send DELETE' });
      await send.press('Enter');
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).press('Enter');
      await send.and(page.locator(':focus')).press('Enter');
      await page.getByRole('dialog').getByText(`/links/${id}`).waitFor(WAIT);
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter');
      await operation.getByRole('status').getByText('204').waitFor(WAIT);
    });
  });
}
