import type { Page } from 'playwright-core';
import type { Role } from '@waymark/contract/roles';
import { watchPage } from './browser.js';
import { WAIT, type ConsoleTests } from './context.js';

export const PASSWORD = 'a long enough passphrase 7';

/** Runs in the page, with the session of its user. */
export const postInPage = (path: string, body: object, result: string) => `(async () => {
  const csrf = (await fetch('/api/v1/user')).headers.get('x-csrf-token');
  const headers = { 'content-type': 'application/json', 'x-csrf-token': csrf };
  const answer = await fetch('/api/v1/workspaces${path}', { method: 'POST', headers, body: '${JSON.stringify(body)}' });
  return ${result};
})()`;
export const createWorkspace = (slug: string) => postInPage('', { slug, name: slug }, 'answer.status');
export const createInvitation = (slug: string, role: Role, email: string | null = null) =>
  postInPage(`/${slug}/invitations`, { role, email }, '(await answer.json()).meta.invite_url');

interface OpenPage {
  page: Page;
  problems: string[];
}

/** How tests get users beside those of the demo. */
export function peopleOf({ openAs, pageOf, newContext, running }: ConsoleTests) {
  /** The link has the address that the API is published under; the test opens the one that it listens on. */
  const here = (link: string): string => {
    const { pathname, hash } = new URL(link);
    return new URL(pathname + hash, running().demo.base_url).href;
  };

  /** A page of a new user who has accepted the invitation. */
  async function joinBy(link: string, email: string, name = 'New colleague'): Promise<OpenPage> {
    const page = await (await newContext()).newPage();
    const problems = await watchPage(page);
    await page.goto(here(link));
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/w\/[^/]+\/links$/, WAIT);
    return { page, problems };
  }

  /** A page of a new member of the demo's workspace. */
  async function joinAs(role: Role, email: string): Promise<OpenPage> {
    const { page: owner } = await openAs('owner', pageOf('members'));
    const link = await owner.evaluate<string>(createInvitation(running().demo.workspace, role));
    await owner.close();
    return joinBy(link, email, `New ${role}`);
  }
  return { here, joinBy, joinAs };
}
