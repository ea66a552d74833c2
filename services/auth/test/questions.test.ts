import { COMMANDS } from '@waymark/auth/admin/commands';
import { adminTargets } from '@waymark/auth/admin/context';
import { startAuth } from '@waymark/auth/app';
import { authConfig } from '@waymark/auth/config';
import { auditAppended } from '@waymark/contract/events';
import { findAuditHead, findPlan } from '@waymark/contract/requests';
import { Broker } from '@waymark/kernel/broker/connection';
import { openPublisher } from '@waymark/kernel/broker/publisher';
import { openRequester } from '@waymark/kernel/broker/requests';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';
import { secretKey } from '@waymark/testing/keys';
import { publishEvent } from '@waymark/testing/publish-event';
import { testProcess } from '@waymark/testing/process-parts';
import { waitFor } from '@waymark/testing/wait-for';

const backing = freshBacking();
const parts = testProcess(authConfig, {
  ...backing,
  IDENTITY_KEY: secretKey(),
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

describe('auth.find_audit_head', () => {
  const publisher = openPublisher(broker);
  const headOf = (workspace: string) => requester.ask(findAuditHead, { workspace }, 5000);
  /** Names the end of a log by a letter, which stands for its hash. */
  const end = (text: string) => ({ seq: Number(text.slice(1)), hash: text });
  let count = 0;

  /** Announces that the log moved between these ends, in this order, and waits until auth has followed. */
  async function announce(...moves: [previous: string, head: string][]) {
    const slug = `log-${(count += 1)}`;
    await admin('workspace create', { slug, name: 'L', owner: 'ada@example.com' });
    const marker = `${slug}-marker`;
    await admin('workspace create', { slug: marker, name: 'M', owner: 'ada@example.com' });
    await waitFor('the broker', () => publisher.isUp);
    const publish = (workspace: string, [previous, head]: [string, string]) =>
      publishEvent(publisher, auditAppended.create({ workspace }, { head: end(head), previous: end(previous) }));
    for (const move of moves) await publish(slug, move);
    await publish(marker, ['a0', 'a1']);
    await waitFor('the last announcement', async () => (await headOf(marker)).head !== null);
    return (await headOf(slug)).head;
  }

  test('answers the highest end, also of announcements that arrive twice or late', async () => {
    expect(await announce(['a0', 'a2'], ['a2', 'a3'])).toEqual(end('a3'));
    expect(await announce(['a2', 'a3'], ['a0', 'a2'], ['a2', 'a3'])).toEqual(end('a3'));
    expect(await announce(['a0', 'a2'], ['a5', 'a6'])).toEqual(end('a6'));
  });

  test('keeps the end for good from which a log was reset', async () => {
    expect(await announce(['a0', 'a5'], ['a2', 'b3'], ['b3', 'b5'], ['b5', 'b6'], ['b6', 'b7'])).toEqual(end('a5'));
    expect(await announce(['a0', 'a5'], ['a2', 'b7'], ['b7', 'b8'])).toEqual(end('a5'));
  });

  test('answers the time of the creation, and nothing of an unknown workspace', async () => {
    await admin('workspace create', { slug: 'dated', name: 'D', owner: 'ada@example.com' });
    expect(await headOf('dated')).toEqual({ head: null, created_at: expect.any(String) });
    expect(await headOf('nobody')).toEqual({ head: null, created_at: null });
  });
});
