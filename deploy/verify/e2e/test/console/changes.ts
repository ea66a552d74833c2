import type { APIResponse, Route } from 'playwright-core';
import { waitFor } from '@waymark/testing/wait-for';
import { expectAccessibleEverywhere, waitUntilLoaded } from './browser.js';
import { WAIT, type ConsoleTests } from './context.js';

const SIGN_INS_PER_ACCOUNT_AND_ADDRESS = 10;
/** More than two pages. */
const MANY = 120;
const TWO_PAGES = 70;

/** Gives the answer of an earlier time so often, as a service does that is behind. */
function keepAnswering(earlier: APIResponse, times: number) {
  let answered = 0;
  return (route: Route) => ((answered += 1) <= times ? route.fulfill({ response: earlier }) : route.continue());
}

/** The tests of what members do besides creating links, and of what goes wrong. */
export function changeTests({ openAs, address, pageOf, api, newContext, running }: ConsoleTests): void {
  const url = (path: string) => `${running().demo.base_url}${path}`;
  const linkUrl = (id: string) => `/api/v1/workspaces/${running().demo.workspace}/links/${id}`;
  const logsUrl = (id: string) =>
    url(`/api/v1/workspaces/${running().demo.workspace}/audit-logs?target=${id}&per_page=10`);
  const call = (method: string, path: string, body?: object) =>
    fetch(url(path), {
      method,
      headers: {
        authorization: `Bearer ${running().demo.users['owner']!.token}`,
        'content-type': 'application/json',
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  const createLinks = (names: string[]) =>
    Promise.all(names.map((name) => api('/links', { destination_url: 'https://example.com/', title: name })));

  test('shows the values of a conflicting change, and keeps the edits for the next save', async () => {
    const [link] = await createLinks(['As it was']);
    const { page, problems } = await openAs('owner', pageOf(`links/${link.id}`));
    await page.getByLabel('Title').fill('My title');
    await page.getByText('Campaign and UTM').click();
    await page.getByLabel('Campaign', { exact: true }).fill('mine');
    expect((await call('PATCH', linkUrl(link.id), { title: 'Their title' })).status).toBe(200);
    await page.keyboard.press('Enter');
    const alert = page.getByRole('alert');
    await alert.getByText('Title: Their title').waitFor(WAIT);
    expect(await page.getByLabel('Title').inputValue()).toBe('My title');
    await page.route('**/audit-logs?*', keepAnswering(await page.request.get(logsUrl(link.id)), 2));
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('No unsaved changes').waitFor(WAIT);
    const { data } = (await (await call('GET', linkUrl(link.id))).json()) as { data: any };
    expect([data.title, data.campaign_tag]).toEqual(['My title', 'mine']);
    await page.getByText('Title: Their title to My title').waitFor(WAIT);
    expect(await page.getByText('Created the link').count()).toBe(1);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('archives links by mouse, and reactivates them from the message', async () => {
    await createLinks(['mouse-1', 'mouse-2']);
    const { page, problems } = await openAs('owner', pageOf('links?search=mouse-&status=active'));
    const boxes = page.getByRole('row').getByRole('checkbox', { name: /^Select (?!all)/ });
    await boxes.nth(1).waitFor(WAIT);
    await boxes.nth(0).click();
    await boxes.nth(1).click();
    await page.getByRole('group', { name: '2 selected' }).getByRole('button', { name: 'Archive' }).click();
    await page.getByText('No links match these filters.').waitFor(WAIT);
    await page.getByRole('button', { name: 'Reactivate' }).click();
    await boxes.nth(1).waitFor(WAIT);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('archives only the selected links that still exist', async () => {
    const [gone] = await createLinks(['gone-1', 'gone-2']);
    const { page, problems } = await openAs('owner', pageOf('links?search=gone-&status=active'));
    await page.getByRole('row', { name: /gone-2/ }).waitFor(WAIT);
    await page.getByRole('checkbox', { name: /^Select all/ }).press('Space');
    await page.getByRole('group', { name: '2 selected' }).waitFor(WAIT);
    expect((await call('DELETE', linkUrl(gone.id))).status).toBe(204);
    await page.getByRole('group', { name: '1 selected' }).getByRole('button', { name: 'Archive' }).press('Enter');
    await page.getByText('No links match these filters.').waitFor(WAIT);
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.locator('h1:focus').waitFor(WAIT);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('names each selected link that could not be changed, with the reason', async () => {
    const [gone] = await createLinks(['partly-1', 'partly-2']);
    const { page, problems } = await openAs('owner', pageOf('links?search=partly-&status=active'));
    await page.getByRole('row', { name: /partly-2/ }).waitFor(WAIT);
    await page.getByRole('checkbox', { name: /^Select all/ }).press('Space');
    // The list does not learn of the deletion before the change.
    await page.route('**/links?*', (route) => route.abort());
    expect((await call('DELETE', linkUrl(gone.id))).status).toBe(204);
    await page.getByRole('group', { name: '2 selected' }).getByRole('button', { name: 'Archive' }).press('Enter');
    const alert = page.getByRole('alert').filter({ hasText: '1 of 2 links could not be changed:' });
    await alert
      .getByRole('listitem')
      .filter({ hasText: `/${gone.short_code}:` })
      .waitFor(WAIT);
    await page.unroute('**/links?*');
    await page.getByText('No links match these filters.').waitFor(WAIT);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('keeps the focus in the search, and moves it with a filter and with the field for a code', async () => {
    const { page, problems } = await openAs('owner', pageOf('links'));
    const focused = (name: string) => page.getByRole('button', { name }).and(page.locator(':focus')).waitFor(WAIT);
    await page.getByRole('row').nth(1).waitFor(WAIT);
    await page.getByLabel('Search links').focus();
    await page.keyboard.type('exam');
    await page.waitForURL(/search=exam$/, WAIT);
    await page.getByRole('row').nth(1).waitFor(WAIT);
    await page.keyboard.type('ple');
    await page.waitForURL(/search=example$/, WAIT);
    await page.getByRole('button', { name: 'Filter by Status' }).press('Enter');
    await page.locator('[role=menuitem]:focus').waitFor(WAIT);
    await page.keyboard.press('Enter');
    await focused('Remove the filter Status');
    await page.keyboard.press('Enter');
    await focused('Filter by Status');
    for (const round of ['first', 'second']) {
      await page.getByRole('button', { name: 'Custom code' }).press('Enter');
      const code = page.getByRole('textbox', { name: 'Custom code' });
      await code.and(page.locator(':focus')).waitFor(WAIT);
      await page.keyboard.type(round);
      expect(await code.inputValue()).toBe(round);
      await page.getByRole('button', { name: 'Close' }).press('Enter');
      await focused('Custom code');
    }
    expect(problems).toEqual([]);
    await page.close();
  });

  test('says in the list what visitors get now, and filters by it', async () => {
    const states = [
      ['opening-later', { starts_at: '2031-05-04T09:30:00Z' }],
      ['opening-over', { expires_at: '2020-02-03T12:00:00Z' }],
      ['opening-archived', { status: 'archived' }],
      ['opening-now', {}],
    ] as const;
    for (const [title, fields] of states)
      await api('/links', { destination_url: 'https://example.com/', title, ...fields });
    const { page, problems } = await openAs('owner', pageOf('links?search=opening-'));
    const stateOf = (title: string, state: string) =>
      page
        .getByRole('row', { name: new RegExp(title) })
        .getByText(state, { exact: true })
        .waitFor(WAIT);
    await stateOf('opening-later', 'Opens 4 May 2031');
    await stateOf('opening-over', 'Closed 3 Feb 2020');
    await stateOf('opening-archived', 'Archived');
    await stateOf('opening-now', 'Active');
    await expectAccessibleEverywhere(page);
    const rows = page.getByRole('row', { name: /opening-/ });
    const filter = async (choice: string, count: number) => {
      await page.getByRole('button', { name: 'Filter by Status' }).press('Enter');
      await page.getByRole('menuitem', { name: choice, exact: true }).press('Enter');
      await waitFor(`the links that are ${choice}`, async () => (await rows.count()) === count);
      await page.getByRole('button', { name: 'Remove the filter Status' }).press('Enter');
      await page.getByRole('button', { name: 'Filter by Status' }).and(page.locator(':focus')).waitFor(WAIT);
    };
    await filter('Scheduled', 1);
    await filter('Not archived', 3);
    await filter('Closed', 1);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('says that the tags could not be loaded, and loads them when the menu opens again', async () => {
    await api('/tags', { name: 'late tag' });
    const { page } = await openAs('owner', pageOf('links'));
    const open = () => page.getByRole('button', { name: 'Filter by Tag' }).click();
    await page.getByRole('row').nth(1).waitFor(WAIT);
    await page.route('**/tags', (route) => route.abort());
    await open();
    await page.getByText('The list could not be loaded.').waitFor(WAIT);
    await page.unroute('**/tags');
    await page.keyboard.press('Escape');
    await open();
    await page.getByRole('option', { name: 'late tag' }).waitFor(WAIT);
    await page.close();
  });

  describe('a long list', () => {
    beforeAll(async () => void (await createLinks(Array.from({ length: MANY }, (_, index) => `many-${index}`))));

    /** The list of the links, all of them loaded. */
    async function openAll() {
      const { page, problems } = await openAs('owner', pageOf(`links?search=many-`));
      const rows = page.getByRole('row', { name: /many-/ });
      await rows.first().waitFor(WAIT);
      // The figures of its row come later.
      const nameOfFirst = () => rows.first().getByRole('link').first().innerText();
      const first = await nameOfFirst();
      await waitFor('all links', async () => {
        await page.evaluate('scrollTo(0, document.body.scrollHeight)');
        return (await page.getByText(`${MANY} links`, { exact: true }).count()) === 1;
      });
      return { page, problems, rows, nameOfFirst, first };
    }

    test('loads further links while scrolling, and draws only those near the window', async () => {
      const { page, problems, rows, nameOfFirst, first } = await openAll();
      await waitFor('the first rows to be left out', async () => (await rows.count()) < MANY);
      expect(await rows.last().innerText()).toContain('many-');
      await page.evaluate('scrollTo(0, 0)');
      await waitFor('the first row', async () => (await nameOfFirst()) === first);
      expect(problems).toEqual([]);
      await page.close();
    });

    test('says how many links are changed when a later request fails, and keeps the others selected', async () => {
      const { page, problems } = await openAll();
      let requests = 0;
      await page.route('**/links/bulk', (route) => ((requests += 1) === 2 ? route.abort() : route.continue()));
      await page.getByRole('checkbox', { name: /^Select all/ }).press('Space');
      const archive = (count: number) =>
        page
          .getByRole('group', { name: `${count} selected` })
          .getByRole('button', { name: 'Archive' })
          .click(WAIT);
      await archive(MANY);
      const alert = page.getByRole('alert').filter({ hasText: `100 of ${MANY} links are changed` });
      await alert.waitFor(WAIT);
      // The message goes by itself after a few seconds.
      const said = page.getByText(`${MANY - 100} links archived.`).waitFor(WAIT);
      await Promise.all([archive(MANY - 100), said]);
      await alert.waitFor({ ...WAIT, state: 'detached' });
      await page.goto(pageOf('links?search=many-&status=active'));
      await page.getByText('No links match these filters.').waitFor(WAIT);
      expect(problems).toEqual([]);
      await page.close();
    });

    test('moves the view and the focus to the first of the older entries of the audit log', async () => {
      const { page, problems } = await openAs('owner', pageOf('audit'));
      const older = page.getByRole('button', { name: 'Older entries' });
      // The entries of the links come a little later than the links.
      await waitFor('more entries than one page shows', async () => {
        await page.reload();
        await waitUntilLoaded(page);
        return older.count();
      });
      const newest = await page.locator('.rows > li').first().innerText(WAIT);
      await older.press('Enter');
      const first = page.locator('.rows > li:first-child:focus');
      await first.waitFor(WAIT);
      expect(await first.innerText()).not.toBe(newest);
      const { y } = (await first.boundingBox())!;
      expect(y).toBeGreaterThanOrEqual(0);
      expect(y).toBeLessThan(await page.evaluate<number>('innerHeight'));
      expect(problems).toEqual([]);
      await page.close();
    });
  });

  test('shows the list as it was left after Back, with the change of the link that was opened', async () => {
    await createLinks(Array.from({ length: TWO_PAGES }, (_, index) => `deep-${index}`));
    const { page, problems } = await openAs('owner', pageOf(`links?search=deep-`));
    const rows = page.getByRole('row', { name: /deep-/ });
    await rows.first().waitFor(WAIT);
    await waitFor('all links', async () => {
      await page.evaluate('scrollTo(0, document.body.scrollHeight)');
      return (await page.getByText(`${TWO_PAGES} links`, { exact: true }).count()) === 1;
    });
    const link = rows.last().getByRole('link').first();
    await link.focus();
    const place = await page.evaluate<number>('scrollY');
    expect(place).toBeGreaterThan(1000);
    const isThere = async () => Math.abs((await page.evaluate<number>('scrollY')) - place) < 2;
    await page.keyboard.press('Enter');
    await page.getByLabel('Title').fill('deep-renamed');
    expect(await page.evaluate('scrollY')).toBe(0);
    await page.keyboard.press('Enter');
    await page.getByText('No unsaved changes').waitFor(WAIT);
    const pages: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('cursor=')) pages.push(request.url());
    });
    await page.goBack();
    await page.getByRole('row', { name: /deep-renamed/ }).waitFor(WAIT);
    await waitFor('the place in the list', isThere);
    await page.locator('a.short-link:focus').waitFor(WAIT);
    expect(await page.locator('.row:focus-within').innerText()).toContain('deep-renamed');
    expect(pages).toEqual([]);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('warns of a weak contrast of the QR code, and draws the darker colour that it suggests', async () => {
    const [link] = await createLinks(['Poster']);
    const { page, problems } = await openAs('owner', pageOf(`links/${link.id}`));
    await page.getByLabel('Foreground', { exact: true }).fill('#4f9d86');
    await page.getByText('Contrast 3.2 : 1.').waitFor(WAIT);
    await expectAccessibleEverywhere(page);
    await page.getByRole('button', { name: /^Darken to/ }).click();
    await page.getByText('Contrast 3.2 : 1.').waitFor({ ...WAIT, state: 'detached' });
    const colour = await page.getByLabel('Foreground', { exact: true }).inputValue();
    expect(colour).not.toBe('#4f9d86');
    const file = await page.getByRole('link', { name: 'Download SVG' }).getAttribute('href');
    const drawn = await call('GET', file!);
    expect([drawn.status, drawn.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    expect(await drawn.text()).toContain(colour);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('says how many seconds a limit lasts, and keeps what was typed', async () => {
    const credentials = { email: 'limited@example.com', password: 'not the password' };
    for (let count = 0; count < SIGN_INS_PER_ACCOUNT_AND_ADDRESS; count += 1) {
      expect((await call('POST', '/api/v1/session', credentials)).status).toBe(401);
    }
    const context = await newContext();
    const page = await context.newPage();
    await page.goto(address(''));
    await page.getByLabel('E-mail').fill(credentials.email);
    await page.getByLabel('Password', { exact: true }).fill(credentials.password);
    await page.keyboard.press('Enter');
    await page.getByText(/Too many requests\. Try again in \d+ s\./).waitFor(WAIT);
    expect(await page.getByLabel('E-mail').inputValue()).toBe(credentials.email);
    await context.close();
  });

  test('keeps nothing but the theme in web storage', async () => {
    const { page } = await openAs('owner', pageOf('links'));
    await page.getByLabel('Destination address').fill('https://example.com/not-stored');
    await page.getByRole('button', { name: /^Demo owner/ }).click();
    await page.getByRole('menuitemradio', { name: 'Theme: Dark' }).click();
    await page.getByRole('row').nth(1).getByRole('link').first().click();
    await page.getByLabel('Title').waitFor(WAIT);
    expect(await page.evaluate('[{ ...localStorage }, { ...sessionStorage }]')).toEqual([
      { 'waymark.theme': 'dark' },
      {},
    ]);
    await page.evaluate('localStorage.clear()');
    await page.close();
  });

  test('allows scripts and styles of its own origin alone, and is where a browser that opens the origin goes', async () => {
    const page = await fetch(url('/console/'));
    const policy = page.headers.get('content-security-policy');
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-cache']);
    expect(policy!.split(';')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data: blob:",
      "connect-src 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "form-action 'self'",
      "require-trusted-types-for 'script'",
    ]);
    const start = await fetch(url('/'), { headers: { accept: 'text/html' }, redirect: 'manual' });
    expect([start.status, start.headers.get('location')]).toEqual([302, '/console']);
    expect((await fetch(url('/'), { headers: { accept: 'application/json' } })).status).toBe(404);
  });
}
