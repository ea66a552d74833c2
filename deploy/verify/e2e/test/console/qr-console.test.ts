import type { Browser } from 'playwright-core';
import { startSystem, type RunningSystem } from '../system.js';
import { describeInBrowser, expectAccessible, launchBrowser, watchPage } from './browser.js';
import { WAIT } from './context.js';

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

  test('creates a QR code, keeps its style, downloads it for print and shows its figures', async () => {
    const { base_url: origin, workspace, users } = running.demo;
    const { email, password, token } = users['owner']!;
    const read = (path: string) => fetch(`${origin}${path}`, { headers: { authorization: `Bearer ${token}` } });
    const context = await browser.newContext({ permissions: ['clipboard-write', 'clipboard-read'] });
    const page = await context.newPage();
    const problems = await watchPage(page);
    await page.goto(`${origin}/console/w/${workspace}/links`);
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.keyboard.press('Enter');
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
    await expectAccessible(page);

    await page.getByRole('link', { name: 'Open in Analytics' }).click();
    await page.getByRole('tab', { name: 'Top QR codes' }).waitFor(WAIT);
    await page.getByText('No scans match these filters.').waitFor(WAIT);
    expect(await page.getByText('Conversions').count()).toBe(0);
    await expectAccessible(page);
    expect(problems).toEqual([]);
    await context.close();
  });
});
