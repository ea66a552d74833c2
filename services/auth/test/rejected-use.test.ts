import mongoose, { mongo, type Connection } from 'mongoose';
import type { AuthorizeResponse } from '@waymark/contract/authorize';
import { AUTHORIZE_PATH, INTERNAL_AUDIENCE } from '@waymark/contract/authorize';
import { SYSTEM_ACTOR } from '@waymark/contract/identity';
import { Database } from '@waymark/kernel/mongo/database';
import { IDENTITY_HEADER, signIdentity } from '@waymark/kernel/http/identity';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { storeEvents } from '@waymark/kernel/mongo/store-events';
import { freshBacking } from '@waymark/testing/backing';
import { identityKeys } from '@waymark/testing/keys';
import { testProcess } from '@waymark/testing/process-parts';
import { urlOf } from '@waymark/testing/urls';
import { waitFor } from '@waymark/testing/wait-for';
import { COMMANDS } from '@waymark/auth/admin/commands';
import { adminTargets } from '@waymark/auth/admin/context';
import { startAuth } from '@waymark/auth/app';
import { authConfig } from '@waymark/auth/config';
import { RejectedUseReporter, startRejectedUseReporter } from '@waymark/auth/tokens/rejected-use';
import { TokenStore, type Token } from '@waymark/auth/tokens/token-store';
import { UserStore } from '@waymark/auth/users/user-store';
import { WorkspaceStore } from '@waymark/auth/workspaces/workspace-store';
import { revokeToken } from '@waymark/auth/tokens/revoke-token';

const backing = freshBacking();
const keys = identityKeys();
const log = createLog('test', 'fatal');
let database: Connection;

const admin = (name: string, options: Record<string, string>): Promise<any> =>
  COMMANDS[name]!.run(adminTargets(backing), options);

beforeAll(async () => {
  database = await mongoose.createConnection(backing.MONGODB_URI).asPromise();
  await admin('user create', { email: 'ada@example.com', name: 'Ada', password: 'long enough' });
  await admin('workspace create', { slug: 'acme', name: 'Acme', owner: 'ada@example.com' });
});
afterAll(() => database.close());

const mint = (name: string) =>
  admin('token create', { workspace: 'acme', email: 'ada@example.com', name, ability: 'read_write' });
const findReports = async (id: string) =>
  (await database.collection('outbox').find({ type: 'token.refused' }).toArray())
    .map((row) => JSON.parse(row['body'] as string))
    .filter(({ data }) => data.token_id === id);

async function openStores() {
  const lifecycle = new Lifecycle(log);
  const db = new Database(backing.MONGODB_URI, { log, lifecycle });
  storeEvents(db, lifecycle);
  const tokens = new TokenStore(db);
  const users = new UserStore(db);
  const workspaces = new WorkspaceStore(db);
  await db.start();
  return { lifecycle, log, db, tokens, users, workspaces };
}

/** Starts a replica that shares only the database. */
async function startReplica(reportIntervalMs: number) {
  const stores = await openStores();
  return { ...stores, rejectedUse: startRejectedUseReporter(stores, reportIntervalMs) };
}

test('uses of a revoked token are reported at once, then once per interval, and every use is counted', async () => {
  const { id } = await mint('leaked');
  const replicas = await Promise.all([startReplica(3000), startReplica(3000)]);
  const [first, second] = replicas;
  await revokeToken(first, { workspace: 'acme' }, { workspace: 'acme', id, userId: undefined });
  const row = (await first.tokens.findToken(id as string)) as Token;
  for (let used = 0; used < 50; used += 1) {
    first.rejectedUse.noteUse(row, '203.0.113.1');
    second.rejectedUse.noteUse(row, '203.0.113.1');
  }
  await Promise.all([first.rejectedUse.flushUses(), second.rejectedUse.flushUses()]);
  expect((await findReports(id as string))[0].actor).toMatchObject({
    type: 'token',
    email: 'ada@example.com',
    token_id: id,
  });
  const [report] = await waitFor('the first report', async () => {
    const found = await findReports(id);
    return found.length > 0 ? found : undefined;
  });
  expect(report).toMatchObject({
    workspace: 'acme',
    ip_address: '203.0.113.1',
    actor: { type: 'token', name: 'Ada', token_id: id, token: { id, name: 'leaked' } },
    audit: { target: { type: 'token', id, label: 'leaked' } },
  });
  for (let used = 0; used < 7; used += 1) second.rejectedUse.noteUse(row, '203.0.113.2');
  const all = await waitFor('the rest of the reports', async () => {
    const found = await findReports(id);
    const counted = found.reduce((sum, { data }) => sum + (data.count as number), 0);
    return counted === 107 ? found : undefined;
  });
  const times = all.map(({ occurred_at }) => Date.parse(occurred_at as string)).sort((a, b) => a - b);
  for (let index = 1; index < times.length; index += 1) {
    expect(times[index]! - times[index - 1]!).toBeGreaterThanOrEqual(2900);
  }
  for (const { lifecycle } of replicas) await lifecycle.stop();
});

