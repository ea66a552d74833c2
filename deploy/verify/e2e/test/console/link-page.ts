import { expectAccessibleEverywhere } from './browser.js';
import { WAIT, type ConsoleTests } from './context.js';
import { openPart } from './visits.js';

/** The tests of what members change on the page of one link. */
export function linkPageTests({ openAs, pageOf, api }: ConsoleTests): void {
  test('adds and removes the tags of a link, and changes its policy, by keyboard alone', async () => {
    const [kept, removed, added] = await Promise.all(
      ['kept on link', 'removed from link', 'added to link'].map((name) => api('/tags', { name, color: '#336699' })),
    );
    const link = await api('/links', { destination_url: 'https://example.com/tagged', tag_ids: [kept.id, removed.id] });
    const { page, problems } = await openAs('owner', pageOf(`links/${link.id}`));
    const field = page.getByRole('group', { name: /^Tags/ });
    await field.getByText('removed from link').waitFor(WAIT);
    await field.getByRole('button', { name: 'Choose tags' }).press('Enter');
    const choose = async (name: string, selected: boolean) => {
      await page.getByRole('combobox', { name: 'Find by name' }).fill(name);
      await page.getByRole('option', { name, selected }).waitFor(WAIT);
      await page.keyboard.press('Enter');
    };
    await choose('removed from link', true);
    await choose('added to link', false);
    await page.keyboard.press('Escape');
    await field.getByRole('button', { name: 'Choose tags' }).and(page.locator(':focus')).waitFor(WAIT);
    await openPart(page, '302, parameters passed on');
    await page.getByLabel('Extra parameters in the link').selectOption('drop');
    await page.getByText('2 unsaved changes').waitFor(WAIT);
    await expectAccessibleEverywhere(page);
    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await page.getByRole('button', { name: 'Save changes' }).press('Enter');
    expect((await sent).postDataJSON()).toEqual({ tag_ids: [kept.id, added.id], query_policy: 'drop' });
    await page.getByText('No unsaved changes').waitFor(WAIT);
    expect((await field.locator('.tag').allInnerTexts()).sort()).toEqual(['added to link', 'kept on link']);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('shows the parameters of the campaign when they are opened, and while one of them is not saved', async () => {
    const link = await api('/links', {
      destination_url: 'https://example.com/campaign',
      campaign_tag: 'spring',
      utm_defaults: { utm_source: 'poster' },
    });
    const { page } = await openAs('owner', pageOf(`links/${link.id}`));
    const source = page.getByLabel('UTM source');
    const summary = page.getByText('Campaign and UTM');
    await page.getByText('spring · poster').waitFor(WAIT);
    expect(await source.isVisible()).toBe(false);
    await summary.click();
    await source.fill('p'.repeat(300));
    await page.getByRole('button', { name: 'Save changes' }).click();
    await source.and(page.locator('[aria-invalid]:focus')).waitFor(WAIT);
    await page.getByText('The utm_source must be at most 255 characters.').first().waitFor(WAIT);
    await page.close();
  });

  test('archives, reactivates and deletes a link on its page by keyboard alone', async () => {
    const link = await api('/links', { destination_url: 'https://example.com/', title: 'Changed on its page' });
    const { page, problems } = await openAs('owner', pageOf('links?search=Changed'));
    await page
      .getByRole('row', { name: /Changed on its page/ })
      .getByRole('link')
      .first()
      .press('Enter');
    const choose = async (name: string) => {
      await page.getByRole('main').getByRole('button', { name: 'More', exact: true }).press('Enter');
      await page.getByRole('menuitem', { name, exact: true }).press('Enter');
    };
    await choose('Archive');
    await page.getByRole('main').getByText('Archived', { exact: true }).first().waitFor(WAIT);
    await choose('Reactivate');
    await page.getByText('1 link reactivated.').waitFor(WAIT);
    await choose('Delete');
    await page.getByRole('button', { name: 'Keep it' }).and(page.locator(':focus')).press('Enter');
    await choose('Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete 1 link' }).press('Enter');
    await page.getByRole('heading', { name: 'Links', level: 1 }).and(page.locator(':focus')).waitFor(WAIT);
    expect(await page.getByText(link.short_code as string).count()).toBe(0);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('removes a tag from all selected links that have it, and adds one that not all of them have', async () => {
    await api('/tags', { name: 'bulk tag', color: '#336699' });
    const titles = ['bulk-tagged-1', 'bulk-tagged-2'];
    await Promise.all(titles.map((title) => api('/links', { destination_url: 'https://example.com/', title })));
    const { page, problems } = await openAs('owner', pageOf('links?search=bulk-tagged'));
    const tags = page.locator('.body .tag').filter({ hasText: 'bulk tag' });
    const toggle = async (selected: boolean) => {
      await page.getByRole('checkbox', { name: /^Select all/ }).press('Space');
      await page.getByRole('group', { name: '2 selected' }).getByRole('button', { name: 'Tag' }).press('Enter');
      await page.getByRole('option', { name: 'bulk tag', selected }).click();
      await page.keyboard.press('Escape');
    };
    await page.getByRole('row', { name: /bulk-tagged-2/ }).waitFor(WAIT);
    await toggle(false);
    await tags.nth(1).waitFor(WAIT);
    await toggle(true);
    await tags.first().waitFor({ ...WAIT, state: 'detached' });
    expect(problems).toEqual([]);
    await page.close();
  });

  test('shows the destination of a link with a title, and exports the links that the filters show as CSV', async () => {
    await api('/links', { destination_url: 'https://example.com/exported-one', title: 'Exported' });
    await api('/links', { destination_url: 'https://example.com/left-out', title: 'Other' });
    const { page, problems } = await openAs('viewer', pageOf('links?search=Exported&sort=title'));
    await page.getByRole('row').filter({ hasText: 'Exported · example.com/exported-one' }).waitFor(WAIT);
    const file = await page.getByRole('link', { name: 'Export CSV' }).getAttribute('href');
    const answer = await page.request.get(new URL(file!, page.url()).href);
    expect([answer.status(), answer.headers()['content-type']]).toEqual([200, 'text/csv; charset=utf-8']);
    const [, ...rows] = (await answer.text()).trim().split(/\r?\n/);
    expect(rows).toEqual([expect.stringContaining('https://example.com/exported-one')]);
    expect(problems).toEqual([]);
    await page.close();
  });
}
