import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchBrowser, PLAIN_HTTP_HOST } from '@waymark/testing/browser';
import { MailServer } from '@waymark/testing/mail-server';
import { testServers } from '@waymark/testing/servers';
import { waitFor } from '@waymark/testing/wait-for';
import { startSystem, type RunningSystem } from '../system.js';
import { analyticsTests } from './analytics.js';
import { apiReferenceTests } from './api-reference.js';
import { appearanceTests } from './appearance.js';
import { auditTests } from './audit.js';
import {
  describeInBrowser,
  expectAccessible,
  expectAccessibleEverywhere,
  waitUntilLoaded,
  watchPage,
} from './browser.js';
import { brokenPartTests } from './broken-parts.js';
import { changeTests } from './changes.js';
import { LimitedClickHouse } from './clickhouse-limits.js';
import { HOSTILE, WAIT, type ConsoleTests } from './context.js';
import { deliveryTests } from './deliveries.js';
import { domainTests } from './domains.js';
import { failureTests, LIMITS } from './failures.js';
import { germanTests } from './german.js';
import { importTests } from './import.js';
import { linkPageTests } from './link-page.js';
import { memberTests } from './members.js';
import { organiseTests } from './organise.js';
import { pickerTests } from './pickers.js';
import { pictureTests } from './pictures.js';
import { recentSignInTests } from './recent-sign-in.js';
import { roleTests } from './roles.js';
import { secondFactorTests } from './second-factor.js';
import { unsavedTests } from './unsaved.js';
import { openPart, visitTests } from './visits.js';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const ASSETS = join(__dirname, '../../../../../gateway/dist/public/console/assets');

