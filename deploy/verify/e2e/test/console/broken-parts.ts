import { launchBrowser } from '@waymark/testing/browser';
import { watchPage } from './browser.js';
import { WAIT, type ConsoleTests } from './context.js';

/** The tests of a page whose parts cannot be shown, or in a browser that lacks something. */
export function brokenPartTests({ openAs, pageOf, api, signIn }: ConsoleTests): void {
  test('works in UTC in a browser that does not know its time zone', async () => {
    const link = await api('/links', { destination_url: 'https://example.com/no-zone', title: 'Without a zone' });
    const browser = await launchBrowser({ TZ: 'Etc/Unknown' });
    try {
      const page = await browser.newPage();
      const problems = await watchPage(page);
      await page.goto(pageOf('links?search=Without'));
      await signIn(page, 'owner');
      expect(await page.evaluate('Intl.DateTimeFormat().resolvedOptions().timeZone')).toBe('Etc/Unknown');
      await page
        .getByRole('row', { name: /Without a zone/ })
        .getByRole('img', { name: /^Scans of the last 7 days/ })
        .waitFor(WAIT);
      await page.goto(pageOf('analytics'));
      await page.getByText(/^Counted up to .*, UTC$/).waitFor(WAIT);
      await page.getByRole('button', { name: 'Choose the dates' }).click();
      expect(await page.getByLabel('Time zone').inputValue()).toBe('UTC');
      await page.goto(pageOf(`links/${link.id}`));
      await page.getByRole('slider', { name: 'Scans by day' }).waitFor(WAIT);
      expect(await page.getByLabel('Title').inputValue()).toBe('Without a zone');
      expect(problems).toEqual([]);
    } finally {
      await browser.close();
    }
  });

  test('shows the other parts of a page when one throws, and the page after a reload', async () => {
    const link = await api('/links', { destination_url: 'https://example.com/part', title: 'In parts' });
    const { page, problems } = await openAs('owner', pageOf('links'));
    const broken = page.getByRole('alert').filter({ hasText: 'This part could not be shown.' });
    // An answer that nothing expects.
    const figures = '**/analytics/summary?*';
    await page.route(figures, (route) => route.fulfill({ json: { data: {}, meta: {} } }));
    await page.goto(pageOf(`links/${link.id}`));
    await broken.waitFor(WAIT);
    expect(await page.getByLabel('Title').inputValue()).toBe('In parts');
    await page.getByRole('img', { name: /^QR code of/ }).waitFor(WAIT);
    await page.unroute(figures);
    await broken.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('slider', { name: 'Scans by day' }).waitFor(WAIT);

    const members = '**/members';
    await page.route(members, (route) => route.fulfill({ json: { data: [{}] } }));
    const navigation = page.getByRole('navigation').first();
    await navigation.getByRole('link', { name: 'Members' }).click();
    await page.getByRole('heading', { name: 'Something went wrong', level: 1 }).waitFor(WAIT);
    await navigation.getByRole('link', { name: 'Tokens' }).click();
    await page.getByRole('heading', { name: 'Tokens', level: 1 }).waitFor(WAIT);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.filter((problem) => !problem.startsWith('error: '))).toEqual([]);

    // A handler of a click throws.
    await page.evaluate('void (history.pushState = null)');
    await navigation.getByRole('link', { name: 'Domains' }).click();
    const message = page.getByRole('status').filter({ hasText: 'This did not work.' });
    await message.getByRole('button', { name: 'Reload' }).click();
    await navigation.getByRole('link', { name: 'Domains' }).click();
    await page.getByRole('heading', { name: 'Domains', level: 1 }).waitFor(WAIT);
    await page.close();
  });

  test('loads a page that was not visited before when the connection is back', async () => {
    const { page } = await openAs('owner', pageOf('links'));
    await page.getByRole('row').nth(1).waitFor(WAIT);
    // Routing switches the browser's cache off, which has the page if another test has visited it.
    await page.route('**/*', (route) => route.continue());
    try {
      await page.context().setOffline(true);
      await page.getByRole('navigation').first().getByRole('link', { name: 'Audit log' }).click();
      await page.getByRole('heading', { name: 'The page could not be loaded' }).waitFor(WAIT);
      await page.getByText(/^Next try in \d+ s$/).waitFor(WAIT);
    } finally {
      // Other tests share the browser's connection.
      await page.context().setOffline(false);
    }
    await page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor(WAIT);
    await page.close();
  });
}
