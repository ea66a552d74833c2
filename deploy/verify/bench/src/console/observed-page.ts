import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Demo } from '@waymark/start/demo';

const WAIT = { timeout: 120_000 };

export interface Conditions {
  /** How many times slower than this machine the processor is. */
  cpuSlowdown: number;
  /** The connection; none: as fast as loopback. */
  network?: { megabitsPerSecond: number; roundTripMs: number };
}

/** What the browser has reported since the page was opened. */
export interface Seen {
  largestPaintMs: number;
  largestElement: string;
  layoutShift: number;
  /** The elements that moved, with how much. */
  shifts: string[];
  /** Of events that a person caused; durations below 16 ms are not reported. */
  interactions: { name: string; durationMs: number }[];
  longTasksMs: number[];
}

/** Runs before the page's own scripts. */
const OBSERVE = `{
  const seen = { largestPaintMs: 0, largestElement: '', layoutShift: 0, shifts: [], interactions: [], longTasksMs: [] };
  globalThis.waymarkSeen = seen;
  const name = (node) => node?.nodeType === 1 ? node.tagName.toLowerCase() + '.' + node.className : String(node?.nodeName);
  const observe = (type, read, options) =>
    new PerformanceObserver((list) => list.getEntries().forEach(read)).observe({ type, buffered: true, ...options });
  observe('largest-contentful-paint', ({ startTime, element }) => {
    seen.largestPaintMs = startTime;
    seen.largestElement = element ? name(element) : 'removed since';
  });
  // The worst window of at most five seconds, with gaps of at most one: https://web.dev/articles/cls
  let shiftWindow = { from: 0, to: 0, sum: 0 };
  observe('layout-shift', ({ value, startTime, hadRecentInput, sources }) => {
    if (hadRecentInput) return;
    const isSame = startTime - shiftWindow.to < 1000 && startTime - shiftWindow.from < 5000;
    if (!isSame) shiftWindow = { from: startTime, to: startTime, sum: 0 };
    shiftWindow.to = startTime;
    shiftWindow.sum += value;
    seen.layoutShift = Math.max(seen.layoutShift, shiftWindow.sum);
    seen.shifts.push(value.toFixed(4) + ' ' + sources.map(({ node }) => name(node)).join(', '));
  });
  observe('event', ({ name, duration, interactionId }) => {
    if (interactionId) seen.interactions.push({ name, durationMs: duration });
  }, { durationThreshold: 16 });
  observe('longtask', ({ duration }) => seen.longTasksMs.push(duration));
}`;

/** A browser in which the owner of the demo has signed in, with an empty cache. */
export async function signIn(browser: Browser, demo: Demo): Promise<BrowserContext> {
  const context = await browser.newContext({ permissions: ['clipboard-write'] });
  const page = await context.newPage();
  await page.goto(`${demo.base_url}/console`);
  const { email, password } = demo.users['owner']!;
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.keyboard.press('Enter');
  await page.getByRole('row').nth(1).waitFor(WAIT);
  await page.close();
  return context;
}

/** A page of a browser that has the session and nothing in its cache. */
export async function openObserved(context: BrowserContext, conditions: Conditions): Promise<Page> {
  const fresh = await context.browser()!.newContext({
    storageState: await context.storageState(),
    permissions: ['clipboard-write'],
  });
  const page = await fresh.newPage();
  page.setDefaultTimeout(WAIT.timeout);
  await page.addInitScript(OBSERVE);
  const session = await fresh.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: conditions.cpuSlowdown });
  const { network } = conditions;
  if (network) {
    const bytesPerSecond = (network.megabitsPerSecond * 1_000_000) / 8;
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: network.roundTripMs,
      downloadThroughput: bytesPerSecond,
      uploadThroughput: bytesPerSecond,
    });
  }
  return page;
}

export const readSeen = (page: Page): Promise<Seen> => page.evaluate<Seen>('globalThis.waymarkSeen');
