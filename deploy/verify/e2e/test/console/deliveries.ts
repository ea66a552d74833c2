import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitFor } from '@waymark/testing/wait-for';
import { expectAccessibleEverywhere } from './browser.js';
import { capture } from './capture.js';
import { HOSTILE, WAIT, type ConsoleTests } from './context.js';
import { findUnreadableTexts } from './text-boxes.js';

/** A receiver that refuses every event until `accept` is called. */
async function startRefusing(answer: string): Promise<{ url: string; accept: () => void; stop: () => Promise<void> }> {
  let status = 500;
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(status, { 'content-type': 'text/html' }).end(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () => new Promise<void>((resolve) => server.close(() => resolve()).closeAllConnections());
  const accept = () => void (status = 200);
  return { accept, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, stop };
}

/** For a field of a local time; that the time zone may be another one does not matter for a period without events. */
const hoursAgo = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString().slice(0, 16);

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
    // The reason is there without opening it.
    await item.getByText('Failed, will be sent again').waitFor(WAIT);
    await item.getByText(/^Attempt \d+ · 500 · .* next attempt/).waitFor(WAIT);
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
    receiver.accept();
    await item.getByRole('button', { name: 'Resend now' }).press('Enter');
    await item.getByText('Delivered', { exact: true }).waitFor(WAIT);
    await item.getByRole('button', { name: 'Hide details: link.archived' }).press('Enter');
    await item.getByText('"type": "link.archived"').waitFor({ ...WAIT, state: 'detached' });
    expect(problems).toEqual([]);
    await page.close();
  });
  test('changes an endpoint, rotates its secret, resends a period and deletes it, by keyboard alone', async () => {
    const created = await api('/webhooks', { url: 'http://127.0.0.1:65535/changed', event_types: ['link.archived'] });
    const { page, problems } = await openAs('owner', pageOf(`webhooks/${created.id}`));
    const dialog = page.getByRole('dialog');
    const choose = async (name: string) => {
      await page.getByRole('main').getByRole('button', { name: 'More', exact: true }).press('Enter');
      await page.getByRole('menuitem', { name }).press('Enter');
    };
    await page.getByRole('button', { name: 'Edit', exact: true }).press('Enter');
    await dialog.getByLabel('Description').fill(HOSTILE[0]!);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: HOSTILE[0]!, level: 1 }).waitFor(WAIT);
    await page.getByRole('button', { name: 'Rotate secret' }).press('Enter');
    await dialog.getByRole('button', { name: 'Cancel' }).and(page.locator(':focus')).waitFor(WAIT);
    await dialog.getByRole('button', { name: 'Rotate secret' }).press('Enter');
    const secret = await page.getByLabel('Signing secret', { exact: true }).inputValue(WAIT);
    expect(secret).toMatch(/^whsec_/);
    await page.getByRole('button', { name: 'Done' }).press('Enter');

    await page.getByRole('button', { name: 'Send test event' }).press('Enter');
    await page.getByRole('listitem').filter({ hasText: 'webhook.test' }).first().waitFor(WAIT);
    await choose('Resend a period');
    await dialog.getByRole('button', { name: 'Resend', exact: true }).press('Enter');
    await dialog.locator('[aria-invalid]:focus').waitFor(WAIT);
    await dialog.getByLabel('From').fill(hoursAgo(3));
    await dialog.getByLabel('Until').fill(hoursAgo(2));
    await dialog.getByRole('button', { name: 'Resend', exact: true }).press('Enter');
    await page.getByText('0 events are sent again.').waitFor(WAIT);

    await choose('Delete endpoint');
    await dialog.getByRole('button', { name: 'Keep it' }).and(page.locator(':focus')).waitFor(WAIT);
    await dialog.getByRole('button', { name: 'Delete endpoint' }).press('Enter');
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).and(page.locator(':focus')).waitFor(WAIT);
    await page.getByText('127.0.0.1:9/changed').waitFor({ ...WAIT, state: 'detached' });
    expect(problems).toEqual([]);
    await page.close();
  });
}
