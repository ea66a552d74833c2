import { expectAccessible } from './browser.js';
import { capture } from './capture.js';
import { HOSTILE, WAIT, type ConsoleTests } from './context.js';

export function organiseTests({ openAs, pageOf, api }: ConsoleTests): void {
  test.each([
    ['folder', 'folders', 'Create folder'],
    ['tag', 'folders/tags', 'Create tag'],
    ['UTM template', 'folders/templates', 'Create template'],
  ])('creates, renames and deletes a %s by keyboard alone', async (_name, path, create) => {
    const { page, problems } = await openAs('owner', pageOf(path));
    const name = HOSTILE[0]!.slice(0, 40);
    const dialog = page.getByRole('dialog');
    const createByKeyboard = async () => {
      await page.getByRole('button', { name: create }).press('Enter');
      await dialog.locator('input:focus').waitFor(WAIT);
      await page.keyboard.type(name);
      await page.keyboard.press('Enter');
    };
    await createByKeyboard();
    await page.getByText(name, { exact: true }).waitFor(WAIT);
    await dialog.waitFor({ ...WAIT, state: 'detached' });
    await createByKeyboard();
    await dialog.getByText('already', { exact: false }).waitFor(WAIT);
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe(name);
    await expectAccessible(page);
    await capture(page, `organise-${path.replace('/', '-')}`);
    await page.keyboard.press('Escape');
    const question = page.getByRole('dialog', { name: 'You have 1 unsaved change' });
    await question.getByRole('button', { name: 'Stay' }).and(page.locator(':focus')).press('Enter');
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Discard' }).press('Enter');
    await page.getByRole('button', { name: `Edit ${name}`, exact: true }).press('Enter');
    await page.getByLabel('Name', { exact: true }).fill('Renamed');
    await page.keyboard.press('Enter');
    await page.getByText('Renamed', { exact: true }).waitFor(WAIT);
    await page.getByRole('button', { name: 'Delete Renamed' }).press('Enter');
    await dialog.getByRole('button', { name: /^Delete/ }).press('Enter');
    await page.getByText('Renamed', { exact: true }).waitFor({ ...WAIT, state: 'detached' });
    await page.locator('h2:focus').waitFor(WAIT);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('finds a folder by a part of its name', async () => {
    const names = Array.from({ length: 11 }, (_, index) => `Searched ${index}`);
    await Promise.all(names.map((name) => api('/folders', { name })));
    const { page, problems } = await openAs('owner', pageOf('folders'));
    const rows = page.getByRole('listitem').filter({ hasText: 'Searched' });
    await rows.nth(10).waitFor(WAIT);
    const field = page.getByLabel('Find by name');
    await field.fill(' searched 1');
    await rows.nth(2).waitFor({ ...WAIT, state: 'detached' });
    expect((await rows.getByRole('link').allInnerTexts()).sort()).toEqual(['Searched 1', 'Searched 10']);
    await field.fill('nothing like it');
    await page.getByText('No name matches.').waitFor(WAIT);
    await field.fill('');
    await rows.nth(10).waitFor(WAIT);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('counts the links of a folder, and shows them', async () => {
    const folder = (await api('/folders', { name: 'Printed matter' })) as { id: string };
    await api('/links', { destination_url: 'https://example.com/in-folder', folder_id: folder.id });
    const { page } = await openAs('viewer', pageOf('folders'));
    const row = page.getByRole('listitem').filter({ hasText: 'Printed matter' });
    await row.getByText('1 link', { exact: true }).waitFor(WAIT);
    await row.getByRole('link').click();
    await page.getByText('example.com/in-folder').first().waitFor(WAIT);
    expect(await page.getByRole('row').count()).toBe(2);
    await page.close();
  });
}
