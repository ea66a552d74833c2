import { capture } from './capture.js';
import { expectAccessible } from './browser.js';
import { WAIT, type ConsoleTests } from './context.js';

export function germanTests({ running, newContext, pageOf, api }: ConsoleTests): void {
  test('speaks the language of the browser, and the one that the profile chooses', async () => {
    const context = await newContext({ locale: 'de-AT' });
    const page = await context.newPage();
    await page.goto(pageOf('links'));
    const { email, password } = running().demo.users['owner']!;
    await page.getByLabel('E-Mail').fill(email);
    await page.getByLabel('Passwort', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Anmelden' }).press('Enter');
    await page
      .getByText(/^[1-9]\S* Links?$/)
      .or(page.getByText(/von \S+ Links$/))
      .first()
      .waitFor(WAIT);
    expect(await page.evaluate('document.documentElement.lang')).toBe('de-DE');
    await page.setViewportSize({ width: 320, height: 800 });
    await expectAccessible(page);
    await capture(page, 'german-narrow');
    await page.setViewportSize({ width: 1280, height: 800 });
    await capture(page, 'german');
    const link = await api('/links', { destination_url: 'https://example.com/', max_scans: 500 });
    await page.goto(pageOf(`links/${link.id}`));
    await page.getByText('Offen, schließt nach 500 Scans').waitFor(WAIT);
    await page.getByRole('button', { name: 'Prüfen', exact: true }).click();
    await page.getByText('302 → https://example.com/').waitFor(WAIT);
    await page.getByText('Der Standardhost').waitFor(WAIT);
    await page.goto(pageOf('profile'));
    await page.getByLabel('Sprache').selectOption('en');
    await page.getByRole('heading', { name: 'Profile' }).waitFor(WAIT);
    expect(await page.evaluate('document.documentElement.lang')).toBe('en-GB');
    await context.close();
  });
}
