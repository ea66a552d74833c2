import type { Page } from 'playwright-core';
import { expectAccessibleEverywhere } from './browser.js';
import { WAIT, type ConsoleTests } from './context.js';

/** The tests of what members typed and did not save when they leave a page. */
export function unsavedTests({ openAs, pageOf, api }: ConsoleTests): void {
  const question = (page: Page, count = 1) =>
    page.getByRole('dialog', { name: `You have ${count === 1 ? '1 unsaved change' : `${count} unsaved changes`}` });
  const answer = (page: Page, name: 'Stay' | 'Discard', count = 1) =>
    question(page, count).getByRole('button', { name }).click();

  /** Reloads the page, and stays when the browser asks. */
  async function reloadAndStay(page: Page): Promise<void> {
    const asked = page.waitForEvent('dialog', { ...WAIT, predicate: (dialog) => dialog.type() === 'beforeunload' });
    await page.evaluate('setTimeout(() => location.reload())');
    await (await asked).dismiss();
  }

  test('asks before edits of a link are lost by another page, Back, Forward, a reload or signing out', async () => {
    const link = await api('/links', { destination_url: 'https://example.com/edited', title: 'Before' });
    const { page, problems } = await openAs('owner', pageOf('links?search=Before'));
    const row = page.getByRole('row', { name: /example\.com\/edited/ });
    const title = page.getByLabel('Title');
    const analytics = page.getByRole('navigation').first().getByRole('link', { name: 'Analytics' });
    await row.getByRole('link').first().click();
    await title.fill('After');
    await analytics.click();
    await question(page).getByRole('button', { name: 'Stay' }).and(page.locator(':focus')).waitFor(WAIT);
    await expectAccessibleEverywhere(page);
    await page.keyboard.press('Escape');
    await question(page).waitFor({ ...WAIT, state: 'detached' });
    await page.goBack();
    await answer(page, 'Stay');
    expect(new URL(page.url()).pathname).toBe(new URL(pageOf(`links/${link.id}`)).pathname);
    await reloadAndStay(page);
    await page.getByRole('button', { name: /^Demo owner/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await answer(page, 'Stay');
    expect(await title.inputValue()).toBe('After');

    await page.goBack();
    await answer(page, 'Discard');
    await row.waitFor(WAIT);
    await page.goForward();
    await title.waitFor(WAIT);
    expect(await title.inputValue()).toBe('Before');
    await title.fill('Saved');
    await page.getByLabel('Destination').fill('example.com:8443/saved');
    await page.goBack();
    await answer(page, 'Stay', 2);
    await title.press('Enter');
    await page.getByText('No unsaved changes').waitFor(WAIT);
    expect(await page.getByLabel('Destination').inputValue()).toBe('https://example.com:8443/saved');
    await analytics.click();
    await page.getByRole('heading', { name: 'Analytics', level: 1 }).waitFor(WAIT);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('asks before what was typed into any other form is lost, and after saving no more', async () => {
    const { page, problems } = await openAs('owner', pageOf('profile'));
    const navigation = page.getByRole('navigation').first();
    await page.getByLabel('Name', { exact: true }).fill('Another owner');
    await navigation.getByRole('link', { name: 'Webhooks' }).click();
    await answer(page, 'Discard');
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    await page.getByLabel('Address').fill('https://example.com/typed');
    await page.goBack();
    await answer(page, 'Stay');
    await page.keyboard.press('Escape');
    await answer(page, 'Stay');
    expect(await page.getByLabel('Address').inputValue()).toBe('https://example.com/typed');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await navigation.getByRole('link', { name: 'Settings' }).click();
    const name = page.getByLabel('Name', { exact: true });
    const before = await name.inputValue(WAIT);
    await name.fill(`${before} Ltd`);
    await navigation.getByRole('link', { name: 'Tokens' }).click();
    await answer(page, 'Stay');
    await name.fill(before);
    await name.press('Enter');
    await page.getByText('Changes saved.').waitFor(WAIT);
    await navigation.getByRole('link', { name: 'Tokens' }).click();
    await page.getByRole('button', { name: 'Create token' }).waitFor(WAIT);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('keeps a typed address and a tried style while other pages are open, and asks before a reload', async () => {
    const link = await api('/links', { destination_url: 'https://example.com/styled', title: 'Styled' });
    const { page, problems } = await openAs('owner', pageOf('links?search=Styled'));
    const field = page.getByLabel('Destination address');
    const colour = page.getByLabel('Foreground', { exact: true });
    await page
      .getByRole('row', { name: /Styled/ })
      .getByRole('link')
      .first()
      .click();
    await colour.fill('#123456');
    await reloadAndStay(page);
    await page.goBack();
    await field.fill('example.com/draft');
    await reloadAndStay(page);
    await page.goto(pageOf(`links/${link.id}`));
    expect(await colour.inputValue(WAIT)).toBe('#000000');
    await colour.fill('#123456');
    await page.getByRole('navigation').first().getByRole('link', { name: 'Links' }).click();
    await field.waitFor(WAIT);
    await page.goBack();
    expect(await colour.inputValue(WAIT)).toBe('#123456');
    expect(problems).toEqual([]);
    await page.close();
  });
}
