import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext } from 'playwright-core';
import { ROOT } from '@waymark/launcher/process-table';
import { openObserved, readSeen, type Conditions, type Seen } from './observed-page.js';

const ASSETS = join(ROOT, 'gateway/dist/public/console/assets');
/** Figures of the week come after the list, and may move it. */
const SETTLE_MS = 1500;

export interface FirstList {
  seen: Seen;
  requests: number;
  javascriptBytes: number;
  cssBytes: number;
}

/** Opens the list of links with an empty cache. */
export async function openFirstList(context: BrowserContext, url: string, conditions: Conditions): Promise<FirstList> {
  const page = await openObserved(context, conditions);
  const urls: string[] = [];
  page.on('request', (request) => void urls.push(request.url()));
  await page.goto(url);
  await page.getByRole('row').nth(1).waitFor();
  await page.locator('.spark rect').first().waitFor({ state: 'attached' });
  await sleep(SETTLE_MS);
  const seen = await readSeen(page);
  await page.context().close();
  // Browsers also load the icon; nothing waits for it.
  const needed = urls.filter((each) => !each.endsWith('/favicon.svg'));
  const untilList = needed.slice(0, needed.findIndex((each) => /\/links\?/.test(each)) + 1);
  return {
    seen,
    requests: untilList.length,
    javascriptBytes: compressedBytes(untilList, '.js'),
    cssBytes: compressedBytes(untilList, '.css'),
  };
}

const compressedBytes = (urls: string[], extension: string): number =>
  urls
    .filter((url) => url.endsWith(extension))
    .reduce((sum, url) => sum + readFileSync(join(ASSETS, `${basename(url)}.gz`)).length, 0);
