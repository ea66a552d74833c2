import type { Page, Route } from 'playwright-core';
import { expectAccessibleEverywhere } from './browser.js';
import { WAIT, type ConsoleTests } from './context.js';

/** The tests of the list that chooses among the tags, folders, domains and templates of a workspace. */
export function pickerTests({ openAs, pageOf, api }: ConsoleTests): void {
  const field = (page: Page) => page.getByRole('combobox', { name: 'Find by name' });
  const options = (page: Page) => page.getByRole('listbox').getByRole('option');
  const focused = (page: Page) => field(page).and(page.locator(':focus'));
  /** The option that Enter chooses. */
  const active = (page: Page) =>
    page.evaluate<string>(
      `document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))?.innerText ?? ''`,
    );

  test.each([
    ['Filter by Tag', 'tags', 'late choice'],
    ['Tags', 'tags', 'late choice'],
    ['UTM template', 'utm-templates', 'late choice'],
    ['Default domain', 'domains', 'Default domain'],
  ])('keeps the focus in the list %s, whose choices come late', async (name, path, choice) => {
    if (path !== 'domains')
      await api(`/${path}`, { name: choice, ...(path !== 'tags' && { utm_source: 'late' }) }).catch(() => undefined);
    const { page, problems } = await openAs('owner', pageOf('links'));
    await page.getByRole('row').nth(1).waitFor(WAIT);
    let answer: () => void = () => undefined;
    const isAnswered = new Promise<void>((resolve) => (answer = resolve));
    await page.route(`**/${path}`, async (route: Route) => {
      await isAnswered;
      await route.continue();
    });
    const button = page.getByRole('button', { name, exact: true });
    await button.press('Enter');
    await page.getByText('Loading', { exact: true }).waitFor(WAIT);
    await focused(page).waitFor(WAIT);
    answer();
    await page.getByRole('option', { name: choice, exact: true }).first().waitFor(WAIT);
    await focused(page).waitFor(WAIT);
    await page.keyboard.press('Escape');
    await button.and(page.locator(':focus')).waitFor(WAIT);
    expect(await field(page).count()).toBe(0);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('finds by typing, moves by the arrow keys, Home and End, and creates a tag and a folder', async () => {
    const names = ['Pick Čapek', 'Pick three', 'Pick two'];
    for (const name of names) await api('/tags', { name });
    const link = await api('/links', { destination_url: 'https://example.com/picked', title: 'Picked' });
    const { page, problems } = await openAs('owner', pageOf(`links/${link.id}`));
    const tags = page.getByRole('group', { name: /^Tags/ });
    await tags.getByRole('button', { name: 'Choose tags' }).press('Enter');
    await focused(page).waitFor(WAIT);
    await page.keyboard.type('pick ');
    const shown = [...names, 'New tag “pick”'];
    await options(page).filter({ hasText: 'New tag' }).waitFor(WAIT);
    expect(await options(page).allInnerTexts()).toEqual(shown);
    const moves = [
      ['ArrowDown', 1],
      ['End', 3],
      ['ArrowDown', 0],
      ['ArrowUp', 3],
      ['Home', 0],
    ] as const;
    for (const [key, index] of moves) {
      await page.keyboard.press(key);
      expect(await active(page)).toBe(shown[index]);
    }
    await field(page).fill('capek');
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: names[0]!, selected: true }).waitFor(WAIT);
    await field(page).fill('Pick new');
    await page.getByRole('option', { name: 'New tag “Pick new”' }).waitFor(WAIT);
    await expectAccessibleEverywhere(page);
    await page.keyboard.press('Enter');
    await tags.locator('.tag').filter({ hasText: 'Pick new' }).waitFor(WAIT);
    await field(page).fill('x'.repeat(60));
    await page.keyboard.press('Enter');
    await page.getByText('The name must be at most 50 characters.').waitFor(WAIT);
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: /^Folder/ }).press('Enter');
    await field(page).fill('Picked folder');
    await page.getByRole('option', { name: 'New folder “Picked folder”' }).waitFor(WAIT);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Folder · edited Picked folder' }).and(page.locator(':focus')).waitFor(WAIT);
    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await page.getByRole('button', { name: 'Save changes' }).press('Enter');
    expect((await sent).postDataJSON()).toEqual({
      tag_ids: [expect.any(String), expect.any(String)],
      folder_id: expect.any(String),
    });
    await page.getByText('No unsaved changes').waitFor(WAIT);
    expect((await tags.locator('.tag').allInnerTexts()).sort()).toEqual(['Pick new', 'Pick Čapek']);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('moves to the item of a menu that starts with the typed letter', async () => {
    const { page } = await openAs('owner', pageOf('links'));
    await page.getByRole('button', { name: 'Filter by Status' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Active' }).and(page.locator(':focus')).waitFor(WAIT);
    await page.keyboard.press('a');
    await page.getByRole('menuitem', { name: 'Archived' }).and(page.locator(':focus')).waitFor(WAIT);
    await page.close();
  });
}