test('auth rejects and reports a revoked or expired token, and only rejects an unknown one', async () => {
  const auth = testProcess(authConfig, {
    ...backing,
    IDENTITY_PUBLIC_KEY: keys.publicKey,
    API_BASE_URL: 'http://api.test',
  });
  const server = await startAuth(auth);
  const authorize = async (token: string): Promise<AuthorizeResponse> => {
    const identity = {
      actor: SYSTEM_ACTOR,
      workspace: null,
      session_id: null,
      request_id: 'test',
      ip_address: null,
    };
    const request = { credential: { type: 'bearer', token }, workspace: 'acme', ip_address: '203.0.113.9' };
    const response = await fetch(urlOf(server) + AUTHORIZE_PATH, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        [IDENTITY_HEADER]: signIdentity(keys.privateKey, identity, { service: INTERNAL_AUDIENCE }),
      },
      body: JSON.stringify({ questions: [request] }),
    });
    return ((await response.json()) as { answers: AuthorizeResponse[] }).answers[0]!;
  };
  const [revoked, expired, good] = [await mint('revoked'), await mint('expired'), await mint('good')];
  await waitFor('the database', async () => (await authorize(good.plaintext_token)).outcome === 'authenticated');
  await database.collection('tokens').updateOne({ _id: revoked.id }, { $set: { revokedAt: new Date() } });
  await database.collection('tokens').updateOne({ _id: expired.id }, { $set: { expiresAt: new Date(0) } });

  for (const { plaintext_token: token } of [revoked, expired]) {
    expect(await authorize(token as string)).toEqual({ outcome: 'unauthenticated' });
  }
  expect(await authorize('wmk_nobody')).toEqual({ outcome: 'unauthenticated' });
  expect(await authorize(good.plaintext_token)).toMatchObject({ outcome: 'authenticated' });
  for (const { id } of [revoked, expired]) {
    const [report] = await waitFor('the report', async () => {
      const found = await findReports(id as string);
      return found.length > 0 ? found : undefined;
    });
    expect(report).toMatchObject({ ip_address: '203.0.113.9', data: { count: 1 } });
  }
  expect(await findReports(good.id)).toEqual([]);
  await auth.lifecycle.stop();
});

test('a damaged token does not stop the reports of other tokens', async () => {
  const [damaged, intact] = [await mint('damaged'), await mint('intact')];
  const row = { revokedAt: new Date(), refusals: 2 };
  await database.collection('tokens').updateOne({ _id: damaged.id }, { $set: { ...row, userId: { not: 'text' } } });
  await database.collection('tokens').updateOne({ _id: intact.id }, { $set: row });
  const { lifecycle, rejectedUse } = await startReplica(60_000);

  await rejectedUse.flushUses();
  await lifecycle.stop();

  expect(await findReports(intact.id)).toMatchObject([{ data: { count: 2 } }]);
  expect(await findReports(damaged.id)).toEqual([]);
});

test.each(['yesterday', 7, { not: 'a time' }, true])(
  'the uses of a token whose last report was at %j are reported, once an interval',
  async (refusalsToldAt) => {
    const { id } = await mint('damaged time');
    await database
      .collection('tokens')
      .updateOne({ _id: id }, { $set: { revokedAt: new Date(), refusals: 2, refusalsToldAt } });
    const { lifecycle, tokens, rejectedUse } = await startReplica(60_000);

    await rejectedUse.flushUses();
    rejectedUse.noteUse((await tokens.findToken(id as string))!, null);
    await rejectedUse.flushUses();
    await lifecycle.stop();

    expect(await findReports(id as string)).toMatchObject([{ data: { count: 2 } }]);
  },
);

