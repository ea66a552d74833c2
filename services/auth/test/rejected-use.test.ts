import mongoose, { type Connection } from 'mongoose';
import type { AuthorizeResponse } from '@waymark/contract/authorize';
import { AUTHORIZE_PATH, INTERNAL_AUDIENCE } from '@waymark/contract/authorize';
import { SYSTEM_ACTOR } from '@waymark/contract/identity';
import { Database } from '@waymark/kernel/mongo/database';
import { IDENTITY_HEADER, signIdentity } from '@waymark/kernel/http/identity';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { storeEvents } from '@waymark/kernel/broker/store-events';
import { freshBacking } from '@waymark/testing/backing';
import { parseKey, secretKey } from '@waymark/testing/keys';
import { testProcess } from '@waymark/testing/process-parts';
import { urlOf } from '@waymark/testing/urls';
import { waitFor } from '@waymark/testing/wait-for';
import { COMMANDS } from '@waymark/auth/admin/commands';
import { adminTargets } from '@waymark/auth/admin/context';
import { startAuth } from '@waymark/auth/app';
import { authConfig } from '@waymark/auth/config';
import { CountedEvents } from '@waymark/auth/activity/counted-events';
import { failedSignInEvent } from '@waymark/auth/sign-in/sessions/failed-sign-ins';
import { rejectedUseEvent } from '@waymark/auth/workspaces/tokens/rejected-use';
import { TokenStore } from '@waymark/auth/workspaces/tokens/token-store';
import { UserStore } from '@waymark/auth/users/user-store';
import { WorkspaceStore } from '@waymark/auth/workspaces/workspace-store';
import { revokeToken } from '@waymark/auth/workspaces/tokens/revoke-token';

const backing = freshBacking();
const key = secretKey();
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

/** Starts a replica that shares only the database. */
async function startReplica(intervalMs: number) {
  const lifecycle = new Lifecycle(log);
  const db = new Database(backing.MONGODB_URI, { log, lifecycle });
  storeEvents(db, lifecycle);
  const tokens = new TokenStore(db);
  const users = new UserStore(db);
  const workspaces = new WorkspaceStore(db);
  const countedEvents = new CountedEvents(db, log, intervalMs);
  await db.start();
  const builders = {
    'token.refused': rejectedUseEvent({ tokens, users }),
    'session.failed': failedSignInEvent({ users, workspaces }),
  };
  countedEvents.start({ log, lifecycle }, builders);
  return { lifecycle, db, tokens, users, workspaces, countedEvents };
}

test('uses of a revoked token are reported at once, then once per interval, and every use is counted', async () => {
  const { id } = await mint('leaked');
  const replicas = await Promise.all([startReplica(3000), startReplica(3000)]);
  const [first, second] = replicas;
  const use = ({ countedEvents }: typeof first, ipAddress: string) =>
    countedEvents.count('token.refused', id, { ipAddress, requestId: null });
  await revokeToken(first, { workspace: 'acme' }, { workspace: 'acme', id, userId: undefined });
  for (let used = 0; used < 50; used += 1) {
    await Promise.all([use(first, '203.0.113.1'), use(second, '203.0.113.1')]);
  }
  const [report] = await waitFor('the first report', async () => {
    const found = await findReports(id);
    return found.length > 0 ? found : undefined;
  });
  expect(report).toMatchObject({
    workspace: 'acme',
    ip_address: '203.0.113.1',
    actor: { type: 'token', name: 'Ada', email: 'ada@example.com', token_id: id, token: { id, name: 'leaked' } },
    audit: { target: { type: 'token', id, label: 'leaked' } },
  });
  for (let used = 0; used < 7; used += 1) await use(second, '203.0.113.2');
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
    IDENTITY_KEY: key,
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
        [IDENTITY_HEADER]: signIdentity(parseKey(key), identity, { service: INTERNAL_AUDIENCE }),
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
