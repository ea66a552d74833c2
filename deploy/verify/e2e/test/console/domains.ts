import { waitFor } from '@waymark/testing/wait-for';
import { expectAccessibleEverywhere } from './browser.js';
import { capture } from './capture.js';
import { HOSTILE, WAIT, type ConsoleTests } from './context.js';

const HOST = 'go.console.example.com';

export function domainTests({ openAs, pageOf, api }: ConsoleTests): void {
  test('adds a domain: records to copy, another check, an address for unknown codes, and its history', async () => {
    const { page, problems } = await openAs('owner', pageOf('domains'));
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Add domain' }).press('Enter');
    await dialog.locator('input:focus').waitFor(WAIT);
    await page.keyboard.type('not a host');
    await page.keyboard.press('Enter');
    await dialog.getByText('The hostname must be a fully qualified host name').waitFor(WAIT);
    await dialog.locator('input:focus').fill(`https://${HOST}/`);
    await page.keyboard.press('Enter');
    const row = page.getByRole('listitem').filter({ hasText: HOST }).first();
    await row.getByText('Waiting for its records').waitFor(WAIT);
    for (const label of ['TXT name', 'TXT value', 'CNAME name', 'CNAME value']) {
      await row.getByText(label, { exact: true }).waitFor(WAIT);
      await row.getByRole('button', { name: `Copy: ${label}` }).press('Enter');
      const value = await row.getByLabel(label, { exact: true }).inputValue();
      expect(value).not.toBe('');
      await waitFor('the copy', async () => (await page.evaluate('navigator.clipboard.readText()')) === value);
    }
    await row.getByRole('button', { name: `Check again: ${HOST}` }).press('Enter');
    await page.getByText(`${HOST} is being checked.`).waitFor(WAIT);

    await row.getByRole('button', { name: `Edit ${HOST}` }).press('Enter');
    const field = dialog.getByLabel('Address for unknown short codes');
    await field.fill('no where');
    await page.keyboard.press('Enter');
    await field.and(page.locator('[aria-invalid]:focus')).fill('example.com/unknown');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ ...WAIT, state: 'detached' });
    await row.getByRole('button', { name: `Edit ${HOST}` }).press('Enter');
    expect(await field.inputValue()).toBe('https://example.com/unknown');
    await page.keyboard.press('Escape');

    await row.getByRole('button', { name: `History of ${HOST}` }).press('Enter');
    await row.getByText('Added by Demo owner').waitFor(WAIT);
    await expectAccessibleEverywhere(page);
    await capture(page, 'domains');
    await row.getByRole('button', { name: `Delete the domain ${HOST}` }).press('Enter');
    await dialog.getByRole('button', { name: 'Keep it' }).and(page.locator(':focus')).waitFor(WAIT);
    await dialog.getByRole('button', { name: 'Delete domain' }).press('Enter');
    await row.waitFor({ ...WAIT, state: 'detached' });
    expect(problems).toEqual([]);
    await page.close();
  });

  test('sends only the settings of a domain that were changed, and app links that are JSON alone', async () => {
    const hostname = 'apps.console.example.com';
    await api('/domains', { hostname });
    const { page, problems } = await openAs('owner', pageOf('domains'));
    await page.getByRole('button', { name: `Edit ${hostname}` }).press('Enter');
    const dialog = page.getByRole('dialog');
    const root = dialog.getByLabel('Address for the bare host name');
    await root.and(page.locator(':focus')).fill('example.com/start');
    await dialog.getByLabel('Search engines may index').press('Space');
    const ios = dialog.getByLabel(/^iOS/);
    await ios.fill(`{"applinks":{"details":[]},\n${HOSTILE[0]}`);
    const save = dialog.getByRole('button', { name: 'Save changes' });
    await save.press('Enter');
    await dialog.getByText('This is not JSON.').waitFor(WAIT);
    await ios.and(page.locator('[aria-invalid]:focus')).waitFor(WAIT);
    await expectAccessibleEverywhere(page);
    await ios.fill('{ "applinks": { "details": [] } }');
    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await save.press('Enter');
    expect((await sent).postDataJSON()).toEqual({
      root_url: 'https://example.com/start',
      indexable: true,
      apple_app_site_association: { applinks: { details: [] } },
    });
    await dialog.waitFor({ ...WAIT, state: 'detached' });
    await page.getByRole('button', { name: `Delete the domain ${hostname}` }).press('Enter');
    await dialog.getByRole('button', { name: 'Delete domain' }).press('Enter');
    await page
      .getByRole('listitem')
      .filter({ hasText: hostname })
      .waitFor({ ...WAIT, state: 'detached' });
    expect(problems).toEqual([]);
    await page.close();
  });

  test('shows a name beyond ASCII as it is written, and one of mixed scripts in ASCII', async () => {
    // The second has a Cyrillic letter in a Latin name, and the third has Cyrillic letters alone that look like Latin ones.
    const names = ['münchen', 'pаypal', 'аре'].map((label) => `${label}.names.example.com`);
    const domains: any[] = [];
    for (const hostname of names) domains.push(await api('/domains', { hostname }));
    const { page, problems } = await openAs('owner', pageOf('domains'));
    for (const [index, { hostname }] of domains.entries()) {
      expect(hostname).toMatch(/^xn--/);
      const shown = index === 0 ? names[0]! : (hostname as string);
      const row = page.getByRole('listitem').filter({ hasText: shown });
      // The records are copied into forms that take ASCII alone.
      expect(await row.getByLabel('CNAME name', { exact: true }).inputValue(WAIT)).toBe(hostname);
      expect(await row.locator('.row-title').innerText()).toContain(shown);
      await row.getByRole('button', { name: `Delete the domain ${shown}` }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete domain' }).click();
      await row.waitFor({ ...WAIT, state: 'detached' });
    }
    expect(problems).toEqual([]);
    await page.close();
  });
}
