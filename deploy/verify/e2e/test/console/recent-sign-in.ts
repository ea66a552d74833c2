import mongoose from 'mongoose';
import { backing } from '@waymark/launcher/process-table';
import { expectAccessible, expectAccessibleEverywhere } from './browser.js';
import { capture } from './capture.js';
import { WAIT, type ConsoleTests } from './context.js';
import { createWorkspace, PASSWORD, peopleOf } from './people.js';

const EMAIL = 'unattended@example.com';
const SLUG = 'unattended-space';

/** The tests of the question for the password, which a change asks while the sign-in is older than ten minutes. */
export function recentSignInTests(tests: ConsoleTests): void {
  const { running, pageOf } = tests;
  const { joinAs } = peopleOf(tests);

  /** Makes the sign-ins of the user an hour old, as if no password had confirmed them since. */
  async function ageSignIns(): Promise<void> {
    const uri = backing(running().system.settings, 'auth')['MONGODB_URI']!;
    const database = await mongoose.createConnection(uri).asPromise();
    const { _id: userId } = (await database.collection('users').findOne({ email: EMAIL }))!;
    const createdAt = new Date(Date.now() - 3600_000);
    const changes = { $set: { createdAt }, $unset: { reauthenticatedAt: 1 } };
    await database.collection('sessions').updateMany({ userId }, changes);
    await database.close();
  }

  test('asks for the password before a change that needs a recent sign-in, and changes nothing without it', async () => {
    const { page, problems } = await joinAs('viewer', EMAIL);
    expect(await page.evaluate(createWorkspace(SLUG))).toBe(201);
    await ageSignIns();
    const question = page.getByRole('dialog', { name: 'Confirm that it is you' });
    const isClosed = () => question.waitFor({ ...WAIT, state: 'detached' });
    const password = question.getByLabel('Password');
    const enable = page.getByRole('button', { name: 'Enable two-factor sign-in' });
    const reason = page.getByRole('alert').filter({ hasText: 'This change needs your password again.' });
    await page.goto(pageOf('profile'));
    await enable.press('Enter');
    await password.and(page.locator(':focus')).waitFor(WAIT);
    await expectAccessibleEverywhere(page);
    await capture(page, 'recent-sign-in');
    await page.keyboard.type('not the password');
    await page.keyboard.press('Enter');
    await question.getByText('The password is wrong.').waitFor(WAIT);
    await password.and(page.locator('[aria-invalid]:focus')).waitFor(WAIT);
    await expectAccessible(page);
    await capture(page, 'recent-sign-in-wrong');
    await question.getByRole('button', { name: 'Cancel' }).press('Enter');
    await isClosed();
    await reason.waitFor(WAIT);
    await enable.and(page.locator(':focus')).press('Enter');
    await password.and(page.locator(':focus')).press('Escape');
    await isClosed();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await enable.press('Enter');
    await password.fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Set up two-factor sign-in' }).waitFor(WAIT);
    expect([await question.count(), await reason.count()]).toEqual([0, 0]);

    await ageSignIns();
    await page.goto(pageOf('settings').replace(/\/w\/[^/]+/, `/w/${SLUG}`));
    const form = page.getByRole('dialog', { name: /^Delete the workspace/ });
    const slug = form.getByLabel(`Type ${SLUG} to confirm`);
    await page.getByRole('button', { name: 'Delete the workspace' }).press('Enter');
    await slug.fill(SLUG);
    await page.keyboard.press('Enter');
    await password.and(page.locator(':focus')).waitFor(WAIT);
    await expectAccessible(page);
    await capture(page, 'recent-sign-in-above-dialog');
    await page.keyboard.press('Escape');
    await isClosed();
    await slug.and(page.locator(':focus')).waitFor(WAIT);
    expect(await slug.inputValue()).toBe(SLUG);
    const status = `fetch('/api/v1/workspaces/${SLUG}').then(({ status }) => status)`;
    expect(await page.evaluate(status)).toBe(200);
    await slug.press('Enter');
    await password.fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL(pageOf('links'), WAIT);
    expect(await page.evaluate(status)).toBe(403);
    expect(problems).toEqual([]);
    await page.context().close();
  });
}
