import { adminTargets, type AdminContext } from '@waymark/auth/admin/context';
import { createToken } from '@waymark/auth/tokens/create-token';
import { createUser } from '@waymark/auth/users/create-user';
import { createWorkspace } from '@waymark/auth/workspaces/create-workspace';
import type { User } from '@waymark/auth/users/store';
import { waitFor } from '@waymark/shared/testing/wait-for';
import { Fleet } from './fleet.js';

const EVENT = { workspace: null };
const BAD_MAX = 30;

let fleet: Fleet;
let owner: User;
const onStore = <T>(work: (ctx: AdminContext) => Promise<T>) => adminTargets(fleet.backing as never).database(work);

beforeAll(async () => {
  fleet = await Fleet.start({ env: { BAD_BEARERS_PER_MINUTE: String(BAD_MAX) } });
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
    const lastUse = async () => (await ctx.tokens.byId(token._id))!.lastUsedAt;
    expect((await send(1, '/user', plaintext)).status).toBe(200);
    const first = await waitFor('the last use', lastUse);
    expect(Math.abs(Date.now() - first.getTime())).toBeLessThan(10_000);

    const [used, revoked] = [await mint(ctx), await mint(ctx)];
    for (const one of [plaintext, used.plaintext, revoked.plaintext]) await send(1, '/user', one);
    const path = `/workspaces/acme/tokens/${revoked.token._id}`;
    expect((await send(1, path, plaintext, 'DELETE')).status).toBe(204);
    await fleet.auths[1]!.stop();
    expect((await ctx.tokens.byId(used.token._id))!.lastUsedAt).not.toBeNull();
    expect(await lastUse()).toEqual(first);
    expect((await ctx.tokens.byId(revoked.token._id))!.revokedAt).not.toBeNull();
  });
});

test('an address with too many unknown bearers gets 429 with Retry-After, and auth is not asked', async () => {
  for (let sent = 0; sent < BAD_MAX; sent += 1) expect((await send(0, '/user', `wmk_${sent}`)).status).toBe(401);
  await fleet.auths[0]!.kill();
  const response = await send(0, '/user', 'wmk_x');
  expect(response.status).toBe(429);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(50);
  expect(await response.json()).toMatchObject({ error: { code: 'rate_limit_exceeded' } });
});

test('more requests than may wait for auth: every one gets 503, some at once', async () => {
  const { plaintext } = await onStore(mint);
  await fleet.gateways[0]!.stop();
  await fleet.auths[0]!.start();
  await fleet.gateways[0]!.start();
  fleet.auths[0]!.signal('SIGSTOP');
  const answers = await Promise.all(Array.from({ length: 2600 }, () => send(0, '/user', plaintext)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
  const metrics = await (await fetch(`${fleet.gateways[0]!.opsUrl}/metrics`)).text();
  expect(metrics).toMatch(/waymark_authorize_failures_total\{reason="overload",service="gateway"\} [1-9]/);
  fleet.auths[0]!.signal('SIGCONT');
});
