import mongoose, { type Connection } from 'mongoose';
import type { AuthorizeAnswer } from '@waymark/contract/authorize';
import { AUTHORIZE_PATH, INTERNAL_AUDIENCE } from '@waymark/contract/authorize';
import { SYSTEM_ACTOR } from '@waymark/contract/identity';
import { Database } from '@waymark/kernel/mongo/database';
import { IDENTITY_HEADER, signIdentity } from '@waymark/kernel/http/identity';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { Metrics } from '@waymark/kernel/process/metrics';
import { Broker } from '@waymark/kernel/broker/connection';
import { Publisher } from '@waymark/kernel/broker/publisher';
import { Outbox } from '@waymark/kernel/mongo/outbox';
import { freshBacking } from '@waymark/testing/backing';
import { identityKeys } from '@waymark/testing/keys';
import { testProcess } from '@waymark/testing/process-parts';
import { urlOf } from '@waymark/testing/urls';
import { waitFor } from '@waymark/testing/wait-for';
import { COMMANDS } from '@waymark/auth/admin/commands';
import { adminTargets } from '@waymark/auth/admin/context';
import { startAuth } from '@waymark/auth/app';
import { authConfig } from '@waymark/auth/config';
import { Refusals } from '@waymark/auth/tokens/refusals';
import { TokenStore, type Token } from '@waymark/auth/tokens/store';
import { UserStore } from '@waymark/auth/users/store';
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
const toldOf = async (id: string) =>
  (await database.collection('outbox').find({ type: 'token.refused' }).toArray())
    .map((row) => JSON.parse(row['body'] as string))
    .filter(({ data }) => data.token_id === id);

/** A replica of auth on the shared database. */
async function replica(tellEveryMs: number) {
  const lifecycle = new Lifecycle(log);
  const db = new Database(backing.MONGODB_URI, log, lifecycle);
  const broker = new Broker(backing.AMQP_URL, backing.AMQP_NAMESPACE, 'test', log, lifecycle);
  new Outbox(db, new Publisher(broker), log, new Metrics('test'), lifecycle);
  const tokens = new TokenStore(db);
  const users = new UserStore(db);
  const refusals = new Refusals(db, tokens, users, log, lifecycle, tellEveryMs);
  await db.start();
  return { lifecycle, db, tokens, users, refusals };
}

test('uses of a revoked token: told at once, then no sooner than the interval, with every one of them counted', async () => {
  const { id } = await mint('leaked');
  const replicas = await Promise.all([replica(3000), replica(3000)]);
  const [first, second] = replicas;
  await revokeToken(first, { workspace: 'acme' }, { workspace: 'acme', tokenId: id, ofUser: undefined });
  const row = (await first.tokens.byId(id as string)) as Token;
  for (let used = 0; used < 50; used += 1) {
    first.refusals.note(row, '203.0.113.1');
    second.refusals.note(row, '203.0.113.1');
  }
  await Promise.all([first.refusals.flush(), second.refusals.flush()]);
  expect((await toldOf(id as string))[0].actor).toMatchObject({
    type: 'token',
    email: 'ada@example.com',
    token_id: id,
  });
  const [told] = await waitFor('the first telling', async () => {
    const found = await toldOf(id);
    return found.length > 0 ? found : undefined;
  });
  expect(told).toMatchObject({
    workspace: 'acme',
    ip_address: '203.0.113.1',
    actor: { type: 'token', name: 'leaked', token_id: id },
    audit: { target: { type: 'token', id, label: 'leaked' } },
  });
  for (let used = 0; used < 7; used += 1) second.refusals.note(row, '203.0.113.2');
  const all = await waitFor('the rest to be told', async () => {
    const found = await toldOf(id);
    const counted = found.reduce((sum, { data }) => sum + (data.count as number), 0);
    return counted === 107 ? found : undefined;
  });
  const times = all.map(({ occurred_at }) => Date.parse(occurred_at as string)).sort((a, b) => a - b);
  for (let index = 1; index < times.length; index += 1) {
    expect(times[index]! - times[index - 1]!).toBeGreaterThanOrEqual(2900);
  }
  for (const { lifecycle } of replicas) await lifecycle.stop();
});

test('a question about a revoked or an expired token is refused and told; about an unknown one it is only refused', async () => {
  const parts = testProcess(authConfig, {
    ...backing,
    IDENTITY_PUBLIC_KEY: keys.publicKey,
    API_BASE_URL: 'http://api.test',
  });
  const server = await startAuth(parts);
  const ask = async (token: string): Promise<AuthorizeAnswer> => {
    const identity = {
      actor: SYSTEM_ACTOR,
      workspace: null,
      session_id: null,
      request_id: 'test',
      ip_address: null,
    };
    const question = { credential: { type: 'bearer', token }, workspace: 'acme', ip_address: '203.0.113.9' };
    const response = await fetch(urlOf(server) + AUTHORIZE_PATH, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        [IDENTITY_HEADER]: signIdentity(keys.privateKey, INTERNAL_AUDIENCE, identity),
      },
      body: JSON.stringify({ questions: [question] }),
    });
    return ((await response.json()) as { answers: AuthorizeAnswer[] }).answers[0]!;
  };
  const [revoked, expired, good] = [await mint('revoked'), await mint('expired'), await mint('good')];
  await waitFor('the database', async () => (await ask(good.plaintext_token)).outcome === 'authenticated');
  await database.collection('tokens').updateOne({ _id: revoked.id }, { $set: { revokedAt: new Date() } });
  await database.collection('tokens').updateOne({ _id: expired.id }, { $set: { expiresAt: new Date(0) } });

  for (const { plaintext_token: token } of [revoked, expired]) {
    expect(await ask(token as string)).toEqual({ outcome: 'unauthenticated' });
  }
  expect(await ask('wmk_nobody')).toEqual({ outcome: 'unauthenticated' });
  expect(await ask(good.plaintext_token)).toMatchObject({ outcome: 'authenticated' });
  for (const { id } of [revoked, expired]) {
    const [told] = await waitFor('the telling', async () => {
      const found = await toldOf(id as string);
      return found.length > 0 ? found : undefined;
    });
    expect(told).toMatchObject({ ip_address: '203.0.113.9', data: { count: 1 } });
  }
  expect(await toldOf(good.id)).toEqual([]);
  await parts.lifecycle.stop();
});
