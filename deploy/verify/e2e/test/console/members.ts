import { capture } from './capture.js';
import { expectAccessible } from './browser.js';
import { HOSTILE, WAIT, type ConsoleTests } from './context.js';

const PASSWORD = 'a long enough passphrase 7';

export function memberTests({ openAs, pageOf, newContext, running }: ConsoleTests): void {
  test('invites a colleague by a link that is shown once, who joins with a new account', async () => {
    const { page, problems } = await openAs('owner', pageOf('members'));
    await page.getByRole('button', { name: 'Invite a colleague' }).press('Enter');
    await page.getByRole('combobox', { name: 'Role' }).selectOption('analyst');
    await page.getByRole('button', { name: 'Create link' }).press('Enter');
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
    await page.getByRole('button', { name: 'Create link' }).click();
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
    await owner.getByRole('button', { name: 'Create link' }).click();
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
}
