import type { Page } from 'playwright-core';
import { capture, PICTURES } from './capture.js';
import { WAIT, type ConsoleTests } from './context.js';
import { Festival } from './festival.js';
import { StatePictures } from './states.js';

const CSV = `destination_url,short_code,title
https://harbourlights.example/stages/quay,quay,Quay stage
https://harbourlights.example/stages/dome,dome,Dome stage
harbourlights.example/volunteers,volunteers,Volunteers
https://harbourlights.example/lost-and-found,lost,Lost and found
https://harbourlights.example/press,press kit,Press
`;

/** Writes the pictures of the guides, of a workspace that looks like one in use; not a test of anything. */
export function pictureTests({ running, openAs, address }: ConsoleTests): void {
  if (!PICTURES) return;
  const pageOf = (path: string) => address(`/w/globex/${path}`);
  test('pictures of the guides', async () => {
    const festival = new Festival(running());
    await festival.call('PATCH', '', { name: 'Harbour Lights' });
    await festival.clear();
    const { page } = await openAs('outsider', pageOf('links'));
    await page.setViewportSize({ width: 1280, height: 800 });
    const states = new StatePictures(page, pageOf);
    await states.loaded('empty');
    await states.loading();
    await states.error();
    await festival.create();
    await capturePages(page, pageOf);
    await festival.createLongTexts();
    await states.loaded('long');
    await page.close();
  });
}

async function capturePages(page: Page, pageOf: (path: string) => string): Promise<void> {
  await page.goto(pageOf('links'));
  await page
    .getByRole('row')
    .filter({ hasText: 'tickets' })
    .getByText(/^[1-9]/)
    .first()
    .waitFor(WAIT);
  await page.waitForLoadState('networkidle');
  await capture(page, 'links');
  await page
    .getByRole('link', { name: /\/tickets$/ })
    .first()
    .click();
  await page.getByLabel('Title').waitFor(WAIT);
  await page.locator('.tile-figure').getByText(/\d/).first().waitFor(WAIT);
  await capture(page, 'link');
  await page.goto(pageOf('analytics'));
  await page.getByRole('table', { name: 'Top links' }).waitFor(WAIT);
  await page.waitForLoadState('networkidle');
  await capture(page, 'analytics');
  await page.goto(pageOf('folders'));
  await page.getByText('Box office').waitFor(WAIT);
  await capture(page, 'folders');
  await page.goto(pageOf('import'));
  const file = { name: 'stages.csv', mimeType: 'text/csv', buffer: Buffer.from(CSV) };
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByRole('button', { name: 'Check the file' }).click();
  await page.getByRole('listitem').filter({ hasText: 'Row 3' }).waitFor(WAIT);
  await capture(page, 'import');
}
