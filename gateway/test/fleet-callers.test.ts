import { adminTargets, type AdminContext } from '@waymark/auth/admin/context';
import { createToken } from '@waymark/auth/workspaces/tokens/create-token';
import { createUser } from '@waymark/auth/users/create-user';
import { createWorkspace } from '@waymark/auth/workspaces/create-workspace';
import type { User } from '@waymark/auth/users/user-store';
import { waitFor } from '@waymark/testing/wait-for';
import { Fleet } from './fleet.js';

const EVENT = { workspace: null };
const BAD_MAX = 30;

let fleet: Fleet;
let owner: User;
const onStore = <T>(work: (ctx: AdminContext) => Promise<T>) => adminTargets(fleet.backing as never).database(work);

beforeAll(async () => {
  fleet = await Fleet.start({ env: { UNAUTHENTICATED_REQUESTS_PER_MINUTE: String(BAD_MAX) } });
  await onStore(async (ctx) => {
    owner = await createUser(ctx, { email: 'owner@example.com', name: 'O', password: 'password of O' });
    await createWorkspace(ctx, EVENT, { slug: 'acme', name: 'Acme', owner, plan: null });
  });
});
afterAll(() => fleet.stop());

const mint = (ctx: AdminContext) =>
  createToken(ctx, EVENT, {
    workspace: 'acme',
    userId: owner._id,
    name: 'T',
    grants: ['read', 'write'],
    expiresAt: null,
  });
const send = (gateway: number, path: string, token: string, method = 'GET') =>
  fetch(`${fleet.gateways[gateway]!.url}/api/v1${path}`, { method, headers: { authorization: `Bearer ${token}` } });

test('the last use of a token is written soon, once a minute and on stop, and brings no revoked token back', async () => {
  await onStore(async (ctx) => {
    const { token, plaintext } = await mint(ctx);
    const lastUse = async () => (await ctx.tokens.findToken(token._id))!.lastUsedAt;
    const sentAt = Date.now();
    expect((await send(1, '/user', plaintext)).status).toBe(200);
    const first = await waitFor('the last use', lastUse);
    expect(first.getTime()).toBeGreaterThanOrEqual(sentAt);
    expect(first.getTime()).toBeLessThanOrEqual(Date.now());

    const [used, revoked] = [await mint(ctx), await mint(ctx)];
    for (const one of [plaintext, used.plaintext, revoked.plaintext]) await send(1, '/user', one);
    const path = `/workspaces/acme/tokens/${revoked.token._id}`;
    expect((await send(1, path, plaintext, 'DELETE')).status).toBe(204);
    await fleet.auths[1]!.stop();
    expect((await ctx.tokens.findToken(used.token._id))!.lastUsedAt).not.toBeNull();
    expect(await lastUse()).toEqual(first);
    expect((await ctx.tokens.findToken(revoked.token._id))!.revokedAt).not.toBeNull();
  });
});

test('an address with too many unknown bearers gets 429 with Retry-After, and auth is not asked', async () => {
  await waitFor('a refusal', async () => (await send(0, '/user', 'wmk_x')).status === 429);
  await fleet.auths[0]!.kill();
  // As the bucket drains, some requests pass to auth, which does not answer.
  const answers = await Promise.all(Array.from({ length: 2 * BAD_MAX }, () => send(0, '/user', 'wmk_x')));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(BAD_MAX);
  expect(Number(refused[0]!.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(await refused[0]!.json()).toMatchObject({ error: { code: 'rate_limit_exceeded' } });
});
