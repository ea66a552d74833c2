import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { readSeen } from './observed-page.js';

const KEY_DELAY_MS = 60;
/** Until the next paint and what a change loads. */
const SETTLE_MS = 700;

const INTERACTIONS: Record<string, (page: Page) => Promise<unknown>> = {
  'typing an address': async (page) => {
    await page.getByLabel('Destination address').click();
    await page.keyboard.type('example.com/typed', { delay: KEY_DELAY_MS });
  },
  'creating a link': (page) => page.keyboard.press('Enter'),
  'opening the menu of a link': (page) =>
    page
      .getByRole('button', { name: /^More about/ })
      .first()
      .click(),
  'closing the menu': (page) => page.keyboard.press('Escape'),
  'selecting a link': (page) => page.getByRole('row').nth(2).getByRole('checkbox').click(),
  'selecting all links': (page) => page.getByLabel('Select all').click(),
  'opening a filter': (page) => page.getByRole('button', { name: 'Filter by Status' }).click(),
  'choosing a filter': (page) => page.getByRole('menuitem', { name: 'Active' }).click(),
  'typing a search': async (page) => {
    await page.getByLabel('Search links').click();
    await page.keyboard.type('bench-12', { delay: KEY_DELAY_MS });
  },
  'opening a link': (page) => page.getByRole('row').nth(1).getByRole('link').first().click(),
  'editing a field': async (page) => {
    await page.getByLabel('Title').click();
    await page.keyboard.type('edited', { delay: KEY_DELAY_MS });
  },
  'opening the analytics page': (page) => page.locator('.nav').getByRole('link', { name: 'Analytics' }).click(),
  'changing a panel': (page) => page.getByRole('tab', { name: 'Browser' }).click(),
  'moving the cursor of the chart': (page) => page.getByRole('slider').first().press('ArrowLeft'),
  'filtering by a row': (page) => page.getByRole('link', { name: 'Firefox' }).click(),
};

/** Does what members do with links and figures. @returns the longest time from each action to the next paint */
export async function interact(page: Page): Promise<Record<string, number>> {
  const longest: Record<string, number> = {};
  for (const [name, act] of Object.entries(INTERACTIONS)) {
    const { length } = (await readSeen(page)).interactions;
    await act(page);
    await sleep(SETTLE_MS);
    const { interactions } = await readSeen(page);
    longest[name] = Math.max(0, ...interactions.slice(length).map(({ durationMs }) => durationMs));
  }
  return longest;
}
