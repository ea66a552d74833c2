import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { findBrowser } from '@waymark/testing/browser';
import { waitFor } from '@waymark/testing/wait-for';

const AXE = readFileSync(createRequire(__filename).resolve('axe-core/axe.min.js'), 'utf8');
/** Rows of a list or a table, an empty list, a chart, figures, or a problem. */
const CONTENT = ['.rows > li', 'div.none', '.body > [role=row]', '[role=slider]', 'dl.usage > div', '[role=alert]'];
const LOADING = ['[aria-busy=true]', '.loading-row', '.loading-bars'];
/** WCAG 2.2 asks for targets of 24 px; axe checks them only if this rule is enabled. */
const ALL_RULES = { rules: { 'target-size': { enabled: true } } };
/** In forced colours axe reads the colours of the style sheet, which are not those that are drawn. */
export const RULES_BUT_CONTRAST = { rules: { ...ALL_RULES.rules, 'color-contrast': { enabled: false } } };
/** The rules whose result depends on the colours. */
const RULES_OF_COLOURS = { runOnly: ['color-contrast', 'link-in-text-block'] };

/** `describe`, or its skipping twin where there is no browser; CI sets `BROWSER_REQUIRED`, which fails instead. */
export function describeInBrowser(name: string, tests: () => void): void {
  if (findBrowser() || process.env['BROWSER_REQUIRED']) return describe(name, tests);
  process.stderr.write(
    `skipped, since there is no Chromium (apt-get install chromium-headless-shell, or set CHROMIUM): ${name}\n`,
  );
  describe.skip(name, tests);
}

/** Collects errors of the page and violations of its content security policy. */
export async function watchPage(page: Page): Promise<string[]> {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  await page.exposeFunction('reportViolation', (text: string) => problems.push(`violation: ${text}`));
  await page.addInitScript(
    `addEventListener('securitypolicyviolation', (e) => reportViolation(e.violatedDirective + ' ' + e.blockedURI + ' ' + e.sample))`,
  );
  return problems;
}

/** Waits until the page shows what it loads, or that there is none. */
export async function waitUntilLoaded(page: Page): Promise<void> {
  await waitFor('the page', async () => {
    // In this order: with its first content, a page also shows which other parts it still loads.
    const hasContent = (await page.locator(`main :is(${CONTENT.join()})`).count()) > 0;
    return hasContent && (await page.locator(`main :is(${LOADING.join()})`).count()) === 0;
  });
}

/** Expects the page to be accessible in both themes, wide and narrow, and leaves it light and wide. */
export async function expectAccessibleEverywhere(page: Page): Promise<void> {
  for (const width of [320, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    await expectAccessible(page, RULES_OF_COLOURS);
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await expectAccessible(page);
  }
}

/** Fails on a violation of the accessibility rules, and on a page that scrolls sideways. */
export async function expectAccessible(page: Page, options: object = ALL_RULES): Promise<void> {
  // Run by the debugger's protocol, which the content security policy does not concern.
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(AXE);
  const found = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    `axe.run(document, ${JSON.stringify(options)})`,
  );
  expect(found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([]);
  await expectNoSidewaysScrolling(page);
}

export async function expectNoSidewaysScrolling(page: Page): Promise<void> {
  // Charts take another width one frame after the window.
  await page.evaluate('new Promise((draw) => requestAnimationFrame(() => requestAnimationFrame(draw)))');
  expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
}
