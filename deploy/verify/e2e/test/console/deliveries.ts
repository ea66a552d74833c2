import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitFor } from '@waymark/testing/wait-for';
import { expectAccessibleEverywhere } from './browser.js';
import { capture } from './capture.js';
import { HOSTILE, WAIT, type ConsoleTests } from './context.js';
import { findUnreadableTexts } from './text-boxes.js';

/** A receiver that refuses every event. */
async function startRefusing(answer: string): Promise<{ url: string; stop: () => Promise<void> }> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(500, { 'content-type': 'text/html' }).end(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () => new Promise<void>((resolve) => server.close(() => resolve()).closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, stop };
}

export function deliveryTests({ openAs, pageOf, api, running }: ConsoleTests): void {
  let receiver: Awaited<ReturnType<typeof startRefusing>> | undefined;
  afterAll(() => receiver?.stop());

  async function archive(id: string): Promise<void> {
    const { base_url: origin, workspace, users } = running().demo;
    const response = await fetch(`${origin}/api/v1/workspaces/${workspace}/links/${id}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${users['owner']!.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ status: 'archived' }),
    });
    expect(response.status).toBe(200);
  }

  test('opens a failed delivery by keyboard: request, attempts, last answer and next attempt, wide and narrow', async () => {
    const answer = '<b>The receiver is closed</b>';
    receiver = await startRefusing(answer);
    const { id } = await api('/webhooks', { url: receiver.url, event_types: ['link.archived'] });
    const link = await api('/links', { destination_url: 'https://example.com/delivered', title: HOSTILE[1] });
    await archive(link.id as string);
    const { page, problems } = await openAs('owner', pageOf(`webhooks/${id}`));
    const item = page.getByRole('listitem').filter({ hasText: 'link.archived' });
    await waitFor('the next attempt', async () => {
      await page.getByRole('button', { name: 'Newest deliveries' }).click();
      return item.getByText('next attempt').count();
    });
    await item.getByRole('button', { name: 'Show details: link.archived' }).press('Enter');
    await item.getByText('"type": "link.archived"').waitFor(WAIT);
    await item.getByText(/^Attempt 1 · .* · 500/).waitFor(WAIT);
    await item.getByLabel('Answer').filter({ hasText: answer }).first().waitFor(WAIT);
    expect(await item.getByRole('button', { expanded: true }).count()).toBe(1);
    // The details stay open while the next attempt becomes the latest one.
    await waitFor('the second attempt', async () => {
      await page.getByRole('button', { name: 'Newest deliveries' }).click();
      return item.getByText(/^Attempt 2 · .* · 500/).count();
    });
    await expectAccessibleEverywhere(page);
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await findUnreadableTexts(page)).toEqual([]);
    }
    await capture(page, 'delivery');
    await item.getByRole('button', { name: 'Hide details: link.archived' }).press('Enter');
    await item.getByText('"type": "link.archived"').waitFor({ ...WAIT, state: 'detached' });
    expect(problems).toEqual([]);
    await page.close();
  });
}
