import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { totpCode, untilStepLasts } from '@waymark/testing/totp';
import { waitFor } from '@waymark/testing/wait-for';
import { readQr, rasterise } from '../../../../../services/resource/test/qr-reader.js';
import { expectAccessibleEverywhere } from './browser.js';
import { capture } from './capture.js';
import { WAIT, type ConsoleTests } from './context.js';
import { createInvitation, createWorkspace, peopleOf } from './people.js';

const SLUG = 'strict-space';
const OTHER = 'lenient-space';

/** The tests of two-factor sign-in, and of a workspace that requires it. */
export function secondFactorTests(tests: ConsoleTests): void {
  const { openAs, address, pageOf, newContext, signIn } = tests;
  const { joinAs, joinBy } = peopleOf(tests);
  const inStrict = (path: string) => pageOf(path).replace(/\/w\/[^/]+/, `/w/${SLUG}`);

  /** Opens the form of the profile, and returns the secret that it shows. */
  async function startEnabling(page: Page): Promise<string> {
    await page.getByRole('button', { name: 'Enable two-factor sign-in' }).press('Enter');
    return page.getByLabel('Secret', { exact: true }).inputValue(WAIT);
  }

  async function confirmSecret(page: Page, secret: string): Promise<void> {
    await untilStepLasts(10_000);
    await page.getByLabel('Code of the app').fill(totpCode(secret));
    await page.keyboard.press('Enter');
    await page.getByText('Store your recovery codes').waitFor(WAIT);
  }

  async function enableFactor(page: Page): Promise<void> {
    await page.context().grantPermissions(['clipboard-write']);
    await confirmSecret(page, await startEnabling(page));
    await page.getByRole('button', { name: 'Done' }).and(page.locator('[aria-disabled=false]')).press('Enter');
    await page.getByRole('dialog').waitFor({ ...WAIT, state: 'detached' });
  }

  test('signs in with a code of the authenticator app', async () => {
    const { page } = await openAs('analyst', pageOf(`profile`));
    const secret = await startEnabling(page);
    const image = await page.getByRole('img', { name: 'QR code for the authenticator app' }).screenshot();
    const scanned = new URL(readQr(rasterise(image, 400))!);
    expect([scanned.protocol, scanned.searchParams.get('secret')]).toEqual(['otpauth:', secret]);
    await confirmSecret(page, secret);
    const codes = await page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').allInnerTexts();
    expect(codes.length).toBeGreaterThan(1);
    const downloading = page.waitForEvent('download', WAIT);
    await page.getByRole('link', { name: 'Download' }).click();
    const file = await downloading;
    expect(file.suggestedFilename()).toBe('waymark-recovery-codes.txt');
    expect(readFileSync(await file.path(), 'utf8')).toBe(`${codes.join('\n')}\n`);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Done' }).press('Enter');
    await page.getByRole('dialog').waitFor({ ...WAIT, state: 'detached' });
    await page.close();
    const context = await newContext();
    const other = await context.newPage();
    await other.goto(address(''));
    await signIn(other, 'analyst');
    // A code works once: the one of the next step was not used to enable it.
    const code = other.getByLabel('Code of your authenticator app');
    await code.and(other.locator(':focus')).waitFor(WAIT);
    await code.fill(totpCode(secret, 1));
    await other.keyboard.press('Enter');
    await other.getByRole('heading', { name: 'Links' }).waitFor(WAIT);
    await context.close();
  });

  test('requires a second factor of members once the owner has one, and admits a member who enables it', async () => {
    const { page: owner, problems } = await joinAs('viewer', 'strict-owner@example.com');
    expect(await owner.evaluate(createWorkspace(SLUG))).toBe(201);
    const link = await owner.evaluate<string>(createInvitation(SLUG, 'editor'));
    const { page: member, problems: problemsOfMember } = await joinBy(link, 'strict-member@example.com');
    expect(await member.evaluate(createWorkspace(OTHER))).toBe(201);
    const require = owner.getByRole('button', { name: 'Require a second factor' });
    const release = owner.getByRole('button', { name: 'Do not require it' });
    const needed = member.getByRole('heading', { name: 'Second factor required' });
    const field = member.getByLabel('Destination address');

    await owner.goto(inStrict('settings'));
    await require.press('Enter');
    const alert = owner.getByRole('alert').filter({ hasText: 'Enable two-factor sign-in of your own account first.' });
    await alert.waitFor(WAIT);
    await expectAccessibleEverywhere(owner);
    await capture(owner, 'second-factor-of-owner');
    expect(await require.count()).toBe(1);
    await alert.getByRole('link', { name: 'Your profile' }).press('Enter');
    await enableFactor(owner);
    await owner.goto(inStrict('settings'));
    await require.press('Enter');
    await release.and(owner.locator(':focus')).waitFor(WAIT);
    await owner.getByText('Members without a second factor, and their tokens, have no access').waitFor(WAIT);
    await expectAccessibleEverywhere(owner);
    await capture(owner, 'second-factor-setting');

    // The page that the member has open asks for its list again by itself.
    await needed.waitFor(WAIT);
    await member.getByText(`${SLUG} is open only to members with a second factor.`).waitFor(WAIT);
    await member.getByRole('navigation').first().getByRole('link', { name: 'Tokens' }).click();
    await member.waitForURL(inStrict('tokens'), WAIT);
    await needed.waitFor(WAIT);
    await expectAccessibleEverywhere(member);
    await capture(member, 'second-factor-needed');
    await release.press('Enter');
    await require.waitFor(WAIT);
    await member.goto(inStrict('links'));
    await member.getByRole('heading', { name: 'Create your first short link' }).waitFor(WAIT);

    // The answer that comes late is about the workspace that the member has left.
    let answer: () => void = () => undefined;
    const isAnswered = new Promise<void>((resolve) => (answer = resolve));
    await member.route(`**/workspaces/${SLUG}/tags`, async (route) => {
      await isAnswered;
      await route.continue();
    });
    await member.getByRole('button', { name: 'Tags', exact: true }).press('Enter');
    await member.getByText('Loading', { exact: true }).waitFor(WAIT);
    const switcher = member.getByRole('button', { name: /Change workspace$/ });
    await switcher.press('Enter');
    await member.getByRole('menuitem', { name: OTHER }).press('Enter');
    await member.waitForURL(inStrict('links').replace(SLUG, OTHER), WAIT);
    await require.press('Enter');
    await release.waitFor(WAIT);
    const refused = member.waitForResponse((response) => response.url().endsWith(`/${SLUG}/tags`), WAIT);
    answer();
    expect((await refused).status()).toBe(403);
    await switcher.press('Enter');
    expect(await field.count()).toBe(1);
    await member.getByRole('menuitem', { name: SLUG }).press('Enter');
    await needed.waitFor(WAIT);
    await member.getByRole('link', { name: 'Go to your profile' }).press('Enter');
    await enableFactor(member);
    await member.getByRole('navigation').first().getByRole('link', { name: 'Links' }).click();
    await field.waitFor(WAIT);

    await owner.goto(`${inStrict('audit')}?action=workspace.updated`);
    await waitFor('an entry of each change', async () => {
      await owner.reload();
      await owner.getByRole('main').getByRole('listitem').first().waitFor(WAIT);
      return (await owner.getByText('require_two_factor:').count()) === 3;
    });
    expect([problems, problemsOfMember]).toEqual([[], []]);
    await owner.context().close();
    await member.context().close();
  });
}
