import { Database } from '@waymark/kernel/mongo/database';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import type { Attempt } from '@waymark/webhook/deliveries/attempt';
import { ConcurrencyPools } from '@waymark/webhook/dispatch/concurrency-pools';
import type { DispatchConfig } from '@waymark/webhook/dispatch/context';
import { DeliveryPool } from '@waymark/webhook/dispatch/delivery-pool';
import { EndpointLease } from '@waymark/webhook/dispatch/endpoint-lease';
import { LeaseStore } from '@waymark/webhook/dispatch/lease-store';
import { ReadAhead } from '@waymark/webhook/dispatch/read-ahead';
import type { Endpoint } from '@waymark/webhook/endpoints/endpoint';

const log = createLog('test', 'silent');
const lifecycle = new Lifecycle(log);
afterAll(() => lifecycle.stop());

/** The pool of an endpoint whose attempts do not start. */
function newPool(readAhead: ReadAhead): DeliveryPool {
  // Never connected: a pool makes no query.
  const db = new Database('mongodb://127.0.0.1:1/unused', { log, lifecycle });
  const endpoint = { _id: 'whk_1', workspace: 'calm', createdBy: 'usr_calm', consecutiveFailures: 0 } as Endpoint;
  const lease = new EndpointLease(new LeaseStore(db, 1000), 1000, { endpoint, claimedAt: 0 });
  const config = { WEBHOOK_ENDPOINT_CONCURRENCY: 10 } as DispatchConfig;
  const concurrencyPools = new ConcurrencyPools({ inFlightMax: 400, hostMax: 100 });
  return new DeliveryPool({ config, concurrencyPools, readAhead }, lease, {
    mayStart: () => false,
    deliver: () => Promise.resolve(),
    onEnded: () => undefined,
  });
}

const bodies = (count: number) => Array.from({ length: count }, () => ({ body: 'x'.repeat(10) }) as Attempt);

test('takes one attempt at a time while bodies fill the memory, and none while they fill it twice', () => {
  const readAhead = new ReadAhead(400);
  const pool = newPool(readAhead);
  expect(pool.capacity).toBe(10);
  for (let i = 0; i < 40; i += 1) readAhead.addAttempts([`tenant-${i}`], bodies(1), 0);
  expect(pool.capacity).toBe(1);
  for (let i = 0; i < 40; i += 1) readAhead.addAttempts([`tenant-${i}`], bodies(1), 1);
  expect(pool.capacity).toBe(0);
  pool.addAttempts(bodies(1));
  expect(pool.attemptIds).toHaveLength(0);
  readAhead.removeAttempts(['tenant-1'], bodies(1));
  expect(pool.capacity).toBe(1);
});
