import type { Page } from 'playwright-core';
import { expectAccessibleEverywhere } from './browser.js';
import { capture } from './capture.js';
import { HOSTILE, WAIT, type ConsoleTests } from './context.js';

const DAY_MS = 24 * 3600_000;
const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();
/** Opens a part of the form by what it says while it is closed. */
export const openPart = (page: Page, text: string) => page.locator('summary', { hasText: text }).press('Enter');
const save = (page: Page) => page.getByRole('button', { name: 'Save changes' }).press('Enter');
const changesOf = async (page: Page): Promise<unknown> => {
  const sent = page.waitForRequest((request) => request.method() === 'PATCH');
  await save(page);
  const changes: unknown = (await sent).postDataJSON();
  await page.getByText('No unsaved changes').waitFor(WAIT);
  return changes;
};

/** The tests of what members set and read about the visits of one link. */
export function visitTests({ openAs, pageOf, api }: ConsoleTests): void {
  test('opens and closes a link at times of the browser’s zone, with problems at their fields', async () => {
    const link = await api('/links', { destination_url: 'https://example.com/sale', title: 'Sale' });
    const { page, problems } = await openAs('owner', pageOf(`links/${link.id}`));
    await openPart(page, 'Always open');
    const opens = page.getByLabel(/^Opens/);
    const closes = page.getByLabel(/^Closes/);
    await opens.fill('2031-05-04T09:30');
    await closes.fill('2031-05-04T08:00');
    await page.getByLabel('Limit of scans').fill('some');
    await page.getByLabel('Address after the end').fill('example.com/sold-out');
    await page.getByText('4 unsaved changes').waitFor(WAIT);
    await save(page);
    await page.locator('input[aria-invalid]:focus').waitFor(WAIT);
    await page.getByText('The max_scans must be', { exact: false }).first().waitFor(WAIT);
    await page.getByLabel('Limit of scans').fill('1,500');
    await save(page);
    await closes.and(page.locator('[aria-invalid]')).waitFor(WAIT);
    await closes.fill('2031-06-01T18:00');
    await page.getByText(/^Opens 4 May 2031, 09:30, closes 1 Jun 2031, 18:00 or after 1,500 scans/).waitFor(WAIT);
    await page.getByText(/^Before it opens, .* visitors are sent to example\.com\/sold-out$/).waitFor(WAIT);
    await expectAccessibleEverywhere(page);
    const iso = (text: string) => page.evaluate<string>(`new Date('${text}').toISOString()`);
    expect(await changesOf(page)).toEqual({
      starts_at: await iso('2031-05-04T09:30'),
      expires_at: await iso('2031-06-01T18:00'),
      max_scans: 1500,
      expired_url: 'https://example.com/sold-out',
    });
    await page.getByRole('main').getByText('Opens 4 May 2031', { exact: true }).waitFor(WAIT);
    await page.getByRole('button', { name: 'Clear: Opens' }).press('Enter');
    await opens.and(page.locator(':focus')).waitFor(WAIT);
    expect(await changesOf(page)).toEqual({ starts_at: null });
    await page.getByText('Opens: 4 May 2031, 09:30 to none').waitFor(WAIT);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('saves no date without its time', async () => {
    const link = await api('/links', { destination_url: 'https://example.com/half', expires_at: inDays(9) });
    const { page, problems } = await openAs('owner', pageOf(`links/${link.id}`));
    await openPart(page, 'Open, closes ');
    const closes = page.getByLabel(/^Closes/);
    await closes.focus();
    await page.keyboard.press('Backspace');
    await page.getByText('1 unsaved change').waitFor(WAIT);
    await save(page);
    await page.getByText('Enter the date and the time.').waitFor(WAIT);
    await closes.and(page.locator('[aria-invalid]:focus')).waitFor(WAIT);
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('No unsaved changes').waitFor(WAIT);
    expect(await closes.inputValue()).not.toBe('');
    expect(problems).toEqual([]);
    await page.close();
  });

  test('says how a link redirects, and shows where a path behind it leads', async () => {
    const link = await api('/links', { destination_url: 'https://example.com/shop?ref=a' });
    const { page, problems } = await openAs('owner', pageOf(`links/${link.id}`));
    await openPart(page, '302, parameters passed on');
    await page.getByText(new RegExp(`/${link.short_code}/a/b is “not found” without it`)).waitFor(WAIT);
    await page.getByLabel('Pass on the path behind the link').press('Space');
    await page.getByText(new RegExp(`/${link.short_code}/a/b then leads to example.com/shop/a/b`)).waitFor(WAIT);
    await page.getByLabel('Kind of redirect').selectOption('308');
    await page.getByText(/^As 301, but programs/).waitFor(WAIT);
    expect(await changesOf(page)).toEqual({ redirect_status: 308, forward_path: true });
    await page.getByText('308, parameters passed on, path passed on').waitFor(WAIT);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('explains what a visitor gets, and why, to every role', async () => {
    const link = await api('/links', {
      destination_url: 'https://example.com/explained?ref=print',
      utm_defaults: { utm_campaign: 'spring' },
      starts_at: inDays(-1),
      expires_at: inDays(30),
      forward_path: true,
    });
    const { page, problems } = await openAs('viewer', pageOf(`links/${link.id}`));
    const check = () => page.getByRole('button', { name: 'Check', exact: true }).press('Enter');
    await page.getByLabel('Path and parameters to try').fill(`menu?lang=de&q=${HOSTILE[0]}`);
    await page.getByLabel('Device').selectOption('whatsapp');
    await page.getByLabel('Country').selectOption('AT');
    await page.getByLabel('Language').selectOption('de');
    await check();
    await page.getByText(/^302 → https:\/\/example\.com\/explained\/menu\?/).waitFor(WAIT);
    await page.getByText('Counts as a visit by a bot').waitFor(WAIT);
    const rows = page.getByRole('table', { name: 'Parameters of the address' }).getByRole('row');
    expect((await rows.allInnerTexts()).map((text) => text.split('\t'))).toEqual([
      ['Name', 'Value', 'From'],
      ['ref', 'print', 'Target address'],
      ['utm_campaign', 'spring', 'UTM of the link'],
      ['lang', 'de', 'Visitor'],
      ['q', HOSTILE[0], 'Visitor'],
    ]);
    const steps = page.getByRole('listitem').filter({ hasText: 'Time and limit' });
    await steps.getByText('Open', { exact: true }).waitFor(WAIT);
    await expectAccessibleEverywhere(page);
    await capture(page, 'check-visit');
    await page.getByLabel('Time of the visit').fill('2031-05-04T09:30');
    await check();
    await page.getByText('410: It has closed').waitFor(WAIT);
    await page.getByText('Not counted as a scan.').waitFor(WAIT);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('says why a link is blocked, and since when', async () => {
    const link = await api('/links', { destination_url: 'https://example.com/blocked', title: 'Stopped' });
    const { page, problems } = await openAs('owner', pageOf('links'));
    // Only the operator blocks a link.
    const blocked = { at: '2026-02-03T12:00:00.000Z', reason: HOSTILE[1] };
    await page.route(`**/api/**/links/${link.id}`, async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { data: object };
      const json = { ...body, data: { ...body.data, blocked, availability: 'blocked' } };
      await route.fulfill({ response, json });
    });
    await page.goto(pageOf(`links/${link.id}`));
    const notice = page.locator('.notice.danger');
    await notice.getByText(/^Blocked by the operator since 3 Feb/).waitFor(WAIT);
    expect(await notice.innerText()).toContain(`Reason: ${HOSTILE[1]}`);
    await page.locator('.page-head').getByText('Blocked', { exact: true }).waitFor(WAIT);
    await page.locator('summary').getByText('Blocked by the operator').waitFor(WAIT);
    await expectAccessibleEverywhere(page);
    expect(problems).toEqual([]);
    await page.close();
  });
}
