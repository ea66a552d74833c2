import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** Where pictures of pages are written; none are taken without it. */
export const PICTURES = process.env['CONSOLE_PICTURES'];

/** Writes what the page shows as `<name>-<theme>.png`, in both themes, if pictures are wanted. */
export async function capture(page: Page, name: string): Promise<void> {
  if (!PICTURES) return;
  mkdirSync(PICTURES, { recursive: true });
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.screenshot({ path: join(PICTURES, `${name}-${colorScheme}.png`) });
  }
}
