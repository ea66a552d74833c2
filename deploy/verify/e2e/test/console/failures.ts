import { waitFor } from '@waymark/testing/wait-for';
import { waitUntilReady } from '@waymark/launcher/system';
import { WAIT, type ConsoleTests } from './context.js';

/** Few enough to use up, and more than any other test sends in this time. */
export const LIMITS = { API_WORKSPACE_REQUESTS_PER_MINUTE: '300', RATE_LIMIT_WINDOW_MS: '10000' };
const AT_ONCE = 25;

/** The tests of what members see and keep while requests fail. */
export function failureTests({ openAs, pageOf, api, newContext, running, signIn }: ConsoleTests): void {
  const inGlobex = (path: string) => pageOf(path).replace(/\/w\/[^/]+/, '/w/globex');

  /** Sends requests of the user until the limit refuses one. */
  async function useUpLimit(name: string): Promise<void> {
    const { base_url: origin, users } = running().demo;
    const headers = { authorization: `Bearer ${users[name]!.token}` };
    await waitFor('the limit', async () => {
      const requests = Array.from({ length: AT_ONCE }, () =>
        fetch(`${origin}/api/v1/workspaces/globex/tags`, { headers }),
      );
      return (await Promise.all(requests)).some(({ status }) => status === 429);
    });
  }

  test('counts down the seconds of a limit of requests, and then creates the link from the same text', async () => {
    const { page, problems } = await openAs('both', inGlobex('links'));
    const field = page.getByLabel('Destination address');
    const notice = page.getByText(/^The link was not created\. Too many requests\. Try again in \d+ s\./);
    const copied = page.getByText('is copied. Paste it anywhere.');
    // On a slow machine the limit may have room again when the form is sent.
    let attempt = 0;
    await waitFor('a create that is refused', async () => {
      attempt += 1;
      await field.fill(`https://example.com/limited-${attempt}`);
      await useUpLimit('both');
      await field.press('Enter');
      await notice.or(copied).first().waitFor(WAIT);
      if (await notice.isVisible()) return true;
      await page.reload();
      return false;
    });
    expect(await field.inputValue()).toBe(`https://example.com/limited-${attempt}`);
    await page.getByRole('timer').filter({ hasText: 'You can try again now.' }).waitFor(WAIT);
    const retry = page.getByRole('button', { name: 'Try again' });
    await waitFor('the end of the limit', async () => {
      if ((await retry.count()) > 0) await retry.click({ timeout: 1000 });
      return copied.count();
    });
    await page
      .getByRole('row')
      .filter({ hasText: `example.com/limited-${attempt}` })
      .waitFor(WAIT);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('says how old the list is while there is no connection, keeps the search, and updates automatically', async () => {
    await api('/links', { destination_url: 'https://example.com/before', title: 'offline-before' });
    const { page } = await openAs('owner', pageOf('links?search=offline-'));
    const rows = page.getByRole('row', { name: /offline-/ });
    await rows.first().waitFor(WAIT);
    const notice = page.getByRole('status').filter({ hasText: 'No connection. You see the data as it was at' });
    try {
      await page.context().setOffline(true);
      await notice.waitFor(WAIT);
      await page.getByText(/^Next try in \d+ s$/).waitFor(WAIT);
      expect(await rows.count()).toBe(1);
      await api('/links', { destination_url: 'https://example.com/meanwhile', title: 'offline-meanwhile' });
    } finally {
      // Other tests share the browser's connection.
      await page.context().setOffline(false);
    }
    await rows.nth(1).waitFor(WAIT);
    await notice.waitFor({ ...WAIT, state: 'detached' });
    expect(await page.getByLabel('Search links').inputValue()).toBe('offline-');
    await page.close();
  });

  test('keeps what was typed in forms and dialogs while a service is stopped, and saves it when it runs again', async () => {
    const link = await api('/links', { destination_url: 'https://example.com/kept', title: 'Before' });
    const [edit, organise] = [
      await openAs('owner', pageOf(`links/${link.id}`)),
      await openAs('owner', pageOf('folders')),
    ];
    const title = edit.page.getByLabel('Title');
    await title.fill('After the restart');
    await organise.page.getByRole('button', { name: 'Create folder' }).click();
    const name = organise.page.getByRole('dialog').getByLabel('Name');
    await name.fill('Made after the restart');
    const resource = running().system.process('resource');
    await resource.stop();
    try {
      await Promise.all([title.press('Enter'), name.press('Enter')]);
      for (const [{ page }, field, text] of [
        [edit, title, 'After the restart'],
        [organise, name, 'Made after the restart'],
      ] as const) {
        const alert = page.getByRole('alert').filter({ hasText: 'The server is busy or restarting.' });
        await alert.getByText('Your text is kept; nothing is lost.').waitFor(WAIT);
        expect(await field.inputValue()).toBe(text);
      }
    } finally {
      // Other tests share the system.
      await resource.start();
    }
    await waitUntilReady(resource);
    await Promise.all([title.press('Enter'), name.press('Enter')]);
    await edit.page.getByText('Changes saved.').waitFor(WAIT);
    await organise.page.getByRole('listitem').filter({ hasText: 'Made after the restart' }).waitFor(WAIT);
    for (const { page, problems } of [edit, organise]) {
      expect(problems).toEqual([]);
      await page.close();
    }
  });

  test('keeps what was typed in forms and dialogs when the session ends, for the same user alone', async () => {
    const link = await api('/links', { destination_url: 'https://example.com/ended', title: 'Before' });
    const context = await newContext();
    const page = await context.newPage();
    const ended = page.getByText('Your session has ended.');
    await page.goto(pageOf(`links/${link.id}`));
    await signIn(page, 'owner');
    const title = page.getByLabel('Title');
    await title.fill('Typed before the end');
    await context.clearCookies();
    await title.press('Enter');
    await ended.waitFor(WAIT);
    await signIn(page, 'owner');
    await title.and(page.locator(':focus')).waitFor(WAIT);
    expect(await title.inputValue()).toBe('Typed before the end');
    await title.press('Enter');
    await page.getByText('Changes saved.').waitFor(WAIT);

    await page.goto(pageOf('folders'));
    await page.getByRole('button', { name: 'Create folder' }).click();
    const name = page.getByRole('dialog').getByLabel('Name');
    await name.fill('Named before the end');
    await context.clearCookies();
    await name.press('Enter');
    await ended.waitFor(WAIT);
    await signIn(page, 'editor');
    await page.getByRole('button', { name: /Demo editor/ }).waitFor(WAIT);
    expect(await name.count()).toBe(0);
    await page.getByRole('button', { name: 'Create folder' }).click();
    await name.fill('Named before the next end');
    await context.clearCookies();
    await name.press('Enter');
    await ended.waitFor(WAIT);
    await signIn(page, 'editor');
    await name.waitFor(WAIT);
    expect(await name.inputValue()).toBe('Named before the next end');
    await name.press('Enter');
    await page.getByRole('listitem').filter({ hasText: 'Named before the next end' }).waitFor(WAIT);
    await context.close();
  });
}
