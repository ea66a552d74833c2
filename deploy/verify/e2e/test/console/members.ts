import type { Page } from 'playwright-core';
import { textOf } from '@waymark/testing/mail-server';
import { waitFor } from '@waymark/testing/wait-for';
import { runAdmin } from '../admin.js';
import { capture } from './capture.js';
import { expectAccessible, expectAccessibleEverywhere, watchPage } from './browser.js';
import { HOSTILE, WAIT, type ConsoleTests } from './context.js';
import { createInvitation, createWorkspace, PASSWORD, peopleOf, postInPage } from './people.js';

const inviteTo = (slug: string, email: string) =>
  postInPage(`/${slug}/invitations`, { role: 'viewer', email }, 'answer.status');
const createToken = (slug: string) => postInPage(`/${slug}/tokens`, { name: 'kept' }, 'answer.status');
const listTokens = (slug: string) =>
  `fetch('/api/v1/workspaces/${slug}/tokens').then((answer) => answer.json()).then(({ data }) => data.length)`;

export function memberTests(tests: ConsoleTests): void {
  const { openAs, pageOf, newContext, running, mails, api } = tests;
  const { here, joinAs } = peopleOf(tests);

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
    await guest.goto(here(link));
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

  test('fills in the address that an invitation was mailed to, and leaves it as it is', async () => {
    const email = 'mailed@example.com';
    const { page: owner } = await openAs('owner', pageOf('members'));
    const shown = await owner.evaluate<string>(createInvitation(running().demo.workspace, 'viewer', email));
    await owner.close();
    const mail = await waitFor('the mail', () => mails().to(email)[0]);
    const [mailed] = /https?:\S+#\S+/.exec(textOf(mail))!;
    const page = await (await newContext()).newPage();
    const problems = await watchPage(page);
    const field = page.getByLabel('E-mail');
    await page.goto(here(shown));
    expect(await field.inputValue(WAIT)).toBe('');
    await page.goto(here(mailed));
    await field.and(page.locator('[readonly]')).waitFor(WAIT);
    expect(await field.inputValue()).toBe(email);
    await expectAccessibleEverywhere(page);
    await capture(page, 'invitation-mailed');
    await page.getByLabel('Name').fill('Mailed');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL(pageOf('links'), WAIT);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('opens a link of the older form, and says that a withdrawn invitation does not work', async () => {
    const { page } = await openAs('owner', pageOf('members'));
    await page.getByRole('button', { name: 'Invite a colleague' }).click();
    await page.getByRole('button', { name: 'Create invitation' }).click();
    const link = await page.getByLabel('Invitation link', { exact: true }).inputValue(WAIT);
    await page.getByRole('button', { name: 'Done' }).click();
    const guest = await (await newContext()).newPage();
    await guest.goto(here(link.replace('#', '/')));
    await guest.getByRole('heading', { name: 'Join Acme Corp' }).waitFor(WAIT);
    await guest.context().close();
    await page
      .getByRole('button', { name: /^Withdraw the invitation/ })
      .first()
      .click();
    await page.getByText('No invitation is waiting').waitFor(WAIT);
    await page.goto(here(link));
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

  test('declines an invitation, and moves the focus to the heading', async () => {
    const { page: inviting } = await joinAs('viewer', 'inviting@example.com');
    expect(await inviting.evaluate(createWorkspace('declined-space'))).toBe(201);
    const { email } = running().demo.users['outsider']!;
    expect(await inviting.evaluate(inviteTo('declined-space', email))).toBe(201);
    await inviting.context().close();
    const { page, problems } = await openAs('outsider', pageOf('links').replace(/\/w\/[^/]+/, '/w/globex'));
    const panel = page.locator('#invitations');
    await waitFor('the end of the panel', async () => {
      await panel.getByRole('button', { name: 'Decline the invitation to declined-space' }).press('Enter');
      await page.locator('h1:focus, #invitations [role=alert]').first().waitFor(WAIT);
      const refusal = await panel.getByRole('alert').allInnerTexts();
      // A busy machine may answer 503: the user reads it, and presses again.
      if (refusal.length > 0) throw new Error(refusal.join());
      return true;
    });
    await page.locator('h1:focus').waitFor(WAIT);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('creates a workspace, shows its first steps, and takes no choice for new links along', async () => {
    await api('/tags', { name: 'first brand', color: '#336699' });
    await api('/utm-templates', { name: 'First newsletter', utm_source: 'first' });
    const { page, problems } = await joinAs('editor', 'founder@example.com');
    const options = page.locator('.create-options').getByRole('button');
    const plain = ['Default domain', 'Custom code', 'Tags', 'UTM template'];
    await page.getByRole('button', { name: 'Tags', exact: true }).click();
    await page.getByRole('option', { name: 'first brand' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'UTM template' }).click();
    await page.getByRole('option', { name: 'First newsletter' }).click();
    const chosen = ['Default domain', 'Custom code', 'first brand', 'First newsletter'];
    expect(await options.allInnerTexts()).toEqual(chosen);

    const switcher = page.getByRole('button', { name: /Change workspace$/ });
    const dialog = page.getByRole('dialog');
    await switcher.press('Enter');
    await page.getByRole('menuitem', { name: 'Create workspace' }).press('Enter');
    const [name, slug] = [dialog.getByLabel('Name', { exact: true }), dialog.getByLabel('Name in addresses')];
    await name.and(page.locator(':focus')).fill('Café Müller & Söhne');
    expect(await slug.inputValue()).toBe('cafe-muller-sohne');
    await slug.fill(running().demo.workspace);
    await page.keyboard.press('Enter');
    await dialog.getByText('The slug is already taken.').waitFor(WAIT);
    await slug.and(page.locator(':focus')).fill('cafe-muller');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/w\/cafe-muller\/links$/, WAIT);

    await page.getByRole('heading', { name: 'Create your first short link' }).waitFor(WAIT);
    await page.getByText('npm start -- --example').waitFor(WAIT);
    await page.getByLabel('Destination address').and(page.locator(':focus')).waitFor(WAIT);
    const ways = page.getByRole('main').getByRole('link');
    expect(await ways.allInnerTexts()).toEqual(['Import links', 'Use your own domain', 'Invite a colleague']);
    expect(await options.allInnerTexts()).toEqual(plain);
    await expectAccessibleEverywhere(page);
    await page.getByLabel('Destination address').fill('example.com/second-brand');
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    await page.keyboard.press('Enter');
    expect((await sent).postDataJSON()).toEqual({ destination_url: 'https://example.com/second-brand' });
    await page.getByRole('row').filter({ hasText: 'example.com/second-brand' }).waitFor(WAIT);
    expect(await page.getByRole('heading', { name: 'Create your first short link' }).count()).toBe(0);

    await switcher.press('Enter');
    await page.getByRole('menuitem', { name: 'Acme Corp' }).press('Enter');
    await page.getByText('first brand', { exact: true }).first().waitFor(WAIT);
    expect(await options.allInnerTexts()).toEqual(chosen);
    expect(problems).toEqual([]);
    await page.context().close();
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
    await page.getByText('You cannot create a workspace here yourself.').waitFor(WAIT);
    expect(await page.getByRole('button', { name: 'Create workspace' }).count()).toBe(0);
    await expectAccessible(page);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('changes the own name and password, and ends another session', async () => {
    const email = 'profile@example.com';
    const { page, problems } = await joinAs('viewer', email);
    const signInElsewhere = async (password: string): Promise<Page> => {
      const other = await (await newContext()).newPage();
      await other.goto(pageOf('links'));
      await other.getByLabel('E-mail').fill(email);
      await other.getByLabel('Password', { exact: true }).fill(password);
      await other.keyboard.press('Enter');
      await other.getByRole('navigation').first().waitFor(WAIT);
      return other;
    };
    await page.goto(pageOf('profile'));
    await page.getByLabel('Name', { exact: true }).fill(HOSTILE[0]!.slice(0, 60));
    await page.keyboard.press('Enter');
    await page.getByText('Changes saved.').waitFor(WAIT);
    await page
      .getByRole('button', { name: HOSTILE[0]!.slice(0, 60) })
      .first()
      .waitFor(WAIT);

    expect(await page.evaluate(createToken(running().demo.workspace))).toBe(201);
    const other = await signInElsewhere(PASSWORD);
    await page.reload();
    await page.getByRole('button', { name: 'End all other sessions' }).waitFor(WAIT);
    await page.getByRole('button', { name: /^End session of Chrome/ }).press('Enter');
    await page.getByRole('button', { name: 'End all other sessions' }).waitFor({ ...WAIT, state: 'detached' });
    await other.reload();
    await other.getByRole('button', { name: 'Sign in', exact: true }).waitFor(WAIT);
    await other.context().close();

    const changed = `${PASSWORD} and more`;
    const [current, chosen] = [page.getByLabel('Current password'), page.getByLabel('New password')];
    await current.fill('not the password');
    await chosen.fill(changed);
    await page.keyboard.press('Enter');
    await current.and(page.locator('[aria-invalid]:focus')).fill(PASSWORD);
    expect(await chosen.inputValue()).toBe(changed);
    await page.keyboard.press('Enter');
    await page.getByText('The password is changed.').waitFor(WAIT);
    await page.getByText('1 of your access tokens still works.').waitFor(WAIT);
    await expectAccessible(page);
    await current.fill(changed);
    await chosen.fill(changed);
    await page.getByLabel('Also revoke all of my access tokens').press('Space');
    await page.keyboard.press('Enter');
    await page.getByText('1 of your access tokens still works.').waitFor({ ...WAIT, state: 'detached' });
    expect(await page.evaluate(listTokens(running().demo.workspace))).toBe(0);
    await (await signInElsewhere(changed)).context().close();
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('sets a new password by the link of a reset, which works once', async () => {
    const email = 'forgetful@example.com';
    const { page: before } = await joinAs('viewer', email);
    const { reset_url: link } = await runAdmin(running(), ['user', 'reset-password', '--email', email]);
    const page = await (await newContext()).newPage();
    const problems = await watchPage(page);
    await page.goto(here(link as string));
    const field = page.getByLabel('New password');
    await field.fill('short');
    await page.keyboard.press('Enter');
    await field.and(page.locator('[aria-invalid]:focus')).fill(`${PASSWORD} anew`);
    await page.keyboard.press('Enter');
    await page.getByText('Your password is changed.').waitFor(WAIT);
    await before.reload();
    await before.getByLabel('E-mail').fill(email);
    await before.getByLabel('Password', { exact: true }).fill(`${PASSWORD} anew`);
    await before.keyboard.press('Enter');
    await before.getByRole('navigation').first().waitFor(WAIT);
    await page.reload();
    await field.fill(`${PASSWORD} once more`);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor(WAIT);
    expect(problems).toEqual([]);
    await page.context().close();
    await before.context().close();
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
