import type { Page } from 'playwright-core';
import type { Role } from '@waymark/contract/roles';
import { capture } from './capture.js';
import { expectAccessible, watchPage } from './browser.js';
import { HOSTILE, WAIT, type ConsoleTests } from './context.js';

const PASSWORD = 'a long enough passphrase 7';

/** Runs in the page, with the session of its user. */
const postInPage = (path: string, body: object, result: string) => `(async () => {
  const csrf = (await fetch('/api/v1/user')).headers.get('x-csrf-token');
  const headers = { 'content-type': 'application/json', 'x-csrf-token': csrf };
  const answer = await fetch('/api/v1/workspaces${path}', { method: 'POST', headers, body: '${JSON.stringify(body)}' });
  return ${result};
})()`;
const createWorkspace = (slug: string) => postInPage('', { slug, name: slug }, 'answer.status');
const createInvitation = (slug: string, role: Role) =>
  postInPage(`/${slug}/invitations`, { role }, '(await answer.json()).meta.invite_url');

export function memberTests({ openAs, pageOf, newContext, running }: ConsoleTests): void {
  /** A page of a new user who has accepted an invitation. */
  async function joinAs(role: Role, email: string): Promise<{ page: Page; problems: string[] }> {
    const { page: owner } = await openAs('owner', pageOf('members'));
    const link = await owner.evaluate<string>(createInvitation(running().demo.workspace, role));
    await owner.close();
    const page = await (await newContext()).newPage();
    const problems = await watchPage(page);
    await page.goto(new URL(new URL(link).pathname, running().demo.base_url).href);
    await page.getByLabel('Name').fill(`New ${role}`);
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL(pageOf('links'), WAIT);
    return { page, problems };
  }

  test('invites a colleague by a link that is shown once, who joins with a new account', async () => {
    const { page, problems } = await openAs('owner', pageOf('members'));
    await page.getByRole('button', { name: 'Invite a colleague' }).press('Enter');
    await page.getByRole('combobox', { name: 'Role' }).selectOption('analyst');
    await page.getByRole('button', { name: 'Create invitation' }).press('Enter');
    const link = await page.getByLabel('Invitation link', { exact: true }).inputValue(WAIT);
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(link);
    await page.getByRole('button', { name: 'Done' }).press('Enter');
    await page.getByText('Whoever has the link').waitFor(WAIT);
    expect(await page.content()).not.toContain(link);
    await expectAccessible(page);
    await capture(page, 'members');

    const context = await newContext();
    const guest = await context.newPage();
    // The link has the address that the API is published under; the test opens the one that it listens on.
    await guest.goto(new URL(new URL(link).pathname, running().demo.base_url).href);
    await guest.getByRole('heading', { name: 'Join Acme Corp' }).waitFor(WAIT);
    await guest.setViewportSize({ width: 320, height: 800 });
    await expectAccessible(guest);
    await capture(guest, 'invitation-narrow');
    const [name] = HOSTILE;
    await guest.getByLabel('Name').fill(name!);
    await guest.getByLabel('E-mail').fill('colleague@example.com');
    await guest.getByLabel('Password').fill('short');
    await guest.keyboard.press('Enter');
    await guest.getByText('must have at least 10 characters').waitFor(WAIT);
    await guest.getByLabel('Password').fill(PASSWORD);
    await guest.keyboard.press('Enter');
    await guest.waitForURL(pageOf('links'), WAIT);
    await guest.setViewportSize({ width: 1280, height: 800 });
    await guest.getByRole('row').nth(1).waitFor(WAIT);
    expect(await guest.getByLabel('Destination address').count()).toBe(0);
    await context.close();

    await page.reload();
    const row = page.getByRole('listitem').filter({ hasText: 'colleague@example.com' });
    await row.getByText('Analyst', { exact: true }).waitFor(WAIT);
    await row.getByRole('button', { name: /^Change role/ }).press('Enter');
    await page.getByRole('combobox', { name: 'Role' }).selectOption('viewer');
    await page.getByRole('button', { name: 'Save changes' }).press('Enter');
    await row.getByText('Viewer', { exact: true }).waitFor(WAIT);
    await row.getByRole('button', { name: /^Remove/ }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).press('Enter');
    await row.waitFor({ ...WAIT, state: 'detached' });
    expect(problems).toEqual([]);
    await page.close();
  });

  test('says that a withdrawn invitation does not work', async () => {
    const { page } = await openAs('owner', pageOf('members'));
    await page.getByRole('button', { name: 'Invite a colleague' }).click();
    await page.getByRole('button', { name: 'Create invitation' }).click();
    const link = await page.getByLabel('Invitation link', { exact: true }).inputValue(WAIT);
    await page.getByRole('button', { name: 'Done' }).click();
    await page
      .getByRole('button', { name: /^Withdraw the invitation/ })
      .first()
      .click();
    await page.getByText('No invitation is waiting').waitFor(WAIT);
    await page.goto(new URL(new URL(link).pathname, running().demo.base_url).href);
    await page.getByText('This link does not work any more').waitFor(WAIT);
    await page.close();
  });

  test('shows invitations to the address of a user, who accepts one and then leaves', async () => {
    const { page: owner } = await openAs('owner', pageOf('members'));
    await owner.getByRole('button', { name: 'Invite a colleague' }).click();
    await owner.getByLabel('E-mail').fill(running().demo.users['outsider']!.email);
    await owner.getByRole('button', { name: 'Create invitation' }).click();
    await owner.getByLabel('Invitation link', { exact: true }).waitFor(WAIT);
    await owner.close();
    const { page } = await openAs('outsider', pageOf('links').replace(/\/w\/[^/]+/, '/w/globex'));
    await page.getByRole('button', { name: 'Accept the invitation to Acme Corp' }).press('Enter');
    await page.waitForURL(pageOf('links'), WAIT);
    await page.goto(pageOf('settings'));
    await page.getByRole('button', { name: 'Leave the workspace' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave the workspace' }).click();
    await page.waitForURL(/\/w\/globex\//, WAIT);
    await page.close();
  });

  test('deletes a workspace after its slug is typed, and opens another one or says that there is none', async () => {
    const { page, problems } = await joinAs('viewer', 'short-lived@example.com');
    const settingsOf = (slug: string) => pageOf('settings').replace(/\/w\/[^/]+/, `/w/${slug}`);
    for (const slug of ['short-lived', 'second-short-lived']) {
      expect(await page.evaluate(createWorkspace(slug))).toBe(201);
    }
    await page.goto(settingsOf('short-lived'));
    const dialog = page.getByRole('dialog');
    const open = page.getByRole('button', { name: 'Delete the workspace' });
    await open.press('Enter');
    await dialog.getByRole('button', { name: 'Cancel' }).and(page.locator(':focus')).press('Enter');
    await open.and(page.locator(':focus')).press('Enter');
    const file = await dialog.getByRole('link', { name: 'Export the audit log' }).getAttribute('href');
    expect(await page.evaluate(`fetch('${file}').then((answer) => answer.headers.get('content-type'))`)).toMatch(
      /^text\/csv/,
    );
    await dialog.getByLabel('Type short-lived to confirm').fill('short');
    await page.keyboard.press('Enter');
    await dialog.getByText('This is not the name in its addresses. Type short-lived.').waitFor(WAIT);
    await expectAccessible(page);
    await dialog.getByLabel('Type short-lived to confirm').fill('short-lived');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/w\/(?!short-lived\/)[a-z-]+\/links$/, WAIT);
    await page.goto(settingsOf('short-lived'));
    await page.getByRole('heading', { name: 'Page not found' }).waitFor(WAIT);

    await page.goto(pageOf('settings'));
    await page.getByRole('button', { name: 'Leave the workspace' }).click();
    await dialog.getByRole('button', { name: 'Leave the workspace' }).click();
    await page.waitForURL(/\/w\/second-short-lived\/links$/, WAIT);
    await page.goto(settingsOf('second-short-lived'));
    await open.click();
    await dialog.getByLabel('Type second-short-lived to confirm').fill('second-short-lived');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'You are in no workspace' }).waitFor(WAIT);
    await expectAccessible(page);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('follows a change of the own role', async () => {
    const { page, problems } = await joinAs('admin', 'former-admin@example.com');
    await page.goto(pageOf('members'));
    const own = page.getByRole('listitem').filter({ hasText: 'former-admin@example.com' });
    await own.getByRole('button', { name: /^Change role/ }).click();
    await page.getByRole('combobox', { name: 'Role' }).selectOption('viewer');
    await page.getByRole('button', { name: 'Save changes' }).press('Enter');
    await page.getByRole('button', { name: 'Invite a colleague' }).waitFor({ ...WAIT, state: 'detached' });
    expect(await page.getByRole('navigation').first().getByRole('link', { name: 'Webhooks' }).count()).toBe(0);
    expect(problems).toEqual([]);
    await page.context().close();
  });
}
