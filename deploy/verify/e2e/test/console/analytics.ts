import type { Locator, Page } from 'playwright-core';
import { waitFor } from '@waymark/testing/wait-for';
import { expectAccessible, expectAccessibleEverywhere } from './browser.js';
import { capture } from './capture.js';
import { WAIT, type ConsoleTests } from './context.js';

const AGENTS = {
  Firefox: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  Safari:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
};
const CAMPAIGN = `all, <img src=x onerror="document.title='owned'">!\\`;

/** The tests of the page with the figures; they share the system and the sessions of the other pages. */
export function analyticsTests({ openAs, pageOf, api, running, clickHouse }: ConsoleTests): void {
  const filter = `campaign=${encodeURIComponent(CAMPAIGN.replace(/[,!\\]/g, '\\$&'))}`;
  const pageUrl = (query = filter) => pageOf(`analytics?timezone=UTC&${query}`);

  async function read(report: string, query: string): Promise<any> {
    const { base_url: origin, workspace, users } = running().demo;
    const response = await fetch(`${origin}/api/v1/workspaces/${workspace}/analytics/${report}?${query}`, {
      headers: { authorization: `Bearer ${users['owner']!.token}` },
    });
    expect(response.status).toBe(200);
    return ((await response.json()) as { data: any }).data;
  }

  /** Two links of one campaign: the first with three scans, the second with one. */
  async function createScans(): Promise<string[]> {
    const links = await Promise.all(
      ['first', 'second'].map((name) =>
        api('/links', {
          destination_url: `https://example.com/${name}`,
          title: `<b>${name}</b>`,
          campaign_tag: CAMPAIGN,
        }),
      ),
    );
    const visit = (link: any, agent: keyof typeof AGENTS) =>
      waitFor('the redirect', async () => {
        const headers = { 'user-agent': AGENTS[agent], referer: 'https://news.example/' };
        return (await fetch(link.short_url, { redirect: 'manual', headers })).status === 302;
      });
    await visit(links[0], 'Firefox');
    await visit(links[0], 'Firefox');
    await visit(links[0], 'Safari');
    await visit(links[1], 'Safari');
    await waitFor('the figures', async () => (await read('summary', filter)).kpis.total_scans === 4);
    return links.map(({ short_code: code }) => code as string);
  }

  const tile = (page: Page, name: string) => page.locator('.tile').filter({ hasText: name }).locator('.tile-figure');
  const rowsOf = async (table: Locator) =>
    (await table.locator('tbody tr').allInnerTexts()).map((row) => row.split(/\s*[\t\n]\s*/).filter(Boolean));

  describe('the page of the figures', () => {
    let codes: string[];
    beforeAll(async () => void (codes = await createScans()));

    test('shows what the API reports, by at most four requests, as a chart and as a table', async () => {
      const { page: first } = await openAs('owner');
      const page = await first.context().newPage();
      await first.close();
      const urls: string[] = [];
      page.on('request', (request) => void (request.url().includes('/api/') && urls.push(request.url())));
      await page.goto(pageUrl());
      await page.getByRole('link', { name: codes[0]! }).waitFor(WAIT);
      const { kpis, trend } = await read('summary', filter);
      expect(await tile(page, 'Scans').innerText()).toBe(String(kpis.total_scans));
      expect(await tile(page, 'Unique visitors').innerText()).toBe(String(kpis.unique_visitors));
      expect(await tile(page, 'Conversion rate').innerText()).toBe('0.0%');
      expect(await rowsOf(page.getByRole('table', { name: 'Top links' }))).toEqual([
        [`${codes[0]} · <b>first</b>`, '3', '75.0%'],
        [`${codes[1]} · <b>second</b>`, '1', '25.0%'],
      ]);
      await page.getByRole('tab', { name: 'Browser' }).click();
      const { browser } = await read('breakdowns', `${filter}&dimensions=browser`);
      expect(
        (await rowsOf(page.getByRole('table', { name: 'Browser' }))).map(([name, scans]) => [name, scans]),
      ).toEqual(browser.map(({ value, scans }: any) => [value, String(scans)]));
      await page.getByRole('button', { name: 'Show as table' }).first().click();
      const points = await rowsOf(page.getByRole('region', { name: 'Scans by day' }));
      expect(points.map(([, scans, visitors]) => [scans, visitors])).toEqual(
        trend.map((point: any) => [String(point.scans), String(point.unique_visitors)]),
      );
      expect(urls.length).toBeLessThanOrEqual(4);
      await page.close();
    });

    test('filters by a click on a row; reload, Back and Forward keep the chips, and their texts stay texts', async () => {
      const { page, problems } = await openAs('owner', pageUrl());
      await page.getByRole('tab', { name: 'Browser' }).click();
      await page.getByRole('link', { name: 'Firefox' }).click();
      const chip = page.getByRole('button', { name: 'Remove the filter Browser' });
      await chip.waitFor(WAIT);
      await page.getByText('not known with these filters').first().waitFor(WAIT);
      expect(await tile(page, 'Scans').innerText()).toBe('2');
      await page.reload();
      await chip.waitFor(WAIT);
      await page.goBack();
      await chip.waitFor({ ...WAIT, state: 'detached' });
      await page.goForward();
      await chip.click();
      await chip.waitFor({ ...WAIT, state: 'detached' });
      await page.getByText(`Campaign ${CAMPAIGN}`).waitFor(WAIT);
      await waitFor('the figures without the filter', async () => (await tile(page, 'Scans').innerText()) === '4');
      await waitFor('the title', async () => (await page.title()) === 'Analytics · Waymark');
      expect(problems).toEqual([]);
      await page.close();
    });

    test('opens a day of the chart and last month by keyboard, and says in words which range is too long', async () => {
      const { page, problems } = await openAs('owner', pageUrl());
      const chart = page.getByRole('slider', { name: 'Scans by day' });
      await chart.press('End');
      expect(await chart.getAttribute('aria-valuetext')).toMatch(/Scans: 4, Unique visitors: [1-4]/);
      await chart.press('Enter');
      // The day was the last of thirty, and there are fewer hours.
      await page.getByRole('slider', { name: 'Scans by hour' }).getByText('21:00').waitFor(WAIT);
      expect(new URL(page.url()).searchParams.get('from')).toBe(new Date().toISOString().slice(0, 10));
      await page.getByRole('button', { name: 'Choose the dates' }).press('Enter');
      await page.getByRole('button', { name: 'Last month' }).press('Enter');
      const now = new Date();
      const last = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 0)).toISOString().slice(0, 10);
      await waitFor('the range', () => new URL(page.url()).searchParams.get('until') === last);
      expect(new URL(page.url()).searchParams.get('from')).toBe(`${last.slice(0, 8)}01`);
      await page.goto(pageUrl('from=2000-01-01&until=2026-01-01'));
      await page.getByRole('alert').getByText('These figures cannot be shown.').waitFor(WAIT);
      await page.goto(pageUrl('city=Nowhere'));
      await page.getByText('No scans match these filters.').waitFor(WAIT);
      expect(problems).toEqual([]);
      await page.close();
    });

    test('adds up the values of the conversions by currency', async () => {
      const { page, problems } = await openAs('owner', pageUrl());
      await page.getByRole('link', { name: codes[0]! }).waitFor(WAIT);
      expect(await page.getByText('Conversion value').count()).toBe(0);
      const sold = [0.1, 0.2, 24].map((value) => ({ value, currency: 'EUR' }));
      const others = ['JPY', 'USD', 'XAF', 'CHF'].map((currency) => ({ value: 1000, currency }));
      for (const money of [...sold, ...others])
        await api('/conversions', { short_code: codes[0], source: 'shop', ...money });
      await waitFor('the figures', async () => (await read('summary', filter)).kpis.conversions === 7);
      await page.reload();
      await page.getByText('Conversion value: €24.30 · CHF\u00a01,000.00 · JP¥1,000 · 2 more').waitFor(WAIT);
      // Alone, conversions fill the height of the chart.
      const conversions = page.locator('.tile').filter({ hasText: 'Conversions' });
      await conversions.click();
      expect(await page.locator('.tile[aria-pressed=true]').allInnerTexts()).toEqual([
        expect.stringMatching(/^Conversions/),
      ]);
      const line = (await page.locator('.chart .line.conversions').boundingBox())!;
      expect(line.height).toBeGreaterThan(100);
      await conversions.click();
      expect(await page.locator('.tile[aria-pressed=true]').count()).toBe(2);
      await page.goto(pageUrl(`${filter}&browser=Safari`));
      await waitFor('the figures', async () => (await tile(page, 'Conversion rate').innerText()) === '–');
      expect(await page.getByText('Conversion value').count()).toBe(0);
      expect(problems).toEqual([]);
      await page.close();
    });

    test('says how to narrow a question that exceeds its limits, and answers one within them', async () => {
      const { page, problems } = await openAs('owner', pageUrl());
      await page.getByRole('link', { name: codes[0]! }).waitFor(WAIT);
      const alert = page.getByRole('alert').filter({ hasText: 'These figures need too much at once.' });
      await clickHouse().lowered(async () => {
        await page.getByRole('button', { name: '90 days' }).click();
        await alert.getByText('Select fewer days or dimensions, or filter by link or campaign.').waitFor(WAIT);
        await page
          .locator('.loading-bars, .chart, .ranked')
          .first()
          .waitFor({ ...WAIT, state: 'detached' });
        await page.setViewportSize({ width: 320, height: 800 });
        await expectAccessible(page);
        await page.setViewportSize({ width: 1280, height: 800 });
      });
      await page.getByRole('button', { name: 'Today' }).click();
      await waitFor('the figures', async () => (await tile(page, 'Scans').innerText()) === '4');
      await alert.waitFor({ ...WAIT, state: 'detached' });
      expect(problems).toEqual([]);
      await page.close();
    });

    test('has no accessibility violation in either theme, wide or narrow', async () => {
      const { page } = await openAs('owner', pageUrl());
      await page.getByRole('link', { name: codes[0]! }).waitFor(WAIT);
      await expectAccessibleEverywhere(page);
      await capture(page, 'analytics');
      await page.getByRole('button', { name: 'Show as table' }).first().click();
      await expectAccessible(page);
      await page.close();
    });
  });
}
