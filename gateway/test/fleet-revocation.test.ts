import { newId } from '@waymark/shared/contract/ids';
import { csrfTokenOf, SESSION_COOKIE } from '@waymark/shared/contract/sessions';
import { waitFor } from '@waymark/shared/testing/wait-for';
import { adminTargets, type AdminContext } from '@waymark/auth/admin/context';
import { hashOfSecret } from '@waymark/auth/secret-hash';
import { SessionStore } from '@waymark/auth/sessions/store';
import { setMember } from '@waymark/auth/members/set-member';
import { createToken } from '@waymark/auth/tokens/create-token';
import { createUser } from '@waymark/auth/users/create-user';
import { createWorkspace } from '@waymark/auth/workspaces/create-workspace';
import type { User } from '@waymark/auth/users/store';
import { Fleet } from './fleet.js';

const ROUNDS = 200;
const EVENT = { workspace: null };
const LINKS = '/api/v1/workspaces/acme/links';

let fleet: Fleet;
let owner: User;
let viewer: User;

const onStore = <T>(work: (ctx: AdminContext) => Promise<T>) => adminTargets(fleet.backing as never).database(work);

beforeAll(async () => {
  const unlimited = { API_WORKSPACE_REQUESTS_PER_MINUTE: '1000000', UNAUTHENTICATED_REQUESTS_PER_MINUTE: '1000000' };
  fleet = await Fleet.start({ env: { ...unlimited, AUTHORIZE_TIMEOUT_MS: '1500' } });
  await onStore(async (ctx) => {
    owner = await createUser(ctx, { email: 'owner@example.com', name: 'O', password: 'password of O' });
    viewer = await createUser(ctx, { email: 'viewer@example.com', name: 'V', password: 'password of V' });
    await createWorkspace(ctx, EVENT, { slug: 'acme', name: 'Acme', owner, plan: null });
    await setRole(ctx, 'editor');
  });
});
afterAll(() => fleet.stop());

const setRole = (ctx: AdminContext, role: 'editor' | 'viewer') =>
  setMember(ctx, EVENT, { workspace: 'acme', user: viewer, role, by: 'operator', mode: 'set' });

const mint = async (ctx: AdminContext, user: User) =>
  createToken(ctx, EVENT, {
    workspace: 'acme',
    userId: user._id,
    name: 'T',
    grants: ['read', 'write'],
    expiresAt: null,
  });
const bearer = (token: string, method = 'GET'): RequestInit => ({
  method,
  headers: { authorization: `Bearer ${token}` },
});

async function statusOf(gateway: number, path: string, init: RequestInit): Promise<number> {
  const response = await fetch(fleet.gateways[gateway]!.url + path, init);
  await response.arrayBuffer();
  return response.status;
}

/**
 * Sends the request over both gateways all the while; makes the change once both have let it through, and goes on until
 * both have answered requests that started after the change. @returns the statuses of those.
 */
async function statusesAfter(change: () => Promise<unknown>, request: RequestInit): Promise<number[]> {
  const answers: { gateway: number; startedAt: number; status: number }[] = [];
  let isOver = false;
  const hammer = async (gateway: number) => {
    while (!isOver) {
      const startedAt = performance.now();
      answers.push({ gateway, startedAt, status: await statusOf(gateway, LINKS, request) });
    }
  };
  const hammers = [0, 0, 1, 1].map(hammer);
  const both = (of: typeof answers) => new Set(of.map(({ gateway }) => gateway)).size === 2;
  await waitFor('both to let it through', () => both(answers.filter(({ status }) => status === 200)));
  await change();
  const changedAt = performance.now();
  const after = () => answers.filter(({ startedAt }) => startedAt > changedAt);
  await waitFor('both to answer after the change', () => both(after()));
  isOver = true;
  await Promise.all(hammers);
  return after().map(({ status }) => status);
}

