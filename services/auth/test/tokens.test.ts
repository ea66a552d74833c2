import type { Server } from 'node:http';
import mongoose, { type Connection } from 'mongoose';
import { COMMANDS } from '@waymark/auth/admin/commands';
import { adminTargets } from '@waymark/auth/admin/context';
import { startAuth } from '@waymark/auth/app';
import { authConfig } from '@waymark/auth/config';
import type { Actor } from '@waymark/contract/identity';
import { IDENTITY_HEADER, signIdentity } from '@waymark/kernel/http/identity';
import { freshBacking } from '@waymark/testing/backing';
import { parseKey } from '@waymark/testing/keys';
import { testProcess } from '@waymark/testing/process-parts';
import { ServiceCaller } from '@waymark/testing/service-caller';
import { urlOf } from '@waymark/testing/urls';
import { observeWhileBlocked } from '@waymark/testing/fail-command';
import { watchLimits } from '@waymark/testing/limit-runs';
import { waitFor } from '@waymark/testing/wait-for';

const backing = freshBacking();
const caller = new ServiceCaller('auth', () => urlOf(server));
const parts = testProcess(authConfig, {
  ...backing,
  IDENTITY_KEY: caller.key,
  API_BASE_URL: 'http://api.test',
});
let server: Server;
let database: Connection;
const ids: Record<string, string> = {};

const admin = (name: string, options: Record<string, string>): Promise<any> =>
  COMMANDS[name]!.run(adminTargets(backing), options);

beforeAll(async () => {
  server = await startAuth(parts);
  database = await mongoose.createConnection(backing.MONGODB_URI).asPromise();
  await waitFor('the database', async () => (await caller.call('GET', '/members')).status === 200);
  for (const name of ['ada', 'bob']) {
    ids[name] = (await admin('user create', { email: `${name}@example.com`, name, password: 'long enough' })).id;
  }
  await admin('workspace create', { slug: 'acme', name: 'Acme', owner: 'ada@example.com' });
  await admin('member set', { workspace: 'acme', email: 'bob@example.com', role: 'editor' });
});
afterAll(async () => {
  await database.close();
  await parts.lifecycle.stop();
});

const signedIn = (name: string): Actor => ({
  type: 'user',
  id: ids[name]!,
  name,
  email: `${name}@example.com`,
  token_id: null,
});
async function getWithoutWorkspace(path: string, actor: Actor): Promise<{ body: any }> {
  const identity = { actor, workspace: null, session_id: null, request_id: 'test', ip_address: null };
  const request = { method: 'GET', url: `/api/v1${path}` };
  const headers = {
    [IDENTITY_HEADER]: signIdentity(parseKey(caller.key), identity, { service: 'auth', request }),
  };
  const response = await fetch(urlOf(server) + request.url, { headers });
  return { body: await response.json() };
}
const mint = (actor: Actor, fields: object) =>
  caller.call('POST', '/tokens', { actor, body: { name: 'T', ...fields } });

test('tokens name their user, when created and in the list of an owner', async () => {
  for (const name of ['ada', 'bob']) {
    const { status, body } = await mint(signedIn(name), {});
    expect([status, body.data.user]).toEqual([201, { id: ids[name], name }]);
  }
  const { body } = await caller.call('GET', '/tokens', { actor: signedIn('ada') });
  expect(body.data.map(({ user }: any) => user.name)).toEqual(['bob', 'ada']);
});

test('GET /workspaces lists the workspace of a token, and every workspace of a session', async () => {
  await admin('workspace create', { slug: 'globex', name: 'Globex', owner: 'ada@example.com' });
  const { body: minted } = await mint(signedIn('ada'), {});
  const workspacesOf = async (actor: Actor) => {
    const { body: listed } = await getWithoutWorkspace('/workspaces', actor);
    const { body: user } = await getWithoutWorkspace('/user', actor);
    const slugs = listed.data.map(({ slug }: any) => slug).sort();
    expect(user.data.workspaces.map(({ slug }: any) => slug).sort()).toEqual(slugs);
    return slugs;
  };
  expect(await workspacesOf({ ...signedIn('ada'), type: 'token', token_id: minted.data.id })).toEqual(['acme']);
  expect(await workspacesOf(signedIn('ada'))).toEqual(['acme', 'globex']);
});

