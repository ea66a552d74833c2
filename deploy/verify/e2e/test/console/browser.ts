import { accessSync, constants, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'];
const SILENCE = ['--disable-background-networking', '--disable-component-update', '--disable-sync'];
const AXE = createRequire(__filename).resolve('axe-core/axe.min.js');
/** A name that is not loopback, on this machine. */
export const PLAIN_HTTP_HOST = 'console.test';

/** The browser that `CHROMIUM` names, else the first one on the PATH. */
export function findBrowser(): string | undefined {
  if (process.env['CHROMIUM']) return process.env['CHROMIUM'];
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** `describe`, or its skipping twin where there is no browser; CI sets `BROWSER_REQUIRED`, which fails instead. */
export function describeInBrowser(name: string, tests: () => void): void {
  if (findBrowser() || process.env['BROWSER_REQUIRED']) return describe(name, tests);
  process.stderr.write(`skipped, since there is no Chromium (apt-get install chromium, or set CHROMIUM): ${name}\n`);
  describe.skip(name, tests);
}

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: findBrowser() ?? NAMES[0]!,
    args: [...FLAGS, ...SILENCE, `--host-resolver-rules=MAP ${PLAIN_HTTP_HOST} 127.0.0.1`],
  });

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

/** Fails on a violation of the accessibility rules, and on a page that scrolls sideways. */
export async function expectAccessible(page: Page): Promise<void> {
  // Run by the debugger's protocol, which the content security policy does not concern.
  await page.evaluate(readFileSync(AXE, 'utf8'));
  const found = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>('axe.run()');
  expect(found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([]);
  expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
}