test('counts the use of a token whose count is damaged, and still reports that of the others', async () => {
  const [damaged, intact] = [await mint('damaged count'), await mint('intact count')];
  const tokens = database.collection('tokens');
  await tokens.updateMany({ _id: { $in: [damaged.id, intact.id] } }, { $set: { revokedAt: new Date() } });
  await tokens.updateOne({ _id: damaged.id }, { $set: { refusals: 'many' } });
  const stores = await openStores();
  const reporter = new RejectedUseReporter(stores, 60_000);
  for (const { id } of [damaged, intact]) reporter.noteUse({ _id: id } as Token, null);

  await reporter.flushUses();
  await stores.lifecycle.stop();

  for (const { id } of [damaged, intact]) expect(await findReports(id)).toMatchObject([{ data: { count: 1 } }]);
});

test('many damaged tokens do not hide an intact one behind them, and are logged and counted once an interval', async () => {
  const tokens = database.collection('tokens');
  const damaged = await mint('hiding');
  const row = { revokedAt: new Date(), refusals: 2 };
  const { _id, ...copy } = (await tokens.findOneAndDelete({ _id: damaged.id }))!;
  const copies = Array.from({ length: 150 }, (_, index) => {
    // Some have no id of a token either.
    const id = [{ of: index }, index, `${String(_id)}-${index}`][index % 3];
    return { ...copy, ...row, _id: id, hash: `damaged ${index}`, userId: { not: 'text' } };
  });
  await tokens.insertMany(copies as never[]);
  const intact = await mint('hidden');
  await tokens.updateOne({ _id: intact.id }, { $set: row });
  const { lifecycle, rejectedUse } = await startReplica(60_000);
  const failed: string[] = [];
  lifecycle.onWorkFailed((work) => failed.push(work));

  await rejectedUse.flushUses();
  await rejectedUse.flushUses();
  await lifecycle.stop();

  expect(await findReports(intact.id)).toMatchObject([{ data: { count: 2 } }]);
  expect(failed).toEqual(Array.from({ length: 150 }, () => 'rejected uses'));
});

/** Inserts copies of a revoked token, each with an unreported use, so that no others are due. */
async function insertDue(name: string, count: number): Promise<void> {
  const tokens = database.collection<{ _id: string }>('tokens');
  const { id } = await mint(name);
  const { _id, ...copy } = (await tokens.findOneAndDelete({ _id: id }))!;
  await tokens.deleteMany({ refusals: { $gt: 0 } });
  await tokens.insertMany(
    Array.from({ length: count }, (_, index) => {
      return { ...copy, _id: `${_id}-${index}`, hash: `${name} ${index}`, revokedAt: new Date(), refusals: 1 };
    }),
  );
}
const countReports = (name: string) =>
  database.collection('outbox').countDocuments({ type: 'token.refused', body: { $regex: `"name":"${name}"` } });

test('a round reports a limited number of tokens, so that uses are written between two rounds', async () => {
  await insertDue('one of many', 220);
  const stores = await openStores();
  const reporter = new RejectedUseReporter(stores, 60_000);

  const counts = [];
  for (let round = 0; round < 2; round += 1) {
    await reporter.flushUses();
    counts.push(await countReports('one of many'));
  }
  await stores.lifecycle.stop();

  expect(counts).toEqual([200, 220]);
});

test('a stop ends a round after the current report, and the noted uses are written', async () => {
  await insertDue('stopped', 20);
  const { id: usedId } = await mint('used at the stop');
  const stores = await openStores();
  const used = (await stores.tokens.findToken(usedId as string)) as Token;
  let stopped: Promise<void> | undefined;
  const findUser = (id: string) => {
    reporter.noteUse(used, null);
    stopped ??= stores.lifecycle.stop();
    return stores.users.findUser(id);
  };
  const reporter = startRejectedUseReporter({ ...stores, users: { findUser } });

  await reporter.flushUses();
  await stopped;

  expect(await countReports('stopped')).toBe(1);
  const row = await database.collection<{ _id: string }>('tokens').findOne({ _id: used._id });
  expect(row).toMatchObject({ refusals: 1 });
});

test('the uses of very many tokens are written a part at a time', async () => {
  const { lifecycle, tokens } = await startReplica(60_000);
  const bulkWrite = jest.spyOn(mongo.Collection.prototype, 'bulkWrite');
  const uses = Array.from({ length: 1200 }, (_, index) => ({ id: `tok_${index}`, count: 1, address: null }));

  await tokens.addRejectedUses(uses);
  await lifecycle.stop();

  const lengths = bulkWrite.mock.calls.map(([updates]) => updates.length);
  bulkWrite.mockRestore();
  expect(lengths).toEqual([500, 500, 200]);
});
