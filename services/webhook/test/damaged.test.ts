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

test('unreadable attempts of a disabled endpoint are ended, too', async () => {
  const { id } = await stack.subscribe(receiver.at('/disabled'), 'disabled');
  const due = { endpointId: id, workspace: 'disabled', status: 'pending', priority: 0, dueAt: new Date(0) };
  const rows = [1, 'never', { not: 'a date' }].map((createdAt, i) => ({ ...due, createdAt, _id: `att_disabled_${i}` }));
  const attempts = stack.database.collection<{ _id: string }>('attempts');
  await attempts.insertMany(rows);
  const disabled = await stack.call('PATCH', `/webhooks/${id}`, { enabled: false }, 'disabled');
  expect(disabled.status).toBe(200);
  await damage(id, { dueAt: new Date(0) });
  const pending = { endpointId: id, status: 'pending' } as object;
  await waitFor('the rows', async () => (await attempts.countDocuments(pending)) === 0);
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

test('endpoints whose pending attempts cannot be counted do not stop the later deliveries of the same message', async () => {
  for (const pendingCount of [null, '5']) {
    const { id } = await stack.subscribe(receiver.at('/damaged'), 'damaged');
    await damage(id, { pendingCount });
  }
  const { id } = await stack.subscribe(receiver.at('/later'), 'later');
  // As many events as a message has at most.
  await stack.publish(scanEvent([loggedScan('damaged'), ...Array.from({ length: 499 }, () => loggedScan('later'))]));
  const stored = () => stack.database.collection('attempts').countDocuments({ endpointId: id });
  await waitFor('every delivery', async () => (await stored()) === 499);
  await waitFor('the sending', () => receiver.on('/later').length > 0);
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

test('a purge order whose rows cannot be deleted does not stop the later ones, and is carried out once they can', async () => {
  const rows = stack.database.collection<{ _id: object; endpointId: string }>('attempts');
  const orders = stack.database.collection<{ _id: string }>('purge_orders');
  await rows.insertOne({ _id: { not: 'text' }, endpointId: 'whk_0' });
  await orders.insertOne({ _id: 'whk_0' });
  const { id } = await stack.subscribe(receiver.at('/deleted'), 'deleted');
  await stack.publishLink('deleted');
  await stack.ended(id, 'deleted');
  await stack.call('DELETE', `/webhooks/${id}`, undefined, 'deleted');
  await waitFor('the rows of the later order', async () => (await rows.countDocuments({ endpointId: id })) === 0);
  expect(await orders.countDocuments({ _id: 'whk_0' })).toBe(1);
  await rows.deleteOne({ endpointId: 'whk_0' });
  await waitFor('the order', async () => (await orders.countDocuments({ _id: 'whk_0' })) === 0);
});

test('a replay with a damaged delivery does not stop the later ones, and resumes once the delivery is repaired', async () => {
  const replayed: string[] = [];
  for (const workspace of ['replay-damaged', 'replay-sound']) {
    const { id } = await stack.subscribe(receiver.at(`/${workspace}`), workspace);
    await stack.publishLink(workspace);
    await stack.ended(id, workspace);
    replayed.push(id);
  }
  const [damaged, sound] = replayed as [string, string];
  const rows = stack.database.collection('attempts');
  const { deliveryId } = (await rows.findOne({ endpointId: damaged }))!;
  await rows.updateOne({ endpointId: damaged }, { $unset: { deliveryId: '' } });
  const period = { from: '2020-01-01', to: '2099-12-31' };
  const replay = async (id: string, workspace: string) =>
    (await stack.call('POST', `/webhooks/${id}/replay`, period, workspace)).status;
  expect(await replay(damaged, 'replay-damaged')).toBe(202);
  expect(await replay(sound, 'replay-sound')).toBe(202);
  await stack.ended(sound, 'replay-sound', 2);
  const replays = stack.database.collection<{ _id: string }>('replays');
  await waitFor('the later replay', async () => (await replays.countDocuments({ _id: sound })) === 0);
  expect(await replays.countDocuments({ _id: damaged })).toBe(1);
  await rows.updateOne({ endpointId: damaged }, { $set: { deliveryId } });
  await stack.ended(damaged, 'replay-damaged', 2);
  await waitFor('the repaired replay', async () => (await replays.countDocuments({ _id: damaged })) === 0);
});

test('secrets that cannot be opened or written do not stop the others from being sealed with a new key', async () => {
  const first = await stack.subscribe(receiver.at('/first'), 'keys');
  const unwritable = { keyId: { not: 'text' }, sealed: '', expiresAt: null };
  const secrets = [unwritable, { keyId: 'none', sealed: '', expiresAt: new Date(0) }];
  // More than one round reads at a time, and before the others.
  const rows = Array.from({ length: 150 }, (_, i) => ({ _id: `whk_0000${i}`, secrets }));
  await stack.database.collection<{ _id: string }>('endpoints').insertMany(rows);
  const second = await stack.subscribe(receiver.at('/second'), 'keys');
  await damage(first.id, { 'secrets.0.sealed': 'tampered' });
  const before = (await endpoints().findOne({ _id: second.id }))!.secrets[0]!.keyId;
  await stack.restart({ WEBHOOK_SECRET_KEY: `${randomBytes(32).toString('base64')},${stack.secretKey}` });
  const keyOf = async (id: string) => (await endpoints().findOne({ _id: id }))!.secrets[0]!.keyId;
  await waitFor('the new key', async () => (await keyOf(second.id)) !== before);
  expect(await keyOf(first.id)).toBe(before);
});
