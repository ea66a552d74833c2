import { waitFor } from '@waymark/testing/wait-for';
import { waitUntilLoaded } from './browser.js';
import { WAIT, type ConsoleTests } from './context.js';

export function auditTests({ openAs, pageOf, api }: ConsoleTests): void {
  test('shows that the audit log is verified, what a link was created with, and exports what the filters show', async () => {
    const link = await api('/links', { destination_url: 'https://example.com/audited', title: 'Audited' });
    const { page, problems } = await openAs('owner', pageOf('audit'));
    await page.getByText(/^Verified: [1-9]\S* entries, unchanged$/).waitFor(WAIT);
    await page.getByLabel('Changed id').fill(link.id as string);
    await page.keyboard.press('Enter');
    await page.waitForURL(/target=/, WAIT);
    const entry = page.getByRole('main').getByRole('listitem').filter({ hasText: 'link.created' });
    const row = entry.filter({ hasText: link.id as string });
    await waitFor('the entry', async () => {
      await page.reload();
      await waitUntilLoaded(page);
      return row.count();
    });
    const details = row.getByRole('listitem');
    expect(await details.allInnerTexts()).toEqual(
      expect.arrayContaining(['Title: Audited', 'Destination: https://example.com/audited', 'Status: active']),
    );
    // Fields that a link was created without are not changes.
    expect(await details.filter({ hasText: /UTM|Folder|none/ }).count()).toBe(0);
    const file = await page.getByRole('link', { name: 'Export CSV' }).getAttribute('href');
    const answer = await page.request.get(new URL(file!, page.url()).href);
    expect([answer.status(), answer.headers()['content-type']]).toEqual([200, expect.stringMatching(/^text\/csv/)]);
    const text = await answer.text();
    expect(text).toContain(link.id);
    expect(text).not.toContain('workspace.created');
    expect(problems).toEqual([]);
    await page.close();
  });
}
