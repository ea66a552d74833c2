import { COMMANDS } from '@waymark/auth/admin/commands';
import { adminTargets } from '@waymark/auth/admin/context';
import { startAuth } from '@waymark/auth/app';
import { authConfig } from '@waymark/auth/config';
import { findPlan } from '@waymark/contract/requests';
import { Broker } from '@waymark/kernel/broker/connection';
import { openRequester } from '@waymark/kernel/broker/requests';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';
import { identityKeys } from '@waymark/testing/keys';
import { testProcess } from '@waymark/testing/process-parts';
import { waitFor } from '@waymark/testing/wait-for';

const backing = freshBacking();
const parts = testProcess(authConfig, {
  ...backing,
  IDENTITY_PUBLIC_KEY: identityKeys().publicKey,
  API_BASE_URL: 'http://api.test',
  DEFAULT_PLAN: 'business',
});
const broker = new Broker(
  { url: backing.AMQP_URL, namespace: backing.AMQP_NAMESPACE, name: 'test' },
  { log: createLog('test', 'fatal'), lifecycle: parts.lifecycle },
);
const requester = openRequester(broker);

const admin = (name: string, options: Record<string, string>): Promise<any> =>
  COMMANDS[name]!.run(adminTargets(backing), options);
const planOf = async (workspace: string) => (await requester.ask(findPlan, { workspace }, 5000)).plan;

beforeAll(async () => {
  broker.start();
  await startAuth(parts);
  // The first answer also implies that the collections exist.
  await waitFor('an answer', async () => (await planOf('nobody')) === null);
  await admin('user create', { email: 'ada@example.com', name: 'Ada', password: 'long enough' });
});
afterAll(() => parts.lifecycle.stop());

test('auth.find_plan answers the default plan for a workspace without a plan of its own', async () => {
  await admin('workspace create', { slug: 'plain', name: 'P', owner: 'ada@example.com' });
  expect(await planOf('plain')).toBe('business');
});

test('auth.find_plan answers a changed plan at once', async () => {
  await admin('workspace create', { slug: 'small', name: 'S', owner: 'ada@example.com', plan: 'free' });
  expect(await planOf('small')).toBe('free');
  await admin('workspace plan', { slug: 'small', plan: 'pro' });
  expect(await planOf('small')).toBe('pro');
});

test('auth.find_plan answers null for an unknown workspace', async () => {
  expect(await planOf('nobody')).toBeNull();
});
