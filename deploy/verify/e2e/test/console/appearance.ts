import type { Locator } from 'playwright-core';
import { waitFor } from '@waymark/testing/wait-for';
import { expectAccessible, expectNoSidewaysScrolling, RULES_BUT_CONTRAST, waitUntilLoaded } from './browser.js';
import { HOSTILE, WAIT, type ConsoleTests } from './context.js';
import { contrastOfArrow } from './pixels.js';
import { findUnreadableTexts } from './text-boxes.js';

/** Twice the default of browsers. */
const LARGE_TEXT = { standard: 32, fixed: 26 };
/** The least contrast of controls and marks: WCAG 1.4.11. */
const CONTRAST_MIN = 3;
const PAGES = ['analytics', 'folders', 'import', 'webhooks', 'tokens', 'members', 'audit', 'settings', 'profile'];
const LIST = 'links?search=card-';
/** The sum of the shifts that no input caused: https://web.dev/articles/cls */
const SHIFTS = `new Promise((resolve) => {
  let sum = 0;
  const add = (list) => list.getEntries().forEach((entry) => (sum += entry.hadRecentInput ? 0 : entry.value));
  new PerformanceObserver(add).observe({ type: 'layout-shift', buffered: true });
  setTimeout(() => resolve(sum), 300);
})`;
/** How long the transitions and animations of all elements last. */
const DURATIONS = `[...new Set([...document.querySelectorAll('*')].flatMap((element) => {
  const { transitionDuration, animationDuration } = getComputedStyle(element);
  return [transitionDuration, animationDuration].flatMap((text) => text.split(', '));
}))]`;
const SHIFTS_MAX = 0.02;

