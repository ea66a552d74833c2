import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { waitFor } from '@waymark/testing/wait-for';
import { SigningSecretBox } from '@waymark/webhook/endpoints/secret-box';
import { Receiver } from './receiver.js';
import { Stack } from './stack.js';

/** The key that a process lacks. */
const lostKey = randomBytes(32).toString('base64');
const lostBox = new SigningSecretBox([Buffer.from(lostKey, 'base64')]);
let stack: Stack;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await Receiver.start();
  stack = await Stack.start();
});
afterAll(async () => {
  await stack.stop();
  receiver.stop();
});

const endpoints = () => stack.database.collection<{ _id: string; missingKeyId?: string }>('endpoints');
const missingKeyOf = async (id: string) => (await endpoints().findOne({ _id: id }))?.missingKeyId;

/** Seals the secret of an endpoint with the key that the process lacks. */
async function loseKey(id: string, secret: string, workspace: string): Promise<void> {
  const secrets = [lostBox.sealSecret(secret, { _id: id, workspace })];
  await endpoints().updateOne({ _id: id }, { $set: { secrets } });
}

async function subscribeWithLostKey(path: string, workspace: string) {
  const endpoint = await stack.subscribe(receiver.at(path), workspace);
  await loseKey(endpoint.id, endpoint.secret, workspace);
  return endpoint;
}

test('an endpoint under a missing key waits without an attempt, and the others are sent and created', async () => {
  const waiting = await subscribeWithLostKey('/waiting', 'mixed');
  await stack.subscribe(receiver.at('/sent'), 'mixed');
  await stack.restart();
  for (let sent = 1; sent <= 3; sent += 1) {
    await stack.publishLink('mixed');
    await waitFor('the delivery', () => receiver.on('/sent').length === sent);
  }
  await waitFor('the release', async () => (await missingKeyOf(waiting.id)) === lostBox.currentKeyId);
  const rows = await stack.attempts(waiting.id, 'mixed');
  expect(rows.map((row) => [row.status, row.attempt_number])).toEqual(Array(3).fill(['pending', 1]));
  expect(receiver.on('/waiting')).toHaveLength(0);
  expect(await stack.findMetric('waymark_webhook_endpoints_under_missing_keys')).toBe(1);
  expect(await stack.findReadiness()).toEqual({ ready: true, failing: [] });
  await stack.subscribe(receiver.at('/created'), 'other');
});

test('the deliveries that waited for a key are sent by a process that has it, each once', async () => {
  const { id, secret } = await subscribeWithLostKey('/restored', 'restored');
  await stack.publishLink('restored');
  await waitFor('the release', async () => (await missingKeyOf(id)) === lostBox.currentKeyId);
  // The process without the key keeps running.
  await stack.addProcess({ WEBHOOK_SECRET_KEY: `${stack.secretKey},${lostKey}` });
  const request = await waitFor('the delivery', () => receiver.on('/restored')[0]);
  new Webhook(secret).verify(request.text, request.headers as Record<string, string>);
  expect(await stack.ended(id, 'restored')).toMatchObject([{ status: 'succeeded', attempt_number: 1 }]);
  // The first key seals it now, so that both processes send.
  const { currentKeyId } = new SigningSecretBox([Buffer.from(stack.secretKey, 'base64')]);
  const keyIds = async () => (await endpoints().findOne({ _id: id }))!['secrets' as never] as { keyId: string }[];
  await waitFor('the new seal', async () => (await keyIds()).every(({ keyId }) => keyId === currentKeyId));
  await stack.restart();
  await stack.publishLink('restored');
  await waitFor('the next delivery', () => receiver.on('/restored').length === 2);
});

test('the deliveries that wait for a key are sent once their secret is rotated', async () => {
  const { id } = await subscribeWithLostKey('/rotated', 'rotated');
  await stack.publishLink('rotated');
  await waitFor('the release', async () => (await missingKeyOf(id)) === lostBox.currentKeyId);
  const { status, body } = await stack.call('PATCH', `/webhooks/${id}`, { rotate_secret: true }, 'rotated');
  expect(status).toBe(200);
  const request = await waitFor('the delivery', () => receiver.on('/rotated')[0]);
  new Webhook(body.meta.signing_secret).verify(request.text, request.headers as Record<string, string>);
  expect(await stack.ended(id, 'rotated')).toMatchObject([{ status: 'succeeded', attempt_number: 1 }]);
});

test('the deliveries that wait for a key are ended once their endpoint is disabled', async () => {
  const { id } = await subscribeWithLostKey('/stopped', 'stopped');
  await stack.publishLink('stopped');
  await waitFor('the release', async () => (await missingKeyOf(id)) === lostBox.currentKeyId);
  expect((await stack.call('PATCH', `/webhooks/${id}`, { enabled: false }, 'stopped')).status).toBe(200);
  expect(await stack.ended(id, 'stopped')).toMatchObject([{ status: 'failed', attempted_at: null }]);
});
