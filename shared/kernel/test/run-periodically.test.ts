import { setTimeout as sleep } from 'node:timers/promises';
import { unavailable } from '@waymark/kernel/errors';
import { PublishBuffer } from '@waymark/kernel/broker/publish-buffer';
import { runPeriodically, type SkipItem } from '@waymark/kernel/async/run-periodically';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { waitFor } from '@waymark/testing/wait-for';

const log = createLog('test', 'silent');
let lifecycle: Lifecycle;
beforeEach(() => (lifecycle = new Lifecycle(log)));
afterEach(() => lifecycle.stop());

describe('periodic work', () => {
  test('is limited to one round per millisecond when it claims to have more without doing any', async () => {
    let rounds = 0;
    const startedAt = Date.now();
    runPeriodically(
      { log, lifecycle },
      { name: 'idle', intervalMs: 1000, runOnce: () => Promise.resolve((rounds += 1) > 0) },
    );
    await waitFor('many rounds', () => rounds > 2000);
    expect(rounds).toBeLessThanOrEqual(Date.now() - startedAt + 200);
  });

  test('reports each failure but outages and expected ones', async () => {
    const failed: string[] = [];
    lifecycle.onWorkFailed((work) => failed.push(work));
    const errors = [new Error('a'), unavailable(new Error('an outage')), new Error('expected'), new Error('b')];
    let rounds = 0;
    const runOnce = () => Promise.reject(errors[(rounds += 1) - 1] ?? new Error('more'));
    const isExpected = (error: unknown) => (error as Error).message === 'expected';
    runPeriodically({ log, lifecycle }, { name: 'failing', intervalMs: 1, runOnce, isExpected });
    await waitFor('the last failure', () => failed.length === 2);
    expect([failed, rounds]).toEqual([['failing', 'failing'], 4]);
  });

  test('reports a database that refuses all work until an operator acts', async () => {
    const failed: string[] = [];
    lifecycle.onWorkFailed((work) => failed.push(work));
    const full = Object.assign(new Error('out of disk space'), { code: 14031 });
    runPeriodically({ log, lifecycle }, { name: 'full', intervalMs: 1, runOnce: () => Promise.reject(full) });
    await waitFor('the failure', () => failed.length > 0);
    expect(failed[0]).toBe('full');
  });

  test('reports each item that it skips, and fails at an item during an outage', async () => {
    const failed: string[] = [];
    lifecycle.onWorkFailed((work) => failed.push(work));
    const items: unknown[] = [
      new Error('a'),
      null,
      new Error('b'),
      unavailable(new Error('an outage')),
      new Error('c'),
    ];
    const tried: unknown[] = [];
    const runOnce = (skipItem: SkipItem) => {
      while (items.length > 0) {
        const error = items.shift();
        tried.push(error);
        if (error) skipItem(error, { item: tried.length }, 'item failed');
      }
      return Promise.resolve(false);
    };
    runPeriodically({ log, lifecycle }, { name: 'skipping', intervalMs: 1, runOnce });
    await waitFor('the last item', () => tried.length === 5);
    expect(failed).toEqual(['skipping', 'skipping', 'skipping']);
  });

  test('backs off after a failure, however often its signal is notified', async () => {
    let rounds = 0;
    const fail = () => Promise.reject(new Error(`round ${(rounds += 1)}`));
    const wakeSignal = runPeriodically({ log, lifecycle }, { name: 'failing', intervalMs: 1, runOnce: fail });
    for (let ring = 0; ring < 100; ring += 1) {
      wakeSignal.notify();
      await sleep(5);
    }
    expect(rounds).toBeGreaterThan(0);
    expect(rounds).toBeLessThan(10);
  });

  test('resets its backoff after a successful round', async () => {
    let rounds = 0;
    const runOnce = () => ((rounds += 1) % 2 > 0 ? Promise.reject(new Error('odd')) : Promise.resolve(false));
    runPeriodically({ log, lifecycle }, { name: 'flapping', intervalMs: 1, runOnce });
    const deadline = Date.now() + 20_000;
    while (rounds < 20 && Date.now() < deadline) await sleep(20);
    expect(rounds).toBeGreaterThanOrEqual(20);
  });
});

describe('the publish buffer', () => {
  test('counts the bytes of its rows in UTF-8', () => {
    const publishBuffer = new PublishBuffer<{ body: string }>();
    const row = { body: '€'.repeat(1024 * 1024) };
    const taken = Array.from({ length: 20 }, () => publishBuffer.add(row));
    expect(taken.filter(Boolean)).toHaveLength(5);
    expect(publishBuffer.takeBatch(500)).toHaveLength(5);
    expect(publishBuffer.add({ body: 'x'.repeat(16 * 1024 * 1024) })).toBe(true);
  });

  test('is bounded in bytes', () => {
    const publishBuffer = new PublishBuffer<{ body: string }>();
    const row = { body: 'x'.repeat(1024 * 1024) };
    const taken = Array.from({ length: 20 }, () => publishBuffer.add(row));
    expect(taken.filter(Boolean)).toHaveLength(16);
    expect(publishBuffer.takeBatch(500)).toHaveLength(16);
    expect(publishBuffer.add(row)).toBe(true);
  });
});