/** The tests of what people see who change colours, sizes or the width of the window. */
export function appearanceTests({ openAs, pageOf, api }: ConsoleTests): void {
  const folderName = `${HOSTILE[3]!} folder`;

  /** A link whose texts are as long as they may be. */
  async function createLongLink(): Promise<any> {
    const folder = await api('/folders', { name: folderName });
    const names = ['one', 'two', 'three'].map((name) => `${'g'.repeat(40)} ${name}`);
    const tags = await Promise.all(names.map((name) => api('/tags', { name, color: '#336699' })));
    return api('/links', {
      destination_url: `https://example.com/${'d'.repeat(300)}`,
      title: `Card ${'t'.repeat(200)}`,
      short_code: `card-${'c'.repeat(50)}`,
      folder_id: folder.id as string,
      tag_ids: tags.map(({ id }) => id as string),
    });
  }

  describe('the appearance', () => {
    let link: any;
    beforeAll(async () => void (link = await createLongLink()));

    test.each(['links', 'analytics', 'members'])('moves nothing that is shown already on the page %s', async (path) => {
      const { page } = await openAs('owner', pageOf(path));
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.reload();
      await waitUntilLoaded(page);
      expect(await page.evaluate<number>(SHIFTS)).toBeLessThanOrEqual(SHIFTS_MAX);
      await page.close();
    });

    test('shows grey rows in the height of the later ones, after a moment, while a list loads', async () => {
      const { page } = await openAs('owner', pageOf('members'));
      const row = page.locator('.rows > li').first();
      const height = (await row.boundingBox(WAIT))!.height;
      let answer: () => void = () => undefined;
      const isAnswered = new Promise<void>((resolve) => (answer = resolve));
      await page.route('**/api/**/members', async (route) => {
        await isAnswered;
        await route.continue();
      });
      await page.reload();
      const grey = page.locator('.loading-list > div').first();
      expect(Math.abs((await grey.boundingBox(WAIT))!.height - height)).toBeLessThanOrEqual(2);
      const bar = `getComputedStyle(document.querySelector('.loading-list > div'), '::before')`;
      expect(await page.evaluate(`${bar}.animationDelay`)).toBe('0.3s');
      await waitFor('the grey bars', async () => (await page.evaluate(`${bar}.visibility`)) === 'visible');
      answer();
      await row.waitFor(WAIT);
      expect(await page.locator('.panel').first().locator('.loading-list').count()).toBe(0);
      await page.close();
    });

    test('moves nothing on the page when the user prefers less motion', async () => {
      const { page } = await openAs('owner', pageOf('links'));
      await page.getByRole('row').nth(1).waitFor(WAIT);
      const durations = () => page.evaluate<string[]>(DURATIONS);
      await page.emulateMedia({ reducedMotion: 'no-preference' });
      expect(await durations()).toContain('0.12s');
      await page.emulateMedia({ reducedMotion: 'reduce' });
      expect(await durations()).toEqual(['0s']);
      await page.close();
    });

    test('centres its dialogs, and gives a failed row the whole width', async () => {
      const { page } = await openAs('owner', pageOf('settings'));
      await page.setViewportSize({ width: 1280, height: 800 });
      for (const [path, name] of [
        ['settings', 'Leave the workspace'],
        ['settings', 'Delete the workspace'],
        ['members', 'Invite a colleague'],
      ] as const) {
        await page.goto(pageOf(path));
        await page.getByRole('button', { name }).click();
        const box = (await page.getByRole('dialog').boundingBox())!;
        expect(Math.abs(box.y - (800 - box.y - box.height))).toBeLessThanOrEqual(2);
        await page.keyboard.press('Escape');
      }
      const webhook = await api('/webhooks', {
        url: `http://127.0.0.1:65535/${'long-'.repeat(12)}hook`,
        event_types: ['link.created', 'link.updated', 'link.archived'],
      });
      await page.goto(pageOf(`webhooks/${webhook.id}`));
      const facts = page.locator('.facts');
      await facts.getByText('link.created').waitFor(WAIT);
      // One line for the address, and the width of the panel for the events.
      expect((await facts.getByText('long-', { exact: false }).boundingBox())!.height).toBeLessThan(30);
      expect((await facts.locator('.events').boundingBox())!.width).toBeGreaterThan(900);
      await page.goto(pageOf('tokens'));
      const title = page.locator('.visually-hidden', { has: page.getByRole('heading', { name: 'Access tokens' }) });
      await title.waitFor({ ...WAIT, state: 'attached' });
      await page.close();
    });

    test('shows the field for a new link and the figures early on a phone', async () => {
      const { page } = await openAs('owner', pageOf('links'));
      await page.setViewportSize({ width: 390, height: 844 });
      await page.reload();
      const field = page.getByLabel('Destination address');
      await page.getByRole('row').nth(1).waitFor(WAIT);
      expect(await field.getAttribute('placeholder')).toBe('Paste a long address');
      const exportLink = page.getByRole('link', { name: 'Export CSV' });
      expect((await exportLink.boundingBox())!.y).toBeGreaterThan((await field.boundingBox())!.y);
      await page
        .getByText(/in 7 days$/)
        .first()
        .waitFor(WAIT);
      await page.goto(pageOf('analytics'));
      expect((await page.locator('.tiles').boundingBox(WAIT))!.y).toBeLessThan(844 * 0.3);
      await page.close();
    });

    test('offers shortcuts for the search and a new link, their list, and the guide', async () => {
      const { page, problems } = await openAs('owner', pageOf('members'));
      await page.getByRole('heading', { name: 'Members', level: 1 }).waitFor(WAIT);
      await page.keyboard.press('?');
      const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
      await list.getByText('New link').waitFor(WAIT);
      await expectAccessible(page);
      await page.keyboard.press('c');
      await page.keyboard.press('Escape');
      await page.keyboard.press('c');
      await page.getByLabel('Destination address').and(page.locator(':focus')).waitFor(WAIT);
      await page.keyboard.type('c?/');
      expect(await page.getByLabel('Destination address').inputValue()).toBe('c?/');
      await page.getByLabel('Destination address').fill('');
      await page.locator('h1').focus();
      await page.keyboard.press('/');
      await page.getByLabel('Search links').and(page.locator(':focus')).waitFor(WAIT);
      await page.getByRole('button', { name: /^Demo owner/ }).click();
      await page.getByRole('menuitem', { name: 'Profile' }).waitFor(WAIT);
      await page.getByRole('menuitem', { name: 'Your first campaign' }).click();
      await page.getByRole('link', { name: '6. Invite a colleague' }).waitFor(WAIT);
      await expectAccessible(page);
      await page.getByRole('button', { name: /^Demo owner/ }).click();
      await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click();
      await list.getByLabel('Single keys are shortcuts').uncheck();
      await page.keyboard.press('Escape');
      await page.keyboard.press('c');
      await page.keyboard.press('?');
      expect(await list.count()).toBe(0);
      await page.evaluate('localStorage.clear()');
      expect(problems).toEqual([]);
      await page.close();
    });

    test('leads the keyboard past the navigation first', async () => {
      const { page, problems } = await openAs('owner', pageOf('links'));
      await page.getByRole('row').nth(1).waitFor(WAIT);
      await page.keyboard.press('Tab');
      await page.getByRole('link', { name: 'Skip to content' }).and(page.locator(':focus')).press('Enter');
      await page.locator('main:focus').waitFor(WAIT);
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.closest("main") !== null')).toBe(true);
      expect(problems).toEqual([]);
      await page.close();
    });

    test('focuses a menu at once, so that the next key reaches it', async () => {
      const { page, problems } = await openAs('owner', pageOf('links'));
      const button = page.getByRole('button', { name: 'Filter by Tag' });
      await button.waitFor(WAIT);
      expect(await button.evaluate(focusesMenuAtOnce)).toBe(true);
      expect(problems).toEqual([]);
      await page.close();
    });

    test('marks the current page and the selected link in forced colours', async () => {
      const { page, problems } = await openAs('owner', pageOf(LIST));
      await page.emulateMedia({ forcedColors: 'active' });
      const row = page.getByRole('row').nth(1);
      await row.getByRole('checkbox').click();
      const bar = page.getByRole('group', { name: '1 selected' });
      await bar.waitFor(WAIT);
      expect(await styleOf(row, 'outlineStyle')).toBe('solid');
      expect(await styleOf(bar, 'borderStyle')).toBe('solid');
      for (const [width, navigation] of [
        [1280, '.nav'],
        [320, '.bottombar'],
      ] as const) {
        await page.setViewportSize({ width, height: 800 });
        const entry = (name: string) => page.locator(navigation).getByRole('link', { name });
        expect(await styleOf(entry('Links'), 'outlineStyle')).toBe('solid');
        expect(await styleOf(entry('Analytics'), 'outlineStyle')).toBe('none');
      }
      await page.getByRole('button', { name: 'Clear the selection' }).click();
      await expectAccessible(page, RULES_BUT_CONTRAST);
      expect(problems).toEqual([]);
      await page.close();
    });

    test('draws the figures in the colours of the system when colours are forced', async () => {
      const { page } = await openAs('owner', pageOf('analytics'));
      await page.emulateMedia({ forcedColors: 'active' });
      await page.getByRole('slider').first().waitFor(WAIT);
      const text = await styleOf(page.locator('body'), 'color');
      expect(await styleOf(page.locator('.swatch .bar:not(.partial)').first(), 'fill')).toBe(text);
      expect(await styleOf(page.locator('.chart .axis').first(), 'stroke')).toBe(text);
      const tab = (selected: boolean) => page.getByRole('tab', { selected }).first();
      expect(await styleOf(tab(true), 'outlineStyle')).toBe('solid');
      expect(await styleOf(tab(false), 'outlineStyle')).toBe('none');
      await expectAccessible(page, RULES_BUT_CONTRAST);
      await page.close();
    });

    test('shows every text at twice its size, wide and at 320 px, without scrolling sideways', async () => {
      const { page } = await openAs('owner', pageOf(LIST));
      const session = await page.context().newCDPSession(page);
      await session.send('Page.setFontSizes', { fontSizes: LARGE_TEXT });
      for (const path of [LIST, ...PAGES, `links/${link.id}`]) {
        await page.goto(pageOf(path));
        await waitUntilLoaded(page);
        expect(await styleOf(page.locator('html'), 'fontSize')).toBe('32px');
        for (const width of [1280, 320]) {
          await page.setViewportSize({ width, height: 800 });
          await expectNoSidewaysScrolling(page);
          expect({ path, width, texts: await findUnreadableTexts(page) }).toEqual({ path, width, texts: [] });
        }
      }
      await page.close();
    });

    test('draws the arrow of selects in every theme on a light and a dark system, and in forced colours', async () => {
      const { page } = await openAs('owner', pageOf('links'));
      for (const [colorScheme, theme, forcedColors] of [
        ['light', 'Match system', 'none'],
        ['dark', 'Match system', 'none'],
        ['light', 'Dark', 'none'],
        ['dark', 'Light', 'none'],
        ['light', 'Dark', 'active'],
        ['dark', 'Light', 'active'],
      ] as const) {
        await page.emulateMedia({ colorScheme, forcedColors, reducedMotion: 'reduce' });
        await page.getByRole('button', { name: /Demo owner/ }).click();
        await page.getByRole('menuitemradio', { name: `Theme: ${theme}` }).click();
        const contrast = await contrastOfArrow(page.getByLabel('Sort by'));
        const isVisible = contrast >= CONTRAST_MIN;
        expect({ colorScheme, theme, forcedColors, contrast, isVisible }).toMatchObject({ isVisible: true });
      }
      await page.evaluate(`localStorage.clear()`);
      await page.close();
    });

    test('shows a link as a card at 320 px, with every part apart from the others and inside the window', async () => {
      const { page, problems } = await openAs('owner', pageOf(LIST));
      await page.setViewportSize({ width: 320, height: 800 });
      const card = page.getByRole('row', { name: /card-/ });
      await card.getByText(folderName).waitFor(WAIT);
      for (const text of [link.short_code, link.title, 'Active', 'scans']) {
        await card
          .getByText(text as string)
          .first()
          .waitFor(WAIT);
      }
      expect(await card.evaluate(findCollisions)).toEqual([]);
      expect(await findUnreadableTexts(page)).toEqual([]);
      await card.getByRole('button', { name: /^More about/ }).click();
      const menu = (await page.getByRole('menu').boundingBox())!;
      expect([menu.x >= 0, menu.x + menu.width <= 320, menu.y >= 0]).toEqual([true, true, true]);
      await expectAccessible(page);
      expect(problems).toEqual([]);
      await page.close();
    });
  });
}

