import { randomBytes } from 'node:crypto';
import { waitFor } from '@waymark/testing/wait-for';
import { Receiver } from './receiver.js';
import { loggedScan, scanEvent, Stack } from './stack.js';

/** Rows that no version of this service writes: each affects only its own endpoint. */
let stack: Stack;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await Receiver.start();
  stack = await Stack.start({ WEBHOOK_RETRY_SCHEDULE: '600' });
});
afterAll(async () => {
  await stack.stop();
  receiver.stop();
});

const endpoints = () => stack.database.collection<{ _id: string; secrets: { keyId: string }[] }>('endpoints');
const damage = (id: string, fields: object) => endpoints().updateOne({ _id: id }, { $set: fields });

test('unreadable attempts are ended with an error, and the other attempts of their endpoint are sent', async () => {
  const { id } = await stack.subscribe(receiver.at('/rows'), 'rows');
  const due = { endpointId: id, workspace: 'rows', status: 'pending', priority: 0, createdAt: new Date() };
  const rows = [
    { ...due, dueAt: 'never' },
    { ...due, dueAt: null, number: 1 },
    { ...due, dueAt: new Date(0), body: null },
    { ...due, dueAt: new Date(0), body: '{}', number: 'one', deliveryId: 1 },
    ...Array.from({ length: 30 }, () => ({ ...due, dueAt: new Date(0) })),
  ].map((row, i) => ({ ...row, _id: `att_bad_${i}` }));
  await stack.database.collection<{ _id: string }>('attempts').insertMany(rows);
  await stack.publishLink('rows');
  await waitFor('the delivery', () => receiver.on('/rows').length === 1);
  const attempts = stack.database.collection('attempts');
  await waitFor('the rows', async () => (await attempts.countDocuments({ endpointId: id, status: 'pending' })) === 0);
  expect((await stack.attempts(id, 'rows')).filter(({ status }) => status === 'failed')).toHaveLength(rows.length);
});

test('damaged endpoints do not stop deliveries to other endpoints of the same message', async () => {
  const damages = [
    { leaseNo: 'none', dueAt: new Date(0) },
    { wakeNo: 'none', dueAt: new Date(0) },
    { eventTypes: null, dueAt: new Date(0) },
    { eventTypes: 'scan.logged', dueAt: new Date(0) },
    { url: null, dueAt: new Date(0) },
    { secrets: null, dueAt: new Date(0) },
    { 'secrets.0.keyId': 'no key', dueAt: new Date(0) },
    { consecutiveFailures: 'many', leaseUntil: new Date(0), dueAt: new Date(0) },
  ];
  for (const [i, fields] of damages.entries()) {
    const { id } = await stack.subscribe(receiver.at(`/damaged-${i}`), 'damaged');
    await damage(id, fields);
  }
  const { id: sound } = await stack.subscribe(receiver.at('/sound'), 'sound');
  const secretsOf = async (id: string) => (await endpoints().findOne({ _id: id }))!.secrets;
  const [current] = await secretsOf(sound);
  await damage(sound, { secrets: [current, { ...current, expiresAt: new Date(0) }] });
  await waitFor('a look at all stored secrets', async () => (await secretsOf(sound)).length === 1);
  for (let i = 1; i <= 3; i += 1) {
    await stack.publish(scanEvent([loggedScan('damaged'), loggedScan('sound'), loggedScan('damaged')]));
    await waitFor('the delivery', () => receiver.on('/sound').length === i);
  }
});

test('a secret that cannot be opened fails its attempts with an error that names the fix; a new secret signs at once', async () => {
  const { id } = await stack.subscribe(receiver.at('/sealed'), 'sealed');
  await damage(id, { 'secrets.0.sealed': randomBytes(60).toString('base64') });
  await stack.publishLink('sealed');
  const row = await stack.firstEnded(id, 'sealed');
  expect(row).toMatchObject({ status: 'failed', error: { message: expect.stringContaining('rotate_secret') } });
  expect(receiver.on('/sealed')).toHaveLength(0);
  expect((await stack.call('PATCH', `/webhooks/${id}`, { rotate_secret: true }, 'sealed')).status).toBe(200);
  await stack.publishLink('sealed');
  await waitFor('the delivery', () => receiver.on('/sealed').length === 1);
});

test('a purge order without a time is carried out, and so are the later ones', async () => {
  await stack.database.collection<{ _id: string }>('purge_orders').insertOne({ _id: 'whk_0' });
  const { id } = await stack.subscribe(receiver.at('/purged'), 'purged');
  await stack.publishLink('purged');
  await stack.ended(id, 'purged');
  await stack.call('DELETE', `/webhooks/${id}`, undefined, 'purged');
  const count = () => stack.database.collection('attempts').countDocuments({ endpointId: id });
  await waitFor('its rows', async () => (await count()) === 0);
  const orders = stack.database.collection<{ _id: string }>('purge_orders');
  await waitFor('the order', async () => (await orders.countDocuments({ _id: 'whk_0' })) === 0);
});

test('secrets that cannot be opened do not stop the others from being sealed with a new key', async () => {
  const first = await stack.subscribe(receiver.at('/first'), 'keys');
  const second = await stack.subscribe(receiver.at('/second'), 'keys');
  await damage(first.id, { 'secrets.0.sealed': 'tampered' });
  const before = (await endpoints().findOne({ _id: second.id }))!.secrets[0]!.keyId;
  await stack.restart({ WEBHOOK_SECRET_KEY: `${randomBytes(32).toString('base64')},${stack.secretKey}` });
  const keyOf = async (id: string) => (await endpoints().findOne({ _id: id }))!.secrets[0]!.keyId;
  await waitFor('the new key', async () => (await keyOf(second.id)) !== before);
  expect(await keyOf(first.id)).toBe(before);
});
