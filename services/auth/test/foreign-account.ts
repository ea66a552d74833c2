import { createToken } from '@waymark/auth/workspaces/tokens/create-token';
import { createWorkspace } from '@waymark/auth/workspaces/create-workspace';
import type { AccountSystem, Browser, Credentials } from './account-system.js';

/** An account that an inviter made for the address of somebody else, with everything that keeps it open. */
export interface ForeignAccount extends Credentials {
  id: string;
  browser: Browser;
  token: string;
  /** The workspace of the inviter. */
  slug: string;
  inviter: Credentials & { id: string; browser: Browser };
}

let count = 0;

export async function makeForeignAccount(system: AccountSystem): Promise<ForeignAccount> {
  const user = await system.newUser();
  const inviter = { ...user, browser: await system.signIn(user) };
  const slug = `foreign-${(count += 1)}`;
  await system.onStore(async (ctx) => {
    const owner = (await ctx.users.findUser(user.id))!;
    await createWorkspace(ctx, { workspace: null }, { slug, name: 'Foreign', owner, plan: null });
  });
  const invited = await system.call('POST', `/workspaces/${slug}/invitations`, {
    browser: inviter.browser,
    body: { role: 'viewer' },
  });
  const link = new URL(invited.body.meta.invite_url as string).hash.slice(1);
  const account = { email: `victim-${count}@example.org`, password: 'a password of the inviter' };
  const body = { token: link, name: 'Victim', ...account };
  const { id } = (await system.call('POST', '/invitations/accept', { body })).body.data.user;
  const browser = await system.signIn(account);
  const token = await system.onStore(async (ctx) => {
    const input = { workspace: slug, userId: id, name: 'kept', grants: ['read'] as ['read'], expiresAt: null };
    return (await createToken(ctx, { workspace: slug }, input)).plaintext;
  });
  await system.enableTotp(browser);
  return { ...account, id, browser, token, slug, inviter };
}

/** Expects that nothing of the maker opens the account, and that the audit log of its workspace says so. */
export async function expectReclaimed(system: AccountSystem, account: ForeignAccount, changes: object): Promise<void> {
  const { email, password, browser, token, id } = account;
  expect(await system.isSignedIn(browser)).toBe(false);
  expect((await system.call('GET', '/user', { headers: { authorization: `Bearer ${token}` } })).status).toBe(401);
  const signIn = await system.trySignIn({ email, password });
  expect([signIn.status, signIn.body.error.details]).toEqual([401, undefined]);
  const [updated] = await system.eventsOf('user.updated', id);
  expect(updated.data.workspaces).toEqual([account.slug]);
  expect(updated.audit.changes).toEqual({
    ...changes,
    password_of_maker: { from: true, to: false },
    sessions: { from: 1, to: 0 },
    tokens: { from: 1, to: 0 },
    totp_enabled: { from: true, to: false },
  });
  const revoked = await system.eventsOf('token.revoked', id);
  expect(revoked.map(({ workspace, data }) => [workspace, data.name])).toEqual([[account.slug, 'kept']]);
}

/** Expects that the account is as its maker left it. */
export async function expectUntouched(system: AccountSystem, { email, password, browser, token }: ForeignAccount) {
  expect(await system.isSignedIn(browser)).toBe(true);
  expect((await system.call('GET', '/user', { headers: { authorization: `Bearer ${token}` } })).status).toBe(200);
  expect((await system.trySignIn({ email, password })).body.error.details).toEqual({ totp_required: true });
}