describeInBrowser('the console', () => {
  let clickHouse: LimitedClickHouse;
  let mails: MailServer;
  let running: RunningSystem;
  let browser: Browser;
  const contexts = new Map<string, BrowserContext>();

  beforeAll(async () => {
    clickHouse = await LimitedClickHouse.start(testServers().CLICKHOUSE_URL);
    process.env['CLICKHOUSE_URL'] = clickHouse.url;
    mails = await MailServer.start();
    running = await startSystem('links', { ...LIMITS, SMTP_URL: mails.url });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await running?.stop();
    await clickHouse?.stop();
    await mails?.stop();
  });

  const address = (path = '') => `${running.demo.base_url}/console${path}`;
  const pageOf = (path: string) => address(`/w/${running.demo.workspace}/${path}`);
  const linksPage = () => pageOf('links');

  async function signIn(page: Page, name: string): Promise<void> {
    const { email, password } = running.demo.users[name]!;
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.keyboard.press('Enter');
  }

  /** A page of a user who has signed in; one session for each user. */
  async function openAs(name: string, url = linksPage()): Promise<{ page: Page; problems: string[] }> {
    const known = contexts.get(name);
    const context = known ?? (await browser.newContext({ permissions: ['clipboard-write', 'clipboard-read'] }));
    contexts.set(name, context);
    const page = await context.newPage();
    const problems = await watchPage(page);
    await page.goto(url);
    if (!known) await signIn(page, name);
    await page
      .getByRole('navigation')
      .first()
      .waitFor({ ...WAIT, state: 'attached' });
    return { page, problems };
  }

  const api = async (path: string, body: object): Promise<any> => {
    // A busy machine may answer 503, and a fast one uses up the limit.
    const response = await waitFor(`POST ${path}`, async () => {
      const answer = await fetch(`${running.demo.base_url}/api/v1/workspaces/${running.demo.workspace}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${running.demo.users['owner']!.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return ![429, 503].includes(answer.status) && answer;
    });
    expect(response.status).toBe(201);
    return ((await response.json()) as { data: any }).data;
  };

  test('creates a link, and shows its first scan without a reload, by keyboard alone', async () => {
    const { page, problems } = await openAs('owner');
    const field = page.getByLabel('Destination address');
    await field.focus();
    await page.keyboard.type('//example.com/by-keyboard');
    await page.keyboard.press('Enter');
    await page.getByText('is copied. Paste it anywhere.').waitFor(WAIT);
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toContain(`${running.demo.short_url}/`);
    const row = page.getByRole('row').filter({ hasText: 'example.com/by-keyboard' });
    await row.waitFor(WAIT);
    expect(await row.getByRole('cell').nth(5).innerText()).toMatch(/^0/);
    await waitFor('the redirect', async () => {
      const visit = await fetch(copied, { redirect: 'manual', headers: { 'user-agent': FIREFOX } });
      return visit.status === 302;
    });
    await row.getByText(/^1/).first().waitFor(WAIT);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('still changes things after a reload and in a second tab', async () => {
    const first = await openAs('owner');
    const second = await openAs('owner');
    for (const { page } of [first, second]) {
      await page.reload();
      await page.getByLabel('Destination address').fill('https://example.com/after-reload');
      await page.keyboard.press('Enter');
      await page.getByText('is copied. Paste it anywhere.').waitFor(WAIT);
      await page.close();
    }
  });

  test('asks to sign in when the session has ended, and then opens the requested page', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${linksPage()}?status=active&sort=title`);
    await signIn(page, 'owner');
    await page.getByLabel('Destination address').waitFor(WAIT);
    expect(await page.evaluate<string>('document.activeElement.tagName')).toBe('BODY');
    await context.clearCookies();
    await page.getByText('Your session has ended.').waitFor(WAIT);
    await signIn(page, 'owner');
    await page.getByLabel('Destination address').waitFor(WAIT);
    expect(new URL(page.url()).search).toBe('?status=active&sort=title');
    await context.close();
  });

  test('says what to do when the browser does not keep the cookie over plain http', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const url = new URL(address());
    url.hostname = PLAIN_HTTP_HOST;
    await page.goto(url.href);
    await signIn(page, 'owner');
    await page.getByText('your browser did not keep the session').waitFor(WAIT);
    await context.close();
  });

  test('keeps what was typed while the server cannot be reached', async () => {
    const { page } = await openAs('owner');
    await page.getByRole('row').nth(1).waitFor(WAIT);
    const context = page.context();
    await context.setOffline(true);
    await page.getByLabel('Destination address').fill('https://example.com/offline');
    await page.keyboard.press('Enter');
    await page.getByText('The link was not created.').waitFor(WAIT);
    expect(await page.getByLabel('Destination address').inputValue()).toBe('https://example.com/offline');
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('is copied. Paste it anywhere.').waitFor(WAIT);
    await page.close();
  });

  test('keeps filters with Back and Forward', async () => {
    const { page } = await openAs('owner');
    await page.getByRole('button', { name: 'Filter by Status' }).click();
    await page.getByRole('menuitem', { name: 'Archived', exact: true }).click();
    await page.getByText('No links match these filters.').waitFor(WAIT);
    await page.goBack();
    await page.getByRole('row').nth(1).waitFor(WAIT);
    await page.goForward();
    await page.getByText('No links match these filters.').waitFor(WAIT);
    await page.close();
  });

  test('saves only what was edited on the page of a link', async () => {
    const { page, problems } = await openAs('owner');
    await page.getByRole('row').nth(1).getByRole('link').first().click();
    await page.getByLabel('Title').fill('A new title');
    await page.getByText('1 unsaved change').waitFor(WAIT);
    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await page.keyboard.press('Enter');
    expect((await sent).postDataJSON()).toEqual({ title: 'A new title' });
    await page.getByText('Changes saved.').waitFor(WAIT);
    await page.getByText('No unsaved changes').waitFor(WAIT);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('shows hostile texts as texts', async () => {
    const tags = await Promise.all(HOSTILE.map((text) => api('/tags', { name: text.slice(0, 50), color: '#336699' })));
    const folder = await api('/folders', { name: HOSTILE[0] });
    let link: any;
    for (const text of HOSTILE) {
      link = await api('/links', {
        destination_url: `https://example.com/?q=${encodeURIComponent(text)}`,
        title: text,
        campaign_tag: text.slice(0, 100),
        tag_ids: tags.map(({ id }) => id as string),
        folder_id: folder.id as string,
        expired_url: `https://example.com/ended?q=${encodeURIComponent(text)}`,
        max_scans: 5,
      });
    }
    const { page, problems } = await openAs('owner');
    for (const text of HOSTILE.slice(0, 3)) await page.getByText(text, { exact: true }).first().waitFor(WAIT);
    await page.getByRole('button', { name: 'Filter by Tag' }).click();
    await page.getByRole('listbox').getByRole('option').nth(3).click();
    await page.getByLabel('Search links').fill(HOSTILE[0]!);
    await page.goto(
      `${linksPage()}?campaign=${encodeURIComponent(HOSTILE[0]!)}&sort=${encodeURIComponent(HOSTILE[1]!)}`,
    );
    await page.getByText(HOSTILE[0]!).first().waitFor(WAIT);
    await waitFor('the title', async () => (await page.title()) === 'Links · Waymark');
    await page.goto(pageOf(`links/${link.id}`));
    await openPart(page, 'When');
    await page.getByText(/^When it has closed, visitors are sent to example\.com\/ended/).waitFor(WAIT);
    expect(problems).toEqual([]);
    await page.close();
  });

  test.each([
    ['the form to sign in', ''],
    ['the request for a new password', 'reset'],
    ['a link for a new password', 'reset/unknown'],
    ['an invitation', 'invitations/unknown'],
  ])('has no accessibility violation in %s', async (_name, path) => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(address(`/${path}`));
    await page.getByRole('heading', { level: 1 }).waitFor(WAIT);
    await expectAccessibleEverywhere(page);
    await context.close();
  });

  test.each([
    [
      'owner',
      [
        'Links',
        'Analytics',
        'Folders and tags',
        'Import',
        'Domains',
        'Webhooks',
        'Tokens',
        'Members',
        'Audit log',
        'Settings',
      ],
    ],
    ['viewer', ['Links', 'Folders and tags', 'Import', 'Domains', 'Tokens', 'Settings']],
  ])('%s finds the pages of the role, without an accessibility violation', async (name, texts) => {
    const { page, problems } = await openAs(name);
    const links = page.getByRole('navigation').first().getByRole('link');
    await links.nth(texts.length - 1).waitFor(WAIT);
    expect(await links.allInnerTexts()).toEqual(texts);
    const paths = await links.evaluateAll((all) => all.map((each) => each.getAttribute('href')!));
    for (const path of [...paths, paths[0]!.replace(/links$/, 'profile')]) {
      await page.goto(new URL(path, running.demo.base_url).href);
      await waitUntilLoaded(page);
      // A viewer sees parts of the same pages.
      if (name === 'owner') await expectAccessibleEverywhere(page);
      else await expectAccessible(page);
    }
    expect(problems).toEqual([]);
    await page.close();
  });

  test('shows the plaintext of a new token once, and revokes it with the tokens that it created', async () => {
    const { page, problems } = await openAs('owner', address(`/w/${running.demo.workspace}/tokens`));
    const [name] = HOSTILE;
    await page.getByRole('button', { name: 'Create token' }).press('Enter');
    await page.getByRole('dialog').locator('input:focus').waitFor(WAIT);
    await page.keyboard.type(name!);
    await page.keyboard.press('Enter');
    const plaintext = await page.getByLabel('Token', { exact: true }).inputValue(WAIT);
    // Copied at once, and closed on purpose alone.
    await page.getByText('Copied. You can close this.').waitFor(WAIT);
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(plaintext);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    expect(await page.getByLabel('Token', { exact: true }).inputValue()).toBe(plaintext);
    const tokens = `${running.demo.base_url}/api/v1/workspaces/${running.demo.workspace}/tokens`;
    const headers = { authorization: `Bearer ${plaintext}`, 'content-type': 'application/json' };
    const minted = await fetch(tokens, { method: 'POST', headers, body: JSON.stringify({ name: 'minted' }) });
    expect(minted.status).toBe(201);
    await page.getByRole('button', { name: 'Done' }).press('Enter');
    await page.reload();
    await page.getByText(`created by the token ${name}`).waitFor(WAIT);
    expect(await page.content()).not.toContain(plaintext);
    await page.getByRole('button', { name: `Revoke token ${name}` }).press('Enter');
    expect(await page.getByLabel('Also revoke the tokens that it created').isChecked()).toBe(true);
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke token' }).press('Enter');
    await page.getByText(`created by the token ${name}`).waitFor({ ...WAIT, state: 'detached' });
    expect((await fetch(tokens, { headers })).status).toBe(401);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('shows the signing secret of a new webhook once, and the request and error of a delivery', async () => {
    const { page, problems } = await openAs('owner', address(`/w/${running.demo.workspace}/webhooks`));
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error())');
    await page.getByLabel('Address').fill('http://127.0.0.1:65535/hook');
    await page.getByLabel('Description').fill(HOSTILE[1]!);
    await page.keyboard.press('Enter');
    const secret = await page.getByLabel('Signing secret', { exact: true }).inputValue(WAIT);
    expect(secret).toMatch(/^whsec_/);
    const done = page.getByRole('button', { name: 'Done' });
    await done.and(page.locator('[aria-disabled=true]')).press('Enter');
    await page.keyboard.press('Escape');
    expect(await page.getByLabel('Signing secret', { exact: true }).inputValue()).toBe(secret);
    await expectAccessible(page);
    await page.getByLabel('I have stored it').press('Space');
    await done.press('Enter');
    await page.getByRole('link', { name: HOSTILE[1]! }).click();
    await page.getByText('No deliveries match.').waitFor(WAIT);
    expect(await page.content()).not.toContain(secret);
    await page.getByRole('button', { name: 'Send test event' }).click();
    await page.getByRole('button', { name: 'Show details: webhook.test' }).first().click();
    await page.getByText('"type": "webhook.test"').waitFor(WAIT);
    await page.getByText('Last delivery failed').waitFor(WAIT);
    expect(await page.getByText('Healthy', { exact: true }).count()).toBe(0);
    expect(problems).toEqual([]);
    await page.close();
  });

  const shared: ConsoleTests = {
    running: () => running,
    clickHouse: () => clickHouse,
    mails: () => mails,
    address,
    pageOf,
    openAs,
    newContext: (options) => browser.newContext(options),
    signIn,
    api,
  };
  apiReferenceTests(shared);
  brokenPartTests(shared);
  unsavedTests(shared);
  pickerTests(shared);
  organiseTests(shared);
  linkPageTests(shared);
  visitTests(shared);
  domainTests(shared);
  auditTests(shared);
  memberTests(shared);
  recentSignInTests(shared);
  secondFactorTests(shared);
  germanTests(shared);
  analyticsTests(shared);
  deliveryTests(shared);
  changeTests(shared);
  appearanceTests(shared);
  failureTests(shared);
  roleTests(shared);
  importTests(shared);
  pictureTests(shared);

  test('needs at most six requests and the agreed bytes to the first list', async () => {
    const { page: first } = await openAs('owner');
    await first.close();
    const page = await contexts.get('owner')!.newPage();
    const urls: string[] = [];
    page.on('request', (request) => void urls.push(request.url()));
    await page.goto(linksPage());
    await page.getByRole('row').nth(1).waitFor(WAIT);
    // Browsers load the icon beside; nothing waits for it.
    const needed = urls.filter((url) => !url.endsWith('/favicon.svg'));
    const untilList = needed.slice(0, needed.findIndex((url) => /\/links\?/.test(url)) + 1);
    expect(untilList).not.toEqual([]);
    expect(untilList.slice(6)).toEqual([]);
    const compressedSize = (extension: string) =>
      untilList
        .filter((url) => url.endsWith(extension))
        .reduce((sum, url) => sum + readFileSync(join(ASSETS, `${basename(url)}.gz`)).length, 0);
    for (const extension of ['.js', '.css']) expect(compressedSize(extension)).toBeGreaterThan(1000);
    expect(compressedSize('.js')).toBeLessThanOrEqual(45_000);
    expect(compressedSize('.css')).toBeLessThanOrEqual(10_000);
    await page.close();
  });
});
