import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '@waymark/testing/browser';
import { OpenIdProvider } from '@waymark/testing/openid-provider';
import { startSystem, type RunningSystem } from '../system.js';
import { describeInBrowser, expectAccessibleEverywhere, watchPage } from './browser.js';
import { WAIT } from './context.js';

const BUTTON = { name: 'Sign in with single sign-on' };

describeInBrowser('single sign-on in the console', () => {
  let provider: OpenIdProvider;
  let running: RunningSystem;
  let browser: Browser;

  beforeAll(async () => {
    provider = await OpenIdProvider.start('http://127.0.0.1/');
    running = await startSystem('links', provider.env);
    await provider.change({ redirectUri: `${running.demo.base_url}/api/v1/session/oidc/callback` });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await running?.stop();
    await provider?.stop();
  });

  const tokensPage = () => `/console/w/${running.demo.workspace}/tokens?from=here`;

  /** A page of a browser without a session, and what goes wrong in it. */
  async function open(path: string): Promise<{ page: Page; problems: string[] }> {
    const page = await (await browser.newContext()).newPage();
    const problems = await watchPage(page);
    await page.goto(running.demo.base_url + path);
    return { page, problems };
  }

  async function enterAtProvider(page: Page, claims: object): Promise<void> {
    await page.getByRole('link', BUTTON).click();
    await page.getByLabel('Claims').fill(JSON.stringify(claims));
    await page.getByRole('button', { name: 'Enter' }).click();
  }

  const owner = () => ({ sub: 'owner', email: running.demo.users['owner']!.email, email_verified: true });
  const addressOf = (page: Page) => page.url().slice(running.demo.base_url.length);

  test('signs a person in, and opens the requested page', async () => {
    const { page, problems } = await open(tokensPage());
    await enterAtProvider(page, owner());
    await page.getByRole('button', { name: 'Create token' }).waitFor(WAIT);
    expect(addressOf(page)).toBe(tokensPage());
    await page.reload();
    await page.getByRole('button', { name: 'Create token' }).waitFor(WAIT);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('returns to an invitation without sending its token in an address', async () => {
    const { base_url: url, workspace, users } = running.demo;
    const invited = await fetch(`${url}/api/v1/workspaces/${workspace}/invitations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${users['owner']!.token}`, 'content-type': 'application/json' },
      body: '{"role":"viewer"}',
    });
    const { meta } = (await invited.json()) as { meta: { invite_url: string } };
    const { hash } = new URL(meta.invite_url);
    const { page, problems } = await open(`/console/invitations${hash}`);
    const addresses: string[] = [];
    page.on('request', (request) => addresses.push(request.url()));
    await page.getByRole('button', { name: 'Sign in first' }).click();
    await enterAtProvider(page, owner());
    await page.getByRole('heading', { name: 'Join Acme Corp' }).waitFor(WAIT);
    expect(addresses.join(' ')).not.toContain(hash.slice(1));
    expect(addressOf(page)).toBe('/console/invitations');
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test.each([
    ['has no account', () => ({ sub: 'stranger' }), 'No account here belongs to your identity'],
    ['refuses at the provider', () => ({ sub: 'refusing', refuses: true }), 'was cancelled or did not succeed'],
  ])('says why, and keeps the requested page, when the person %s', async (_what, claimsOf, text) => {
    const { page, problems } = await open(tokensPage());
    await enterAtProvider(page, claimsOf());
    await page.getByRole('alert').filter({ hasText: text }).waitFor(WAIT);
    expect(new URL(page.url()).pathname).toBe('/console/sign-in');
    await page.getByRole('link', BUTTON).waitFor(WAIT);
    await page.getByLabel('E-mail').fill(running.demo.users['owner']!.email);
    await page.getByLabel('Password', { exact: true }).fill(running.demo.users['owner']!.password);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Create token' }).waitFor(WAIT);
    expect(addressOf(page)).toBe(tokensPage());
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test.each(['https://evil.example.com/', '//evil.example.com', '/docs', '/console/sign-in', 'javascript:alert(1)'])(
    'opens the first page, and not %s, after a sign-in that was to lead there',
    async (address) => {
      const query = new URLSearchParams({ error: '<img src=x>', return_to: address }).toString();
      const { page, problems } = await open(`/console/sign-in?${query}`);
      await page.getByText('was cancelled or did not succeed').waitFor(WAIT);
      await enterAtProvider(page, owner());
      await page.getByLabel('Destination address').waitFor(WAIT);
      expect(addressOf(page)).toBe(`/console/w/${running.demo.workspace}/links`);
      expect(problems).toEqual([]);
      await page.context().close();
    },
  );

  test('has no accessibility violation', async () => {
    const { page } = await open('/console/sign-in?error=unavailable');
    await page.getByRole('link', BUTTON).waitFor(WAIT);
    await expectAccessibleEverywhere(page);
    await page.context().close();
  });
});
