import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { PICTURES } from './capture.js';
import { WAIT } from './context.js';

const PAGES = ['links', 'analytics', 'folders', 'import', 'domains', 'webhooks', 'tokens', 'members', 'audit'];
const THEMES = ['dark', 'light'] as const;
const DATA = '**/api/v1/workspaces/**';
/** After it a page shows grey rows in place of those that it loads. */
const LOADING_SHOWN_MS = 600;
const COLUMNS = 3;
const WIDTH = 426;

/** Takes the pictures of one state of every page, and writes them as one picture for each theme. */
export class StatePictures {
  constructor(
    private readonly page: Page,
    private readonly pageOf: (path: string) => string,
  ) {}

  async loaded(state: 'empty' | 'long'): Promise<void> {
    await this.write(state, () => this.page.waitForLoadState('networkidle'));
  }

  async loading(): Promise<void> {
    await this.page.route(DATA, () => new Promise(() => undefined));
    await this.write('loading', () => this.page.waitForTimeout(LOADING_SHOWN_MS));
    await this.page.unroute(DATA);
  }

  async error(): Promise<void> {
    await this.page.route(DATA, (route) => route.abort());
    await this.write('error', () => this.page.getByRole('main').getByRole('button').first().waitFor(WAIT));
    await this.page.unroute(DATA);
  }

  private async write(state: string, shown: () => Promise<void>): Promise<void> {
    const shots: Record<(typeof THEMES)[number], Buffer[]> = { dark: [], light: [] };
    for (const name of PAGES) {
      await this.page.goto(this.pageOf(name));
      await this.page.getByRole('main').getByRole('heading', { level: 1 }).waitFor(WAIT);
      await shown();
      for (const colorScheme of THEMES) {
        await this.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        shots[colorScheme].push(await this.page.screenshot());
      }
    }
    for (const theme of THEMES) await this.writeSheet(`states-${state}-${theme}.png`, shots[theme]);
  }

  private async writeSheet(name: string, shots: Buffer[]): Promise<void> {
    const sheet = await this.page.context().newPage();
    await sheet.setViewportSize({ width: WIDTH * COLUMNS, height: 800 });
    const images = shots.map((shot) => `<img width=${WIDTH} src="data:image/png;base64,${shot.toString('base64')}">`);
    await sheet.setContent(`<body style="margin:0;display:flex;flex-wrap:wrap">${images.join('')}`);
    await sheet.screenshot({ path: join(PICTURES!, name), fullPage: true });
    await sheet.close();
  }
}
