import type { Locator, Page } from 'playwright-core';
import { expectAccessibleEverywhere } from './browser.js';
import { capture } from './capture.js';
import { HOSTILE, WAIT, type ConsoleTests } from './context.js';

/** As many as a file may have. */
const ROWS = 10_000;
const LONG_WAIT = { timeout: 250_000 };

export function importTests({ openAs, pageOf }: ConsoleTests): void {
  const choose = (page: Page, text: string) =>
    page
      .locator('input[type=file]')
      .setInputFiles({ name: 'links.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });

  test('checks a file, shows the errors of its rows, and imports the others after a reload', async () => {
    const { page, problems } = await openAs('owner', pageOf('import'));
    const csv = [
      'destination_url,short_code,title',
      'example.com:8443/imported,from-csv,Imported',
      `not an address,${'x'.repeat(300)},"${HOSTILE[0]!.replaceAll('"', '""')}"`,
    ].join('\n');
    await choose(page, csv);
    await page.getByRole('button', { name: 'Check the file' }).press('Enter');
    await page.getByText('Nothing has been changed yet.').waitFor(WAIT);
    const error = page.getByRole('listitem').filter({ hasText: 'Row 2' });
    await error.getByText('destination_url:').waitFor(WAIT);
    expect(await page.getByRole('listitem').filter({ hasText: 'Row 1' }).count()).toBe(0);
    await expectAccessibleEverywhere(page);
    await capture(page, 'import-checked');
    await page.reload();
    await page.getByText('Choose the file once more to import it.').waitFor(WAIT);
    await choose(page, csv);
    await page.getByRole('button', { name: 'Import 1 row' }).press('Enter');
    await page.getByRole('heading', { name: 'File import' }).waitFor(WAIT);
    await page.getByText('Complete, with errors').waitFor(WAIT);
    await page.getByLabel('Result').selectOption('created');
    await page.getByRole('link', { name: /\/from-csv$/ }).click();
    expect(await page.getByLabel('Title').inputValue(WAIT)).toBe('Imported');
    expect(await page.getByLabel('Destination').inputValue()).toBe('https://example.com:8443/imported');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('says which line of the file cannot be read, and keeps the file', async () => {
    const { page } = await openAs('owner', pageOf('import'));
    await choose(page, 'destination_url;title\n"https://example.com/;x');
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByText('The quote that is opened in line 2 is not closed.').waitFor(WAIT);
    await page.getByText('links.csv').waitFor(WAIT);
    await page.close();
  });

  test('shows the icon of imports on the button that chooses a file', async () => {
    const { page } = await openAs('owner', pageOf('import'));
    const iconOf = (element: Locator) => element.locator('path').getAttribute('d', WAIT);
    const entry = page.locator('.nav').getByRole('link', { name: 'Import' });
    expect(await iconOf(page.getByRole('button', { name: 'Choose a file' }))).toBe(await iconOf(entry));
    await page.close();
  });

  test(`imports ${ROWS} rows, and shows the progress after a reload`, async () => {
    const { page, problems } = await openAs('owner', pageOf('import'));
    const rows = Array.from({ length: ROWS }, (_, index) => `https://example.com/row/${index}`);
    await choose(page, ['destination_url', ...rows].join('\n'));
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByRole('button', { name: 'Import 10,000 rows' }).click(LONG_WAIT);
    await page.getByRole('progressbar').waitFor(WAIT);
    await page.reload();
    await page.getByText('10,000 rows').first().waitFor(WAIT);
    await capture(page, 'import-running');
    await page.getByText('Complete', { exact: true }).waitFor(LONG_WAIT);
    await page.getByText('1–50 of 10,000').waitFor(WAIT);
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByRole('listitem').filter({ hasText: 'Row 51' }).waitFor(WAIT);
    await page.getByRole('link', { name: 'Import' }).last().click();
    await page
      .getByRole('link', { name: /^Import · / })
      .first()
      .waitFor(WAIT);
    expect(problems).toEqual([]);
    await page.close();
  });
}
