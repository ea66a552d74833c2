import { newId } from '@waymark/contract/ids';
import { csrfTokenOf, SESSION_COOKIE } from '@waymark/contract/sessions';
import { waitFor } from '@waymark/testing/wait-for';
import { adminTargets, type AdminContext } from '@waymark/auth/admin/context';
import { disableUser, enableUser } from '@waymark/auth/admin/disable-user';
import { hashSecret } from '@waymark/auth/secrets/hash-secret';
import { SessionStore } from '@waymark/auth/sign-in/sessions/session-store';
import { setMember } from '@waymark/auth/workspaces/members/set-member';
import { createToken } from '@waymark/auth/workspaces/tokens/create-token';
import { createUser } from '@waymark/auth/users/create-user';
import { createWorkspace } from '@waymark/auth/workspaces/create-workspace';
import type { User } from '@waymark/auth/users/user-store';
import { Fleet } from './fleet.js';

const ROUNDS = 60;
/** Concurrent rounds, each in its own workspace with its own member. */
const WORKSPACES = 4;
const GIVE_UP_MS = 120_000;
const EVENT = { workspace: null };

interface TestWorkspace {
  slug: string;
  path: string;
  owner: User;
  viewer: User;
}

let fleet: Fleet;
const workspaces: TestWorkspace[] = [];

const onStore = <T>(work: (ctx: AdminContext) => Promise<T>) => adminTargets(fleet.backing as never).database(work);

beforeAll(async () => {
  const unlimited = { API_WORKSPACE_REQUESTS_PER_MINUTE: '1000000', UNAUTHENTICATED_REQUESTS_PER_MINUTE: '1000000' };
  fleet = await Fleet.start({ env: unlimited });
  await onStore(async (ctx) => {
    const owner = await createUser(ctx, { email: 'owner@example.com', name: 'O', password: 'password of O' });
    for (let workspace = 0; workspace < WORKSPACES; workspace += 1) {
      const [slug, email] = [`acme-${workspace}`, `viewer-${workspace}@example.com`];
      const viewer = await createUser(ctx, { email, name: 'V', password: 'password of V' });
      await createWorkspace(ctx, EVENT, { slug, name: 'Acme', owner, plan: null });
      workspaces.push({ slug, path: `/api/v1/workspaces/${slug}/links`, owner, viewer });
      await setRole(ctx, workspaces[workspace]!, 'editor');
    }
  });
});
afterAll(() => fleet.stop());

/** Runs all rounds, in several workspaces at once. */
async function inEachWorkspace(work: (workspace: TestWorkspace, round: number) => Promise<void>): Promise<void> {
  const rounds = Array.from({ length: ROUNDS }, (_, round) => round).values();
  const run = async (workspace: TestWorkspace) => {
    for (const round of rounds) await work(workspace, round);
  };
  await Promise.all(workspaces.map(run));
}

const setRole = (ctx: AdminContext, { slug, viewer }: TestWorkspace, role: 'editor' | 'viewer') =>
  setMember(ctx, EVENT, { workspace: slug, user: viewer, role, changedBy: 'operator', mode: 'set' });

