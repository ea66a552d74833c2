import type { Page } from 'playwright-core';
import { capture, PICTURES } from './capture.js';
import { WAIT, type ConsoleTests } from './context.js';

const BROWSERS = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36',
];
const FOLDERS = [
  { name: 'Box office', description: 'Tickets and everything about them', color: '#2B63C6' },
  { name: 'Print', description: 'Posters, leaflets and the programme', color: '#C2410C' },
  { name: 'On site', description: 'Signs at the stages', color: '#34927A' },
];
const TAGS = { email: '#2B63C6', poster: '#C2700C', social: '#B8306A', transit: '#1C7DA0' };
/** The links of a festival: short code, destination, folder, tags and scans. */
const LINKS: [string, string, number, (keyof typeof TAGS)[], number][] = [
  ['closing', 'https://harbourlights.example/closing-parade', 2, ['social'], 0],
  ['tram', 'https://transit.example/journey?to=harbour-quay', 2, ['poster', 'transit'], 4],
  ['opening', 'https://harbourlights.example/opening-night', 1, ['social'], 6],
  ['map', 'https://maps.harbourlights.example/site?layer=stages', 2, ['poster'], 9],
  ['programme', 'https://harbourlights.example/files/programme-2026.pdf', 1, ['email'], 13],
  ['tickets', 'https://harbourlights.example/tickets/2026', 0, ['email', 'poster'], 21],
];
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
  test('pictures of the guides', async () => {
    const { base_url, users } = running().demo;
    const call = async (method: string, path: string, body: object): Promise<{ id: string; short_url: string }> => {
      const response = await fetch(`${base_url}/api/v1/workspaces/globex${path}`, {
        method,
        headers: { authorization: `Bearer ${users['outsider']!.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(response.ok).toBe(true);
      return ((await response.json()) as { data: { id: string; short_url: string } }).data;
    };
    await call('PATCH', '', { name: 'Harbour Lights' });
    const folders = [];
    for (const folder of FOLDERS) folders.push((await call('POST', '/folders', folder)).id);
    const tags: Record<string, string> = {};
    for (const [name, color] of Object.entries(TAGS)) tags[name] = (await call('POST', '/tags', { name, color })).id;
    for (const [short_code, destination_url, folder, names, scans] of LINKS) {
      const fields = {
        short_code,
        destination_url,
        folder_id: folders[folder],
        tag_ids: names.map((name) => tags[name]),
      };
      await visit((await call('POST', '/links', fields)).short_url, scans);
    }
    const page = await open(openAs, address('/w/globex/links'));
    await page.getByText(/^21/).first().waitFor(WAIT);
    await capture(page, 'links');
    await page
      .getByRole('link', { name: /\/tickets$/ })
      .first()
      .click();
    await page.getByLabel('Title').waitFor(WAIT);
    await page.waitForLoadState('networkidle');
    await capture(page, 'link');
    await page.goto(address('/w/globex/folders'));
    await page.getByText('Box office').waitFor(WAIT);
    await capture(page, 'folders');
    await page.goto(address('/w/globex/import'));
    const file = { name: 'stages.csv', mimeType: 'text/csv', buffer: Buffer.from(CSV) };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByRole('listitem').filter({ hasText: 'Row 3' }).waitFor(WAIT);
    await capture(page, 'import');
    await page.close();
  });
}

async function open(openAs: ConsoleTests['openAs'], url: string): Promise<Page> {
  const { page } = await openAs('outsider', url);
  await page.setViewportSize({ width: 1280, height: 800 });
  return page;
}

/** Visits a new link once the redirect knows it. */
async function visit(url: string, count: number): Promise<void> {
  for (let number = 0; number < count;) {
    const headers = { 'user-agent': BROWSERS[number % BROWSERS.length]! };
    const { status } = await fetch(url, { redirect: 'manual', headers });
    if (status === 302) number += 1;
    else await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
