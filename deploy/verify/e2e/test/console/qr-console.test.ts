import type { Browser, Page } from 'playwright-core';
import { demoTokens, fillExample } from '@waymark/start/example/fill';
import { launchBrowser } from '@waymark/testing/browser';
import { waitFor } from '@waymark/testing/wait-for';
import { startSystem, type RunningSystem } from '../system.js';
import {
  describeInBrowser,
  expectAccessible,
  expectAccessibleEverywhere,
  waitUntilLoaded,
  watchPage,
} from './browser.js';
import { waitUntilServed, WAIT } from './context.js';
import { openPart } from './visits.js';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const DAY_MS = 24 * 3600_000;
const PRINT_WIDTH = 1024;
/** The width in the header of a PNG. */
const widthOfPng = (bytes: Buffer): number => bytes.readUInt32BE(16);

describeInBrowser('the console of the QR deployment', () => {
  let running: RunningSystem;
  let browser: Browser;
  beforeAll(async () => {
    running = await startSystem('qr');
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await running?.stop();
  });

  const read = (path: string) => {
    const { base_url, users } = running.demo;
    return fetch(`${base_url}${path}`, { headers: { authorization: `Bearer ${users['owner']!.token}` } });
  };
  async function openAsOwner(path: string): Promise<{ page: Page; problems: string[] }> {
    const { base_url, workspace, users } = running.demo;
    const { email, password } = users['owner']!;
    const context = await browser.newContext({ permissions: ['clipboard-write', 'clipboard-read'] });
    const page = await context.newPage();
    const problems = await watchPage(page);
    await page.goto(`${base_url}/console/w/${workspace}/${path}`);
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.keyboard.press('Enter');
    return { page, problems };
  }

  test('leads a reader of the API reference to the first QR code', async () => {
    const { base_url, short_url, users } = running.demo;
    const context = await browser.newContext({ userAgent: FIREFOX });
    const page = await context.newPage();
    const problems = await watchPage(page);
    await page.goto(`${base_url}/docs/`);
    await page.getByLabel('Access token').fill(users['owner']!.token);
    await page.keyboard.press('Enter');
    await page.getByText('The token is kept in this tab').waitFor(WAIT);
    await page.getByRole('button', { name: 'Create the QR code' }).click();
    await page.getByRole('img', { name: 'The QR code' }).waitFor(WAIT);
    const link = page.locator(`a[href^="${short_url}/"]`);
    await waitUntilServed(link);
    const tab = context.waitForEvent('page');
    await link.click();
    await page.getByText('That is your first figure.').waitFor(WAIT);
    await (await tab).close();
    expect(problems).toEqual([]);
    await context.close();
  });

  test('creates a QR code, keeps its style, downloads it for print and shows its figures', async () => {
    const { workspace } = running.demo;
    const { page, problems } = await openAsOwner('links');
    await page.getByRole('heading', { name: 'QR codes', level: 1 }).waitFor(WAIT);
    expect(await page.getByRole('navigation').first().getByRole('link').allInnerTexts()).not.toContain('Domains');
    await page.getByLabel('Destination address').fill('example.com/poster');
    await page.keyboard.press('Enter');
    const row = page.getByRole('row').filter({ hasText: 'example.com/poster' });
    await row.getByRole('link').first().click();
    const id = new URL(page.url()).pathname.split('/').at(-1)!;

    await page.getByLabel('Foreground', { exact: true }).fill('#123456');
    await page.getByLabel('Quiet margin').selectOption('8');
    await page.getByRole('button', { name: 'Save style' }).click();
    await page.getByText('The style is saved.').waitFor(WAIT);
    const shown = await read(`/api/v1/workspaces/${workspace}/qr-codes/${id}`);
    const { data } = (await shown.json()) as { data: { style: object } };
    expect(data.style).toMatchObject({ foreground: '#123456', margin: 8 });
    const print = await read((await page.getByRole('link', { name: 'Download PNG' }).getAttribute('href'))!);
    expect([print.status, print.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(widthOfPng(Buffer.from(await print.arrayBuffer()))).toBe(PRINT_WIDTH);
    await page.getByRole('heading', { name: 'Last 30 days' }).waitFor(WAIT);
    await openPart(page, 'Always open');
    await page.getByLabel('Limit of scans').fill('500');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Open, closes after 500 scans').waitFor(WAIT);
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.getByText('302 → https://example.com/poster').waitFor(WAIT);
    await expectAccessible(page);

    await page.getByRole('link', { name: 'Open in Analytics' }).click();
    await page.getByRole('tab', { name: 'Top QR codes' }).waitFor(WAIT);
    await page.getByText('No scans match these filters.').waitFor(WAIT);
    expect(await page.getByText('Conversions').count()).toBe(0);
    await expectAccessible(page);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('has no accessibility violation on any page, in either theme, wide or narrow', async () => {
    const { page, problems } = await openAsOwner('links');
    const links = page.getByRole('navigation').first().getByRole('link');
    await links.first().waitFor(WAIT);
    const paths = await links.evaluateAll((all) => all.map((each) => each.getAttribute('href')!));
    expect(paths.length).toBeGreaterThan(5);
    for (const path of [...paths, paths[0]!.replace(/links$/, 'profile')]) {
      await page.goto(running.demo.base_url + path);
      await waitUntilLoaded(page);
      await expectAccessibleEverywhere(page);
    }
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('archives QR codes together, exports them as CSV, and deletes one on its page', async () => {
    const { base_url, workspace, users } = running.demo;
    for (const title of ['together-1', 'together-2']) {
      const created = await fetch(`${base_url}/api/v1/workspaces/${workspace}/qr-codes`, {
        method: 'POST',
        headers: { authorization: `Bearer ${users['owner']!.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ destination_url: 'https://example.com/together', title }),
      });
      expect(created.status).toBe(201);
    }
    const { page, problems } = await openAsOwner('links?search=together&status=active');
    const rows = page.getByRole('row', { name: /together-/ });
    await rows.nth(1).waitFor(WAIT);
    const file = await read((await page.getByRole('link', { name: 'Export CSV' }).getAttribute('href'))!);
    expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect((await file.text()).match(/together-\d/g)).toHaveLength(2);
    await page.getByRole('checkbox', { name: /^Select all/ }).click();
    const bar = page.getByRole('group', { name: '2 selected' });
    expect(await bar.getByRole('button', { name: /Tag|Move/ }).count()).toBe(0);
    await bar.getByRole('button', { name: 'Archive' }).click();
    await page.getByText('2 QR codes archived.').waitFor(WAIT);
    await page.getByRole('button', { name: 'Reactivate' }).click();
    await rows.first().getByRole('link').first().click();
    await page.getByRole('main').getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete 1 QR code' }).click();
    await page.getByRole('heading', { name: 'QR codes', level: 1 }).waitFor(WAIT);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('uploads a logo without a change of the style, says why a file cannot be one, and removes it', async () => {
    const { base_url, workspace, users } = running.demo;
    const items = `/api/v1/workspaces/${workspace}/qr-codes`;
    const created = await fetch(`${base_url}${items}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${users['owner']!.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        destination_url: 'https://example.com/logo',
        style: { foreground: '#123456', margin: 8, error_correction: 'Q' },
      }),
    });
    const { id } = ((await created.json()) as { data: { id: string } }).data;
    const readStyle = async () =>
      ((await (await read(`${items}/${id}`)).json()) as { data: { style: { logo_url: string | null } } }).data.style;
    const { page, problems } = await openAsOwner(`links/${id}`);
    const preview = page.getByRole('img', { name: /^QR code of/ });
    const choose = (name: string, mimeType: string, buffer: Buffer) =>
      page.locator('input[type=file]').setInputFiles({ name, mimeType, buffer });
    await preview.waitFor(WAIT);
    await choose('notes.txt', 'text/plain', Buffer.from('no picture'));
    await page.getByText('This file is not a PNG or JPEG.').waitFor(WAIT);
    await choose('large.png', 'image/png', Buffer.alloc(64 * 1024 + 1));
    await page.getByText('The file has more than 64 kB.').waitFor(WAIT);
    await choose('broken.jpg', 'image/jpeg', Buffer.from('no picture'));
    await page.getByText('The picture cannot be drawn').waitFor(WAIT);
    await choose('wide.png', 'image/png', await pictureOf(browser, 2049));
    await page.getByText('more than 2,048 pixels a side').waitFor(WAIT);
    expect((await readStyle()).logo_url).toBeNull();

    await page.getByLabel('Title').fill('With a logo');
    await choose('logo.png', 'image/png', await pictureOf(browser, 48));
    await page.getByText('The logo is saved.').waitFor(WAIT);
    await page.getByText('more than 2,048 pixels a side').waitFor({ ...WAIT, state: 'detached' });
    const style = await readStyle();
    expect(style).toMatchObject({ foreground: '#123456', margin: 8, error_correction: 'H' });
    const drawn = async () => decodeURIComponent((await preview.getAttribute('src'))!);
    await waitFor('the logo in the preview', async () => (await drawn()).includes(style.logo_url!));
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('No unsaved changes').waitFor(WAIT);
    await page.getByLabel('Foreground', { exact: true }).fill('#4f9d86');
    await page.getByText('Contrast 3.2 : 1.').waitFor(WAIT);
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Remove the logo' }).press('Enter');
    await page.getByText('The logo is removed.').waitFor(WAIT);
    await page.getByRole('button', { name: 'Upload a logo' }).and(page.locator(':focus')).waitFor(WAIT);
    expect(await readStyle()).toMatchObject({ foreground: '#123456', error_correction: 'Q', logo_url: null });
    await waitFor('the preview without the logo', async () => !(await drawn()).includes('<image'));
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('shows the example of npm start, which completes an interrupted fill and counts nothing twice', async () => {
    const { workspace, users } = running.demo;
    const items = `/api/v1/workspaces/${workspace}/qr-codes`;
    const lines: string[] = [];
    const fill = () =>
      fillExample({ settings: running.system.settings, workspace, tokens: demoTokens(running.demo) }, (line) =>
        lines.push(line),
      );
    const readFigures = async () => {
      const start = new Date(Date.now() - 60 * DAY_MS).toISOString().slice(0, 10);
      const summary = await read(`/api/v1/workspaces/${workspace}/analytics/summary?start_date=${start}`);
      const { data, meta } = (await summary.json()) as { data: { kpis: Record<string, number> }; meta: any };
      return { kpis: data.kpis, countedTo: Date.parse(meta.data_as_of) };
    };
    await fill();
    const { kpis } = await readFigures();
    expect(Math.min(kpis['total_scans']!, kpis['unique_visitors']!, kpis['bot_scans']!)).toBeGreaterThan(0);
    const { data } = (await (await read(`${items}?search=early-bird`)).json()) as { data: { id: string }[] };
    // As if the fill had been interrupted before its last step.
    await fetch(`${running.demo.base_url}${items}/${data[0]!.id}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${users['owner']!.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ status: 'active' }),
    });
    await fill();
    expect(lines.at(-1)).toBe(`the workspace ${workspace} is filled with eight weeks of an example`);
    await fill();
    expect(lines.at(-1)).toBe(`the workspace ${workspace} has the example already: nothing was added`);
    // Scans that were sent again are stored before this one.
    const visit = { redirect: 'manual', headers: { 'user-agent': FIREFOX } } as const;
    expect((await fetch(`${running.demo.short_url}/tickets`, visit)).status).toBe(302);
    const visitedAt = Date.now();
    const later = await waitFor('the visit in complete figures', async () => {
      const figures = await readFigures();
      return figures.countedTo > visitedAt && figures.kpis['total_scans']! > kpis['total_scans']! && figures.kpis;
    });
    expect(later).toMatchObject({ total_scans: kpis['total_scans']! + 1, bot_scans: kpis['bot_scans'] });

    const { page, problems } = await openAsOwner('analytics');
    await page.getByRole('table', { name: 'Top QR codes' }).getByText('Tickets').waitFor(WAIT);
    await expectAccessible(page);
    expect(problems).toEqual([]);
    await page.context().close();
  });
});

/** A PNG of this width. */
async function pictureOf(browser: Browser, width: number): Promise<Buffer> {
  const page = await browser.newPage({ viewport: { width, height: 48 } });
  await page.setContent('<body style="background: #c2410c">');
  const picture = await page.screenshot();
  await page.close();
  return picture;
}