const mint = async (ctx: AdminContext, { slug }: TestWorkspace, user: User) =>
  createToken(ctx, EVENT, {
    workspace: slug,
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
 * Sends the request over both gateways continuously; makes the change once both have let it through, and continues
 * until both have answered requests that started after the change. @returns the statuses of those requests
 */
async function statusesAfter(path: string, change: () => Promise<unknown>, request: RequestInit): Promise<number[]> {
  const statuses: number[] = [];
  const giveUpAt = performance.now() + GIVE_UP_MS;
  let changedAt = Infinity;
  const passing: (() => void)[] = [];
  const hammer = async (gateway: number, letThrough: () => void) => {
    for (;;) {
      const startedAt = performance.now();
      const status = await statusOf(gateway, path, request);
      if (startedAt > changedAt) return statuses.push(status);
      if (status === 200) letThrough();
      if (startedAt > giveUpAt) throw new Error(`gateway ${gateway} answers ${status}`);
    }
  };
  const letThrough = [0, 1].map(() => new Promise<void>((resolve) => passing.push(resolve)));
  const hammers = Promise.all([0, 1].map((gateway) => hammer(gateway, passing[gateway]!)));
  await Promise.race([Promise.all(letThrough), hammers]);
  await change();
  changedAt = performance.now();
  await hammers;
  return statuses;
}

test(`${ROUNDS} tokens revoked under load: none is accepted once DELETE has answered`, async () => {
  await onStore((ctx) =>
    inEachWorkspace(async (workspace, round) => {
      const { plaintext: ours } = await mint(ctx, workspace, workspace.owner);
      const { token, plaintext } = await mint(ctx, workspace, workspace.owner);
      const revoke = async () => {
        const path = `/api/v1/workspaces/${workspace.slug}/tokens/${token._id}`;
        expect(await statusOf(round % 2, path, bearer(ours, 'DELETE'))).toBe(204);
      };
      expect(new Set(await statusesAfter(workspace.path, revoke, bearer(plaintext)))).toEqual(new Set([401]));
    }),
  );
});

test(`${ROUNDS} users disabled under load: none of their tokens is accepted once the command has ended`, async () => {
  await onStore((ctx) =>
    inEachWorkspace(async (workspace) => {
      const { plaintext } = await mint(ctx, workspace, workspace.viewer);
      const disable = () => disableUser(ctx, EVENT, workspace.viewer);
      expect(new Set(await statusesAfter(workspace.path, disable, bearer(plaintext)))).toEqual(new Set([401]));
      expect(await enableUser(ctx, EVENT, workspace.viewer)).toBe(true);
      expect(await statusOf(0, workspace.path, bearer(plaintext))).toBe(200);
    }),
  );
});

test(`${ROUNDS} members lose their role under load: no change passes once the role is gone`, async () => {
  await onStore((ctx) =>
    inEachWorkspace(async (workspace) => {
      const { plaintext } = await mint(ctx, workspace, workspace.viewer);
      const demote = () => setRole(ctx, workspace, 'viewer');
      expect(new Set(await statusesAfter(workspace.path, demote, bearer(plaintext, 'POST')))).toEqual(new Set([403]));
      await setRole(ctx, workspace, 'editor');
    }),
  );
});

test(`${ROUNDS} members removed under load: none is let in once DELETE has answered`, async () => {
  await onStore((ctx) =>
    inEachWorkspace(async (workspace, round) => {
      const { plaintext: ours } = await mint(ctx, workspace, workspace.owner);
      await setRole(ctx, workspace, 'editor');
      const { plaintext } = await mint(ctx, workspace, workspace.viewer);
      const remove = async () => {
        const path = `/api/v1/workspaces/${workspace.slug}/members/${workspace.viewer._id}`;
        expect(await statusOf(round % 2, path, bearer(ours, 'DELETE'))).toBe(204);
      };
      expect(new Set(await statusesAfter(workspace.path, remove, bearer(plaintext)))).toEqual(new Set([401]));
    }),
  );
});

test(`${ROUNDS} sessions signed out under load: none is accepted once DELETE has answered`, async () => {
  await onStore((ctx) => {
    const sessions = new SessionStore(ctx.db, 3600_000);
    return inEachWorkspace(async ({ path, owner }, round) => {
      const plaintext = newId('ses');
      const createdAt = new Date();
      const expiresAt = new Date(Date.now() + 3_600_000);
      const session = {
        _id: newId('ses'),
        hash: hashSecret(plaintext),
        userId: owner._id,
        createdAt,
        expiresAt,
        ipAddress: null,
        userAgent: null,
      };
      await ctx.db.transaction((tx) => sessions.insertSession(session, tx.session));
      const headers = { cookie: `${SESSION_COOKIE}=${plaintext}`, 'x-csrf-token': csrfTokenOf(plaintext) };
      const signOut = async () =>
        expect(await statusOf(round % 2, '/api/v1/session', { method: 'DELETE', headers })).toBe(204);
      expect(new Set(await statusesAfter(path, signOut, { headers }))).toEqual(new Set([401]));
    });
  });
});

test('auth stopped in its tracks or gone: 503 with Retry-After only, from its gateway alone', async () => {
  const [workspace] = workspaces as [TestWorkspace];
  const { plaintext } = await onStore((ctx) => mint(ctx, workspace, workspace.owner));
  const through = async (gateway: number) => {
    const response = await fetch(fleet.gateways[gateway]!.url + workspace.path, bearer(plaintext));
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
