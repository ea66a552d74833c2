import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext } from 'playwright-core';
import { launchBrowser } from '@waymark/testing/browser';
import { median, rounded } from '../figures.js';
import { openFirstList, type FirstList } from './first-list.js';
import { installConsole } from './installation.js';
import { interact } from './interactions.js';
import { openObserved, readSeen, signIn, type Conditions } from './observed-page.js';
import { scrollThrough } from './scrolling.js';

const SLOW: Conditions = { cpuSlowdown: 4, network: { megabitsPerSecond: 1.6, roundTripMs: 0 } };
/** The same connection over a mobile network. */
const DISTANT: Conditions = { cpuSlowdown: 4, network: { megabitsPerSecond: 1.6, roundTripMs: 150 } };
const FAST: Conditions = { cpuSlowdown: 1 };
const SETTLE_MS = 2000;

/** What the console is measured by. The times depend on the machine: they are goals, and none of them fails the command. */
const GOALS = {
  largest_contentful_paint_ms: 1200,
  interaction_to_next_paint_ms: 100,
  cumulative_layout_shift: 0.02,
};
/** These are the same on every machine. */
const BUDGETS = { requests_to_first_list: 6, javascript_bytes: 45_000, css_bytes: 10_000, analytics_api_calls: 4 };

interface Values {
  rounds: number;
  links: number;
}

/** Measures the console in Chromium as a member with a slow computer and a slow connection sees it. */
export async function benchConsole({ rounds, links }: Values): Promise<boolean> {
  const installation = await installConsole(links);
  const browser = await launchBrowser();
  try {
    const { demo, linkId } = installation;
    const context = await signIn(browser, demo);
    const urlOf = (path: string) => `${demo.base_url}/console/w/${demo.workspace}/${path}`;
    const lists = await measureLists(context, urlOf('links'), rounds);
    const interactions = await measureInteractions(context, urlOf('links'), rounds);
    const paths = ['analytics', `links/${linkId}`, 'folders', 'webhooks', 'settings'];
    const pages = await measurePages(context, paths.map(urlOf));
    const scrolling = await measureScrolling(context, urlOf('links'));
    const report = summarize({ links, lists, interactions, pages, scrolling });
    console.log(JSON.stringify(report, null, 2));
    return report.passed;
  } finally {
    await browser.close();
    await installation.stop();
  }
}

async function measureLists(context: BrowserContext, url: string, rounds: number) {
  const near: FirstList[] = [];
  const distant: FirstList[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    near.push(await openFirstList(context, url, SLOW));
    distant.push(await openFirstList(context, url, DISTANT));
    const [paint, distantPaint] = [near, distant].map((all) => rounded(all.at(-1)!.seen.largestPaintMs));
    console.error(`round ${round}: largest paint after ${paint} ms, ${distantPaint} ms with round trips of 150 ms`);
  }
  return { near, distant };
}

/** The median over the rounds of each action. */
async function measureInteractions(context: BrowserContext, url: string, rounds: number) {
  const all: Record<string, number>[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const page = await openObserved(context, { cpuSlowdown: SLOW.cpuSlowdown });
    await page.goto(url);
    await page.getByRole('row').nth(1).waitFor();
    await sleep(SETTLE_MS);
    all.push(await interact(page));
    await page.context().close();
    console.error(`round ${round}: ${JSON.stringify(all.at(-1))}`);
  }
  const names = Object.keys(all[0]!);
  return Object.fromEntries(names.map((name) => [name, median(all.map((each) => each[name]!))]));
}

/** Layout shifts of the other pages with charts, and the calls of the analytics page. */
async function measurePages(context: BrowserContext, urls: readonly string[]) {
  const shifts: Record<string, { measured: number; moved: string[] }> = {};
  const calls: string[] = [];
  for (const url of urls) {
    const page = await openObserved(context, SLOW);
    if (url.endsWith('/analytics')) page.on('request', (request) => void calls.push(request.url()));
    await page.goto(url);
    await page.locator('main').waitFor();
    await page.waitForLoadState('networkidle');
    await sleep(SETTLE_MS);
    const { layoutShift, shifts: moved } = await readSeen(page);
    shifts[new URL(url).pathname] = { measured: rounded(layoutShift, 4), moved };
    await page.context().close();
  }
  return { shifts, apiCalls: calls.filter((url) => url.includes('/api/')).length };
}

async function measureScrolling(context: BrowserContext, url: string) {
  const page = await openObserved(context, FAST);
  await page.goto(url);
  await page.getByRole('row').nth(1).waitFor();
  const more = page.getByRole('button', { name: 'Show more' });
  const scrolled = await scrollThrough(page, async () => (await more.count()) === 0);
  await page.context().close();
  return scrolled;
}

interface Measured {
  links: number;
  lists: Awaited<ReturnType<typeof measureLists>>;
  interactions: Record<string, number>;
  pages: Awaited<ReturnType<typeof measurePages>>;
  scrolling: Awaited<ReturnType<typeof measureScrolling>>;
}

function summarize({ links, lists: { near, distant }, interactions, pages, scrolling }: Measured) {
  const paints = (all: FirstList[]) => all.map(({ seen }) => rounded(seen.largestPaintMs));
  const shifts = [
    ...Object.values(pages.shifts).map(({ measured }) => measured),
    ...near.map(({ seen }) => seen.layoutShift),
  ];
  const measured = {
    largest_contentful_paint_ms: median(paints(near)),
    interaction_to_next_paint_ms: Math.max(...Object.values(interactions)),
    cumulative_layout_shift: rounded(Math.max(...shifts), 4),
  };
  const spent = {
    requests_to_first_list: Math.max(...near.map(({ requests }) => requests)),
    javascript_bytes: near[0]!.javascriptBytes,
    css_bytes: near[0]!.cssBytes,
    analytics_api_calls: pages.apiCalls,
  };
  const over = exceeded(spent, BUDGETS);
  return {
    benchmark: 'console',
    links,
    measured,
    goals: GOALS,
    goals_missed: exceeded(measured, GOALS),
    spent,
    budgets: BUDGETS,
    largest_contentful_paint: {
      element: near.at(-1)!.seen.largestElement,
      rounds_ms: paints(near),
      with_round_trips_of_150_ms: paints(distant),
    },
    interactions_ms: interactions,
    layout_shifts: pages.shifts,
    scrolling,
    passed: over.length === 0,
  };
}

const exceeded = (values: Record<string, number>, limits: Record<string, number>): string[] =>
  Object.keys(limits).filter((name) => values[name]! > limits[name]!);
