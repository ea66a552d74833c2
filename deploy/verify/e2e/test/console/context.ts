import type { BrowserContext, Locator, Page } from 'playwright-core';
import type { MailServer } from '@waymark/testing/mail-server';
import { waitFor } from '@waymark/testing/wait-for';
import type { RunningSystem } from '../system.js';
import type { LimitedClickHouse } from './clickhouse-limits.js';

/** Long enough for a slow machine. */
export const WAIT = { timeout: 60_000 };

/** The edge may not know a new link yet: the visit that a test counts would be a 404 or 503. */
export async function waitUntilServed(link: Locator): Promise<void> {
  const address = (await link.getAttribute('href'))!;
  const status = async () => (await fetch(address, { method: 'HEAD', redirect: 'manual' })).status;
  await waitFor('the edge to serve the link', async () => (await status()) === 302);
}

/** Texts that break out of markup, scripts, attributes, addresses and layouts. */
export const HOSTILE = [
  `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`,
  `"'\`></textarea><svg onload=alert(1)>{{7*7}}\${7*7}`,
  `javascript:alert(1)//`,
  `${'w'.repeat(45)} {{x}}`,
];

/** The running system and its browser, which all tests of the console share. */
export interface ConsoleTests {
  running: () => RunningSystem;
  clickHouse: () => LimitedClickHouse;
  /** What the system has mailed. */
  mails: () => MailServer;
  /** The address of a page of the console. */
  address: (path?: string) => string;
  /** The address of a page of the demo's workspace. */
  pageOf: (path: string) => string;
  /** A page of a demo user who has signed in; one session for each user. */
  openAs: (name: string, url?: string) => Promise<{ page: Page; problems: string[] }>;
  /** Fills in and sends the form to sign in, as a demo user. */
  signIn: (page: Page, name: string) => Promise<void>;
  newContext: (options?: { locale?: string; userAgent?: string }) => Promise<BrowserContext>;
  /** Creates something by the API as the owner. */
  api: (path: string, body: object) => Promise<any>;
}