test(`${ROUNDS} tokens revoked under load: none is accepted once DELETE has answered`, async () => {
  await onStore(async (ctx) => {
    const { plaintext: ours } = await mint(ctx, owner);
    for (let round = 0; round < ROUNDS; round += 1) {
      const { token, plaintext } = await mint(ctx, owner);
      const revoke = async () => {
        const path = `/api/v1/workspaces/acme/tokens/${token._id}`;
        expect(await statusOf(round % 2, path, bearer(ours, 'DELETE'))).toBe(204);
      };
      expect(new Set(await statusesAfter(revoke, bearer(plaintext)))).toEqual(new Set([401]));
    }
  });
}, 240_000);

test(`${ROUNDS} members lose their role under load: no change passes once the role is gone`, async () => {
  await onStore(async (ctx) => {
    const { plaintext } = await mint(ctx, viewer);
    for (let round = 0; round < ROUNDS; round += 1) {
      const demote = () => setRole(ctx, 'viewer');
      expect(new Set(await statusesAfter(demote, bearer(plaintext, 'POST')))).toEqual(new Set([403]));
      await setRole(ctx, 'editor');
    }
  });
}, 240_000);

test(`${ROUNDS} members removed under load: none is let in once DELETE has answered`, async () => {
  await onStore(async (ctx) => {
    const { plaintext: ours } = await mint(ctx, owner);
    for (let round = 0; round < ROUNDS; round += 1) {
      await setRole(ctx, 'editor');
      const { plaintext } = await mint(ctx, viewer);
      const remove = async () => {
        const path = `/api/v1/workspaces/acme/members/${viewer._id}`;
        expect(await statusOf(round % 2, path, bearer(ours, 'DELETE'))).toBe(204);
      };
      expect(new Set(await statusesAfter(remove, bearer(plaintext)))).toEqual(new Set([401]));
    }
  });
}, 240_000);

test(`${ROUNDS} sessions signed out under load: none is accepted once DELETE has answered`, async () => {
  await onStore(async (ctx) => {
    const sessions = new SessionStore(ctx.db);
    for (let round = 0; round < ROUNDS; round += 1) {
      const plaintext = newId('ses');
      const createdAt = new Date();
      const expiresAt = new Date(Date.now() + 3_600_000);
      const session = { _id: newId('ses'), hash: hashOfSecret(plaintext), userId: owner._id, createdAt, expiresAt };
      await ctx.db.transaction((tx) => sessions.insert(session, tx.session));
      const headers = { cookie: `${SESSION_COOKIE}=${plaintext}`, 'x-csrf-token': csrfTokenOf(plaintext) };
      const signOut = async () =>
        expect(await statusOf(round % 2, '/api/v1/session', { method: 'DELETE', headers })).toBe(204);
      expect(new Set(await statusesAfter(signOut, { headers }))).toEqual(new Set([401]));
    }
  });
}, 240_000);

test('auth stopped in its tracks or gone: 503 with Retry-After only, from its gateway alone', async () => {
  const { plaintext } = await onStore((ctx) => mint(ctx, owner));
  const through = async (gateway: number) => {
    const response = await fetch(fleet.gateways[gateway]!.url + LINKS, bearer(plaintext));
    return [response.status, response.headers.has('retry-after')];
  };
  const burst = (gateway: number) => Promise.all(Array.from({ length: 200 }, () => through(gateway)));
  const refused = Array<[number, boolean]>(200).fill([503, true]);

  fleet.auths[0]!.signal('SIGSTOP');
  const passed = fleet.passed;
  expect(await burst(0)).toEqual(refused);
  expect(fleet.passed).toBe(passed);
  expect(await through(1)).toEqual([200, false]);
  const metrics = await (await fetch(`${fleet.gateways[0]!.opsUrl}/metrics`)).text();
  expect(metrics).toMatch(/waymark_authorize_failures_total\{reason="(timeout|error)",service="gateway"\} [1-9]/);
  fleet.auths[0]!.signal('SIGCONT');
  await waitFor('auth to be back', async () => (await through(0))[0] === 200);

  await fleet.auths[0]!.kill();
  expect(await burst(0)).toEqual(refused);
  expect(await through(1)).toEqual([200, false]);
});