describe('a token minted by a token', () => {
  const DAY_MS = 24 * 3600_000;
  const end = new Date(Date.now() + DAY_MS);
  const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();

  async function usingToken(expiresAt: Date | null): Promise<Actor> {
    const options = { workspace: 'acme', email: 'ada@example.com', name: 'minter', ability: 'read_write' };
    const { id, user } = await admin('token create', options);
    expect(user).toEqual({ id: ids['ada'], name: 'ada' });
    await database.collection('tokens').updateOne({ _id: id }, { $set: { expiresAt } });
    return { ...signedIn('ada'), type: 'token', name: 'minter', token_id: id };
  }
  const expiryOf = async (actor: Actor, fields: object) => (await mint(actor, fields)).body.data.expires_at;

  test('a minted token expires with its minter unless an earlier time is requested', async () => {
    const actor = await usingToken(end);
    expect(await expiryOf(actor, {})).toBe(end.toISOString());
    expect(await expiryOf(actor, { expires_at: null })).toBe(end.toISOString());
    const sooner = inDays(0.5);
    expect(await expiryOf(actor, { expires_at: sooner })).toBe(sooner);
  });

  test('POST /tokens answers 422 for an expiry later than that of the minting token', async () => {
    const { status, body } = await mint(await usingToken(end), { expires_at: inDays(2) });
    expect([status, Object.keys(body.error.details)]).toEqual([422, ['expires_at']]);
  });

  test('a token minted by a session or by a token without expiry has the requested expiry', async () => {
    const later = inDays(2);
    for (const actor of [await usingToken(null), signedIn('ada')]) {
      expect(await expiryOf(actor, {})).toBeNull();
      expect(await expiryOf(actor, { expires_at: later })).toBe(later);
      const day = later.slice(0, 10);
      expect(await expiryOf(actor, { expires_at: day })).toBe(`${day}T23:59:59.999Z`);
    }
  });
});

describe('the descendants of a token', () => {
  const usingToken = (name: string, id: string): Actor => ({ ...signedIn(name), type: 'token', token_id: id });
  const mintBy = async (name: string, minter: string | null): Promise<string> => {
    const { status, body } = await mint(minter === null ? signedIn(name) : usingToken(name, minter), {});
    expect([status, body.data.created_by_token_id]).toEqual([201, minter]);
    return body.data.id as string;
  };
  const listed = async (): Promise<string[]> =>
    (await caller.call('GET', '/tokens', { actor: signedIn('ada') })).body.data.map(({ id }: any) => id);
  const revoke = (id: string, query = '', name = 'ada') =>
    caller.call('DELETE', `/tokens/${id}${query}`, {
      actor: signedIn(name),
      access: { role: name === 'ada' ? 'owner' : 'editor' },
    });
  const revocations = async (tokens: string[]) =>
    (await database.collection('outbox').find({ type: 'token.revoked' }).toArray())
      .map((row) => JSON.parse(row['body'] as string))
      .filter(({ data }) => tokens.includes(data.token_id))
      .map(({ data, audit }) => [data.token_id, audit.changes]);

  test('outlive it, unless the revocation cascades', async () => {
    const [parent, other] = [await mintBy('ada', null), await mintBy('ada', null)];
    const child = await mintBy('ada', parent);

    expect((await revoke(parent)).status).toBe(204);

    expect(await listed()).toEqual(expect.arrayContaining([child, other]));
    expect((await revoke(parent)).status).toBe(404);
    expect((await revoke(parent, '?cascade=true')).status).toBe(204);
    expect(await listed()).not.toContain(child);
    expect(await listed()).toContain(other);
    expect((await revoke(parent, '?cascade=true')).status).toBe(404);
  });

  test('are revoked with it through any number of generations, each with an event', async () => {
    const tokens = [await mintBy('ada', null)];
    for (let generation = 0; generation < 5; generation += 1) tokens.push(await mintBy('ada', tokens.at(-1)!));
    const sibling = await mintBy('ada', tokens[1]!);
    const [first, second, third] = tokens as [string, string, string];
    await revoke(third);

    expect((await revoke(second, '?cascade=true')).status).toBe(204);

    expect((await listed()).filter((id) => [...tokens, sibling].includes(id))).toEqual([first]);
    const withSecond = { revoked_with: { from: null, to: second } };
    expect(await revocations([...tokens, sibling])).toEqual([
      [third, {}],
      [second, {}],
      ...[...tokens.slice(3), sibling].map((id) => [id, withSecond]),
    ]);
  });

  test('never survive a cascade that runs while it mints', async () => {
    for (let round = 0; round < 5; round += 1) {
      const parent = await mintBy('ada', null);

      const [revoked, ...minted] = await Promise.all([
        revoke(parent, '?cascade=true'),
        ...Array.from({ length: 4 }, () => mint(usingToken('ada', parent), {})),
      ]);

      expect(revoked.status).toBe(204);
      expect(minted.map(({ status }) => status).every((status) => status === 201 || status === 401)).toBe(true);
      const left = await listed();
      for (const { body } of minted) expect(left).not.toContain(body.data?.id);
    }
  });

  test('are revoked by members of any role, if the token is theirs', async () => {
    const parent = await mintBy('bob', null);
    const child = await mintBy('bob', parent);
    const foreign = await mintBy('ada', await mintBy('ada', null));

    expect((await revoke(foreign, '?cascade=true', 'bob')).status).toBe(404);
    expect((await revoke(parent, '?cascade=true', 'bob')).status).toBe(204);

    expect(await listed()).not.toContain(child);
    expect(await listed()).toContain(foreign);
  });

  test('are revoked by a cascade of true or false alone', async () => {
    const { status, body } = await revoke(await mintBy('ada', null), '?cascade=perhaps');
    expect([status, body.error.details]).toEqual([422, { cascade: ['The cascade must be true or false.'] }]);
  });
});