/** Runs in the browser. */
const styleOf = (element: Locator, property: string): Promise<string> =>
  element.evaluate((found: any, name: string) => (globalThis as any).getComputedStyle(found)[name] as string, property);

/** Whether a menu has the focus as soon as a click on its button has put it on the page; runs in the browser. */
const focusesMenuAtOnce = (button: any): Promise<boolean> =>
  new Promise((resolve) => {
    const { document, MutationObserver } = globalThis as any;
    const look = (_: unknown, observer: any) => {
      const menu = document.querySelector('.menu');
      if (menu === null) return;
      observer.disconnect();
      resolve(menu.contains(document.activeElement) as boolean);
    };
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
    button.click();
  });

/** Parts of a card that lie over each other or outside the card; runs in the browser. */
function findCollisions(card: any): string[] {
  const edge = card.getBoundingClientRect();
  const problems = edge.right > (globalThis as any).innerWidth ? ['the card is outside'] : [];
  const parts = ([...card.querySelectorAll('[role=cell]')] as any[])
    .map((part) => ({ name: part.className as string, box: part.getBoundingClientRect() }))
    .filter(({ box }) => box.width > 0 && box.height > 0);
  parts.forEach(({ name, box }, index) => {
    if (box.left < edge.left || box.right > edge.right + 1) problems.push(`${name} is outside`);
    for (const other of parts.slice(index + 1)) {
      const width = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
      const height = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
      if (width > 1 && height > 1) problems.push(`${name} covers ${other.name}`);
    }
  });
  return problems;
}
