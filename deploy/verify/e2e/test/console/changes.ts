import { waitFor } from '@waymark/testing/wait-for';
import { waitUntilReady } from '@waymark/launcher/system';
import { totpCode, untilStepLasts } from '@waymark/testing/totp';
import { WAIT, type ConsoleTests } from './context.js';

const SIGN_INS_PER_ACCOUNT_AND_ADDRESS = 10;
/** More than two pages. */
const MANY = 120;

/** The tests of what members do besides creating links, and of what goes wrong. */
export function changeTests({ openAs, address, pageOf, api, newContext, running }: ConsoleTests): void {
  const url = (path: string) => `${running().demo.base_url}${path}`;
  const linkUrl = (id: string) => `/api/v1/workspaces/${running().demo.workspace}/links/${id}`;
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
    await page.getByLabel('Campaign', { exact: true }).fill('mine');
    expect((await call('PATCH', linkUrl(link.id), { title: 'Their title' })).status).toBe(200);
    await page.keyboard.press('Enter');
    const alert = page.getByRole('alert');
    await alert.getByText('Title: Their title').waitFor(WAIT);
    expect(await page.getByLabel('Title').inputValue()).toBe('My title');
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

  test('loads further links while scrolling, and draws only those near the window', async () => {
    await createLinks(Array.from({ length: MANY }, (_, index) => `many-${index}`));
    const { page, problems } = await openAs('owner', pageOf(`links?search=many-`));
    const rows = page.getByRole('row', { name: /many-/ });
    await rows.first().waitFor(WAIT);
    const first = await rows.first().innerText();
    await waitFor('all links', async () => {
      await page.evaluate('scrollTo(0, document.body.scrollHeight)');
      return (await page.getByText(`${MANY} links`, { exact: true }).count()) === 1;
    });
    await waitFor('the first rows to be left out', async () => (await rows.count()) < MANY);
    expect(await rows.last().innerText()).toContain('many-');
    await page.evaluate('scrollTo(0, 0)');
    await waitFor('the first row', async () => (await rows.first().innerText()) === first);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('warns of a weak contrast of the QR code, and draws the darker colour that it suggests', async () => {
    const [link] = await createLinks(['Poster']);
    const { page, problems } = await openAs('owner', pageOf(`links/${link.id}`));
    await page.getByLabel('Foreground', { exact: true }).fill('#4f9d86');
    await page.getByText('Contrast 3.2 : 1.').waitFor(WAIT);
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

  test('signs in with a code of the authenticator app', async () => {
    const { page } = await openAs('analyst', pageOf(`profile`));
    await page.getByRole('button', { name: 'Enable two-factor sign-in' }).click();
    const secret = await page.getByLabel('Secret', { exact: true }).inputValue(WAIT);
    await untilStepLasts(10_000);
    await page.getByLabel('Code of the app').fill(totpCode(secret));
    await page.keyboard.press('Enter');
    await page.getByText('Store your recovery codes').waitFor(WAIT);
    await page.close();
    const context = await newContext();
    const other = await context.newPage();
    const { email, password } = running().demo.users['analyst']!;
    await other.goto(address(''));
    await other.getByLabel('E-mail').fill(email);
    await other.getByLabel('Password', { exact: true }).fill(password);
    await other.keyboard.press('Enter');
    // A code works once: the one of the next step was not used to enable it.
    await other.getByLabel('Code of your authenticator app').fill(totpCode(secret, 1));
    await other.keyboard.press('Enter');
    await other.getByRole('heading', { name: 'Links' }).waitFor(WAIT);
    await context.close();
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

  test('keeps what was typed while a service is stopped, and creates the link when it runs again', async () => {
    const resource = running().system.process('resource');
    const { page } = await openAs('owner', pageOf(`links`));
    const field = page.getByLabel('Destination address');
    await field.fill('https://example.com/while-it-restarts');
    await resource.stop();
    await page.keyboard.press('Enter');
    await page.getByText('The link was not created.').waitFor(WAIT);
    expect(await field.inputValue()).toBe('https://example.com/while-it-restarts');
    await resource.start();
    await waitUntilReady(resource);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('is copied. Paste it anywhere.').waitFor(WAIT);
    await page.close();
  });

  test('allows scripts and styles of its own origin alone, and is where a browser that opens the origin goes', async () => {
    const page = await fetch(url('/console/'));
    const policy = page.headers.get('content-security-policy');
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-cache']);
    for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"]) {
      expect(policy).toContain(rule);
    }
    const start = await fetch(url('/'), { headers: { accept: 'text/html' }, redirect: 'manual' });
    expect([start.status, start.headers.get('location')]).toEqual([302, '/console']);
    expect((await fetch(url('/'), { headers: { accept: 'application/json' } })).status).toBe(404);
  });
}