describe('revoked tokens', () => {
  /** Tokens of the user that were revoked one after the other, the last one most recently. */
  const insertRevoked = async (name: string, count: number) => {
    const row = (await database.collection('tokens').findOne({ userId: ids[name]! }))!;
    const rows = Array.from({ length: count }, (_, index) => ({
      ...row,
      _id: `tok_${name}_${index}` as never,
      hash: `${name} ${index}`,
      revokedAt: new Date(Date.now() + 60_000 + index),
    }));
    await database.collection('tokens').insertMany(rows);
  };
  const revokedOf = async (name: string): Promise<unknown[]> => {
    const filter = { _id: { $regex: `^tok_${name}_` } as never };
    return (await database.collection('tokens').find(filter).sort({ revokedAt: 1 }).toArray()).map(({ _id }) => _id);
  };

  test('are kept up to 200 of a user in a workspace, the newest ones, however many other members revoke', async () => {
    await mint(signedIn('ada'), {});
    await mint(signedIn('bob'), {});
    await insertRevoked('ada', 250);
    await insertRevoked('bob', 250);

    expect((await mint(signedIn('bob'), {})).status).toBe(201);

    expect(await revokedOf('bob')).toEqual(Array.from({ length: 200 }, (_, index) => `tok_bob_${index + 50}`));
    expect(await revokedOf('ada')).toHaveLength(250);
  });

  test('are deleted without their descendants, which a cascade still revokes', async () => {
    const actor = signedIn('ada');
    const { body: parent } = await mint(actor, {});
    const usingParent: Actor = { ...actor, type: 'token', token_id: parent.data.id };
    const { body: child } = await mint(usingParent, {});
    await database.collection('tokens').deleteOne({ _id: parent.data.id });

    const revoke = (name: string) =>
      caller.call('DELETE', `/tokens/${parent.data.id}?cascade=true`, {
        actor: signedIn(name),
        access: { role: 'editor' },
      });
    expect((await revoke('bob')).status).toBe(404);
    expect((await revoke('ada')).status).toBe(204);
    const stored = await database.collection('tokens').findOne({ _id: child.data.id });
    expect(stored!['revokedAt']).not.toBeNull();
  });
});

test('changes of one workspace take turns, and do not delay those of another', async () => {
  await admin('workspace create', { slug: 'other', name: 'Other', owner: 'bob@example.com' });
  const actor = signedIn('ada');
  let finished = 0;
  const many = Array.from({ length: 120 }, () =>
    caller.call('DELETE', '/tokens/tok_unknown', { actor }).then(({ status }) => {
      finished += 1;
      return status;
    }),
  );
  const other = await caller.call('POST', '/tokens', {
    actor: signedIn('bob'),
    workspace: 'other',
    body: { name: 'T' },
  });
  expect([other.status, finished < 60]).toEqual([201, true]);
  // On a slow machine some cannot start in time.
  expect(new Set((await Promise.all(many)).filter((status) => status !== 503))).toEqual(new Set([404]));
});

test('a change whose client has gone while it waited is not made, and those after it are', async () => {
  const runsOf = watchLimits();
  const round = await observeWhileBlocked(database.collection('tokens'), { command: 'insert', times: 1 }, async () => {
    const [client, before] = [new AbortController(), runsOf('acme').length];
    const create = (name: string, signal?: AbortSignal) =>
      caller.call('POST', '/tokens', {
        actor: signedIn('ada'),
        signal,
        body: { name: `${name}-${before}`, scope: 'read_only' },
      });
    const inLine = (count: number) => waitFor(`${count} in line`, () => runsOf('acme').length === before + count);
    const first = create('first');
    await inLine(1);
    const left = create('left', client.signal).catch(() => undefined);
    await inLine(2);
    client.abort();
    await waitFor('the service to know', () => runsOf('acme').at(-1)!.signal!.aborted);
    const third = create('third');
    await inLine(3);
    return { before, rest: Promise.all([first, left, third]) };
  });
  const { body } = await caller.call('GET', '/tokens', { actor: signedIn('ada') });
  const made = (body.data as { name: string }[]).map(({ name }) => name);
  expect(made.filter((name) => name.endsWith(`-${round.before}`)).sort()).toEqual(
    ['first', 'third'].map((name) => `${name}-${round.before}`),
  );
});
