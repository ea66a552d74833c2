import type { AddressInfo } from 'node:net';
import { Schema } from 'mongoose';
import { runPeriodically } from '@waymark/kernel/async/run-periodically';
import { Database } from '@waymark/kernel/mongo/database';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { Metrics } from '@waymark/kernel/process/metrics';
import { startOpsServer } from '@waymark/kernel/process/ops-server';
import { freshBacking } from '@waymark/testing/backing';
import { waitFor } from '@waymark/testing/wait-for';
import { WireRecorder } from './wire-recorder.js';

const STUCK_AFTER_SECONDS = 0.5;
const log = createLog('test', 'silent');
let lifecycle: Lifecycle;
let metrics: Metrics;
let recorder: WireRecorder;
let db: Database;
let url: string;

beforeEach(async () => {
  lifecycle = new Lifecycle(log);
  metrics = new Metrics('test');
  recorder = await WireRecorder.start(freshBacking().MONGODB_URI);
  db = new Database(recorder.uri(), { log, lifecycle });
  db.reportTo(metrics);
  const options = {
    host: '127.0.0.1',
    port: 0,
    metrics,
    lifecycle,
    checks: {},
    stuckAfterSeconds: STUCK_AFTER_SECONDS,
  };
  const server = await startOpsServer(options);
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  await lifecycle.stop();
  recorder.stop();
});

async function shown(metric: string): Promise<string | undefined> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return new RegExp(`^waymark_${metric}.* (\\S+)$`, 'm').exec(text)?.[1];
}
const health = async () => {
  const response = await fetch(`${url}/healthz`);
  return [response.status, await response.json()];
};

test('a gauge shows nothing while the database is frozen, and the metrics are answered', async () => {
  const notes = db.model('Note', new Schema<{ _id: string }>({ _id: String }), 'notes');
  metrics.gauge('notes', 'Notes', () => notes.countDocuments());
  metrics.showDamagedRows('notes', () => notes.countDocuments());
  metrics.gauge('endless', 'A reading that never ends', () => new Promise<number>(() => undefined));
  expect(await shown('database_up')).toBe('0');
  await db.start();
  expect(await Promise.all(['database_up', 'notes', 'damaged_rows', 'endless'].map(shown))).toEqual([
    '1',
    '0',
    '0',
    undefined,
  ]);
  recorder.fallSilent();
  expect(await Promise.all(['database_up', 'notes', 'damaged_rows', 'endless'].map(shown))).toEqual([
    '0',
    undefined,
    undefined,
    undefined,
  ]);
});

describe('the process is unhealthy while', () => {
  let end!: () => void;
  const hang = () => new Promise<void>((resolve) => (end = resolve));

  test.each<[string, () => void]>([
    ['transaction', () => void db.transaction(hang).catch(() => undefined)],
    [
      'a round',
      () => {
        const runOnce = () => hang().then(() => false);
        runPeriodically({ log, lifecycle }, { name: 'a round', intervalMs: 60_000, runOnce });
      },
    ],
  ])('this work is stuck: %s', async (work, start) => {
    await db.start();
    expect(await health()).toEqual([200, { status: 'ok' }]);
    start();
    await waitFor('the failure', async () => (await health())[0] === 503);
    expect(await health()).toEqual([503, { status: 'stuck', work: [work] }]);
    expect(Number(await shown(`work_running_seconds{work="${work}"`))).toBeGreaterThan(STUCK_AFTER_SECONDS);
    end();
    await waitFor('the recovery', async () => (await health())[0] === 200);
    expect(await shown(`work_running_seconds{work="${work}"`)).toBe('0');
  });
});

test('work that the database answers is not stuck', async () => {
  await db.start();
  const secondsOf = (work: string) => lifecycle.work.longestSeconds.get(work);
  await lifecycle.work.run('work', async () => {
    await waitFor('some time', () => secondsOf('work')! > STUCK_AFTER_SECONDS);
    await waitFor('progress', async () => {
      await db.ping();
      return secondsOf('work')! < STUCK_AFTER_SECONDS;
    });
  });
});
