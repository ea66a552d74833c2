import mongoose, { type Connection } from 'mongoose';
import { createLog } from '@waymark/kernel/process/log';
import { AuthClient } from '@waymark/gateway/authorize/auth-client';
import { hashSecret } from '@waymark/auth/secrets/hash-secret';
import { parseKey } from '@waymark/testing/keys';
import { Edge } from './edge.js';

let edge: Edge;
let client: AuthClient;
let database: Connection;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  edge = await Edge.start();
  const config = {
    AUTH_URL: edge.authUrl,
    authorizeTimeoutMs: 10_000,
    IDENTITY_SECRET: parseKey(edge.keys.secret),
  };
  client = new AuthClient(config, createLog('test', 'fatal'));
  database = await mongoose.createConnection(edge.backing.MONGODB_URI).asPromise();
  tokens['ada'] = await edge.addMember('acme', 'ada');
  tokens['bob'] = await edge.addMember('globex', 'bob');
});
afterAll(async () => {
  await database.close();
  await client.closeConnections();
  await edge.stop();
});

const requestOf = (name: string, workspace: string) => ({
  credential: { type: 'bearer' as const, token: tokens[name]! },
  workspace,
  ip_address: null,
});

const OWN = { acme: 'ada', globex: 'bob' };
const authorizeBoth = async () => {
  const answers = await client.authorizeBatch(
    Object.entries(OWN).map(([workspace, name]) => requestOf(name, workspace)),
  );
  return answers.map(({ outcome }) => outcome);
};

const SUSPENDED = { suspension: { reason: 'spam', links: 'keep' } };

test.each<[what: string, collection: string, filter: object, damage: object]>([
  ['a user without an e-mail address', 'users', { name: 'ada' }, { $unset: { email: 1 } }],
  ['a workspace with an unknown plan', 'workspaces', { _id: 'acme' }, { $set: { plan: 'platinum' } }],
  ['a membership with an unknown role', 'memberships', { workspace: 'acme' }, { $set: { role: 'boss' } }],
])('%s fails only the requests of its own workspace', async (_what, collection, filter, damage) => {
  const rows = database.collection(collection);
  const intact = (await rows.findOne(filter))!;
  expect(await authorizeBoth()).toEqual(['authenticated', 'authenticated']);
  await rows.updateOne(filter, damage);
  expect(await authorizeBoth()).toEqual(['unavailable', 'authenticated']);
  await rows.replaceOne({ _id: intact._id }, intact);
});

test('a session without times is not active, and fails no other request', async () => {
  const { _id: userId } = (await database.collection<{ _id: string }>('users').findOne({ name: 'ada' }))!;
  const session = { hash: hashSecret('damaged'), userId, expiresAt: new Date(Date.now() + 3_600_000) };
  await database.collection('sessions').insertOne(session);
  const credential = { type: 'session' as const, session: 'damaged' };
  const answers = await client.authorizeBatch([
    { ...requestOf('ada', 'acme'), credential },
    requestOf('bob', 'globex'),
  ]);
  expect(answers.map(({ outcome }) => outcome)).toEqual(['unauthenticated', 'authenticated']);
});

test('a token without grants fails only its own requests, also in a suspended workspace', async () => {
  await database.collection<{ _id: string }>('workspaces').updateOne({ _id: 'acme' }, { $set: SUSPENDED });
  await database.collection('tokens').updateOne({ workspace: 'acme' }, { $unset: { grants: 1 } });
  expect(await authorizeBoth()).toEqual(['unavailable', 'authenticated']);
});
