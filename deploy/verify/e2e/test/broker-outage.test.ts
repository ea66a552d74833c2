import { openStack } from '@waymark/stack/stack';
import type { Stack } from '@waymark/stack/stack-types';
import { waitFor } from '@waymark/testing/wait-for';
import { startSystem, type RunningSystem } from './system.js';

const SALES = 20;
const DEADLINE_MS = 120_000;

let stack: Stack | undefined;
let running: RunningSystem | undefined;

beforeAll(async () => {
  stack = await openStack({ name: `broker-outage-${process.pid}`, fresh: true, env: {} });
  const { mongoUri: MONGODB_URI, amqpUrl: AMQP_URL, clickHouseUrl: CLICKHOUSE_URL } = stack;
  // The servers of this file, in the place of those of the run.
  Object.assign(process.env, { MONGODB_URI, AMQP_URL, CLICKHOUSE_URL });
  running = await startSystem();
});
afterAll(async () => {
  await running?.stop();
  await stack?.stop();
});

async function call(method: string, path: string, body?: unknown): Promise<{ status: number; body: any }> {
  const { system, demo } = running!;
  const response = await fetch(`${system.baseUrl}/api/v1/workspaces/${demo.workspace}${path}`, {
    method,
    headers: { authorization: `Bearer ${demo.users['owner']!.token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

const saleOf = (number: number, code: string) => ({
  short_code: code,
  source: 'shop',
  external_id: `order-${number}`,
  value: 10,
  currency: 'EUR',
});

test('conversions while the broker is stopped are answered 202, and recorded once after its start', async () => {
  await stack!.broker!.stop();
  const link = await waitFor(
    'a link',
    async () => {
      const created = await call('POST', '/links', {
        destination_url: 'https://example.com',
        short_code: 'unheard-of',
      });
      return created.status === 201 && (created.body.data as { id: string });
    },
    DEADLINE_MS,
  );
  // Analytics has not heard of this link: its event waits in the outbox of another service.
  for (let number = 0; number < SALES; number += 1) {
    const { status, body } = await call('POST', '/conversions', saleOf(number, 'unheard-of'));
    expect([number, status, body.data?.status]).toEqual([number, 202, 'pending']);
  }
  const misspelt = await call('POST', '/conversions', saleOf(SALES, 'no-such-code'));
  expect([misspelt.status, misspelt.body.data?.status]).toEqual([202, 'pending']);
  expect((await call('GET', '/conversions?status=pending')).body.meta.total).toBe(SALES + 1);

  await stack!.broker!.restart();
  const total = async (query: string) => (await call('GET', `/conversions?${query}`)).body.meta.total as number;
  await waitFor('no pending conversion', async () => (await total('status=pending')) === 0, DEADLINE_MS);
  expect(await total(`status=recorded&link_id=${link.id}`)).toBe(SALES);
  expect(await total('status=rejected&external_id=order-20')).toBe(1);
  const again = await call('POST', '/conversions', saleOf(0, 'unheard-of'));
  expect([again.status, again.body.data.link_id]).toEqual([200, link.id]);
  const counted = async () =>
    (await call('GET', `/analytics/summary?link_id=${link.id}`)).body.data?.kpis.conversions as number;
  await waitFor('the conversions in the figures', async () => (await counted()) >= SALES, DEADLINE_MS);
  expect(await counted()).toBe(SALES);
  const audited = async () =>
    (await call('GET', '/audit-logs?action=conversion.recorded&per_page=100')).body.meta.total as number;
  await waitFor('the audit entries', async () => (await audited()) >= SALES, DEADLINE_MS);
  expect(await audited()).toBe(SALES);
});
