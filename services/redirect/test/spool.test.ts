import { spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { RawScan } from '@waymark/contract/events';
import { Broker } from '@waymark/kernel/broker/connection';
import { openPublisher, type Publisher } from '@waymark/kernel/broker/publisher';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { Metrics } from '@waymark/kernel/process/metrics';
import { freshBacking } from '@waymark/testing/backing';
import { waitFor, waitForCount } from '@waymark/testing/wait-for';
import { Shipper } from '../src/spool/shipper.js';
import { Spool, type SpoolOptions } from '../src/spool/spool.js';
import { log, Neighbours, NO_BROKER, temporaryDirectory } from './support.js';

let directory: ReturnType<typeof temporaryDirectory>;
const closing: (() => void)[] = [];

const backing = freshBacking();
let neighbours: Neighbours;

beforeAll(async () => {
  neighbours = await new Neighbours(backing).start();
});
afterAll(() => neighbours.stop());
beforeEach(() => {
  directory = temporaryDirectory();
  neighbours.batches.length = 0;
});
afterEach(() => {
  for (const close of closing.splice(0)) close();
  directory.remove();
});

function openSpool(options: Partial<SpoolOptions> = {}) {
  const metrics = new Metrics('test');
  const spool = new Spool(
    { directory: directory.path, segmentBytes: 8 * 2 ** 20, maxBytes: 2 ** 30, ...options },
    log,
    metrics,
  );
  closing.push(() => spool.close());
  return { spool, metrics, metric: (name: string) => valueOf(metrics, name) };
}

async function valueOf(metrics: Metrics, name: string): Promise<number> {
  const metric = await metrics.registry.getSingleMetric(`waymark_${name}`)!.get();
  return metric.values[0]?.value ?? 0;
}

const scan = (number: number): string => JSON.stringify(scanOf(number));

function scanOf(number: number): RawScan {
  return {
    id: `scn_${number}`,
    at: new Date(1_700_000_000_000 + number).toISOString(),
    ...{ workspace: 'acme', link_id: 'lnk_1', short_code: 'a', hostname: null, title: 'ü "\n', campaign: null },
    ...{ trigger: 'link', address: '203.0.113.9', user_agent: 'x'.repeat(100), referrer: '', prefetch: false },
  };
}

/** Ships until nothing is left; `neighbours` has the scans that arrived. */
async function ship(opened: ReturnType<typeof openSpool>): Promise<string[]> {
  const shipper = new Shipper(opened.spool, neighbours.publisher, { log, metrics: opened.metrics });
  shipper.start();
  await waitFor('the spool to be empty', () => opened.spool.unconfirmedBytes === 0);
  await shipper.stop();
  const shipped = await opened.metric('scans_shipped_total');
  await waitFor('the scans to arrive', () => neighbours.scans.length >= shipped);
  return neighbours.scans.map(({ id }) => id);
}

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
const ids = (from: number, to: number) => numbers(from, to).map((number) => `scn_${number}`);
const segments = () => readdirSync(directory.path).filter((name) => name.endsWith('.scans'));
const segmentPath = (index: number) => join(directory.path, segments()[index]!);

describe('a spool', () => {
  test('ships what was appended, in order and unchanged, and removes it', async () => {
    const opened = openSpool();
    opened.spool.append([scan(1), scan(2)]);
    opened.spool.append([scan(3)]);
    await ship(opened);
    expect(neighbours.scans).toEqual([scanOf(1), scanOf(2), scanOf(3)]);
    expect(segments()).toEqual([]);
    expect(await opened.metric('scans_shipped_total')).toBe(3);
    expect(await opened.metric('spool_bytes')).toBe(0);
  });

  test('keeps no address of a confirmed scan, however few scans come', async () => {
    const opened = openSpool();
    const shipper = new Shipper(opened.spool, neighbours.publisher, { log, metrics: opened.metrics });
    shipper.start();
    opened.spool.append([scan(1)]);
    await waitFor('the broker to have it', () => opened.spool.unconfirmedBytes === 0);
    await waitFor('the segment to be gone', () => segments().length === 0);
    expect(await opened.metric('spool_disk_bytes')).toBe(0);
    opened.spool.append([scan(2)]);
    await waitFor('the next scan to arrive', () => neighbours.scans.length === 2);
    await shipper.stop();
  });

  test('lets go of what is confirmed while scans go on coming', async () => {
    const opened = openSpool();
    const shipper = new Shipper(opened.spool, neighbours.publisher, { log, metrics: opened.metrics });
    shipper.start();
    let appended = 0;
    const visitors = setInterval(() => opened.spool.append([scan(appended++)]), 20);
    try {
      await waitFor('a first segment', () => segments().length > 0);
      const first = segmentPath(0);
      await waitFor('the first segment to be gone', () => !existsSync(first));
    } finally {
      clearInterval(visitors);
    }
    await shipper.stop();
    await waitFor('all scans to arrive', () => neighbours.scans.length >= appended);
    expect(neighbours.scans.map(({ id }) => id)).toEqual(ids(0, appended));
  });

  test('ships in batches of at most 500 scans and 256 KiB, across segments', async () => {
    const opened = openSpool({ segmentBytes: 300_000 });
    for (const number of numbers(0, 3000)) opened.spool.append([scan(number)]);
    expect(segments().length).toBeGreaterThan(2);
    expect(await ship(opened)).toEqual(ids(0, 3000));
    expect(Math.max(...neighbours.batches.map(({ scans }) => scans.length))).toBe(500);
    expect(Math.max(...neighbours.batches.map(({ bytes }) => bytes))).toBeLessThanOrEqual(256 * 1024);
  });

  test('splits scans with long user agents by size', async () => {
    const opened = openSpool();
    const long = (number: number) => JSON.stringify({ ...scanOf(number), user_agent: 'x'.repeat(2000) });
    opened.spool.append(numbers(0, 400).map(long));
    expect(await ship(opened)).toHaveLength(400);
    expect(Math.max(...neighbours.batches.map(({ bytes }) => bytes))).toBeLessThanOrEqual(256 * 1024);
  });

  test('keeps few batches in memory while the broker does not confirm the first', async () => {
    const opened = openSpool();
    for (const number of numbers(0, 20_000)) opened.spool.append([scan(number)]);
    let confirmFirst = () => {};
    let published = 0;
    const publisher = {
      isUp: true,
      publish: async (...message: Parameters<Publisher['publish']>) => {
        published += 1;
        if (published === 1) await new Promise<void>((resolve) => (confirmFirst = resolve));
        await neighbours.publisher.publish(...message);
      },
    };
    const shipper = new Shipper(opened.spool, publisher, { log, metrics: opened.metrics });
    shipper.start();
    await waitFor('as many as may be sent', () => published === 16);
    await waitFor('those to arrive', () => neighbours.batches.length === 15);
    expect([published, await opened.metric('scans_shipped_total')]).toEqual([16, 0]);
    confirmFirst();
    await waitFor('the spool to be empty', () => opened.spool.unconfirmedBytes === 0);
    await shipper.stop();
    await waitForCount('all scans', 20_000, () => new Set(neighbours.scans.map(({ id }) => id)).size);
  });

  test('reads the other segments when one is unreadable', async () => {
    const opened = openSpool({ segmentBytes: 1024 });
    for (const number of numbers(0, 9)) opened.spool.append([scan(number)]);
    unlinkSync(segmentPath(0));
    const shipper = new Shipper(opened.spool, neighbours.publisher, { log, metrics: opened.metrics });
    shipper.start();
    await waitFor('the others', () => neighbours.scans.length === 6);
    await shipper.stop();
    expect(opened.spool.unconfirmedBytes).toBeGreaterThan(0);
  });

  test('tells its bound, and that no call of fsync has failed', async () => {
    const opened = openSpool({ maxBytes: 12_345 });
    expect([await opened.metric('spool_max_bytes'), await opened.metric('spool_sync_failures_total')]).toEqual([
      12_345, 0,
    ]);
  });

  test('goes on from the first unconfirmed scan when the connection breaks', async () => {
    // A connection of its own: confirmed scans must not vanish with the receiver's queue.
    const lifecycle = new Lifecycle(log);
    const broker = new Broker(
      { url: backing.AMQP_URL, namespace: backing.AMQP_NAMESPACE, name: 'test' },
      { log, lifecycle },
    );
    const publisher = openPublisher(broker);
    broker.start();
    await waitFor('the broker', () => publisher.isUp);
    const opened = openSpool();
    const shipper = new Shipper(opened.spool, publisher, { log, metrics: opened.metrics });
    opened.spool.append(numbers(0, 20_000).map(scan));
    shipper.start();
    await waitFor('some scans to arrive', () => neighbours.batches.length > 2);
    broker.drop('test');
    await waitFor('the spool to be empty', () => opened.spool.unconfirmedBytes === 0);
    await shipper.stop();
    await waitForCount('all scans', 20_000, () => new Set(neighbours.scans.map(({ id }) => id)).size);
    await lifecycle.stop();
  });

  test('waits while no queue takes its scans', async () => {
    const backing = freshBacking();
    const lifecycle = new Lifecycle(log);
    const broker = new Broker(
      { url: backing.AMQP_URL, namespace: backing.AMQP_NAMESPACE, name: 'test' },
      { log, lifecycle },
    );
    const publisher = openPublisher(broker);
    broker.start();
    const opened = openSpool();
    const shipper = new Shipper(opened.spool, publisher, { log, metrics: opened.metrics });
    shipper.start();
    await waitFor('the broker', () => publisher.isUp);
    opened.spool.append([scan(1)]);
    const late = await new Neighbours(backing).start();
    await waitFor('the scan', () => late.scans.length === 1);
    await shipper.stop();
    await late.stop();
    await lifecycle.stop();
  });

  test('keeps everything while the broker is away, and tells how much and how old', async () => {
    const opened = openSpool();
    const lifecycle = new Lifecycle(log);
    const unreachable = new Broker({ url: NO_BROKER, namespace: 'none', name: 'test' }, { log, lifecycle });
    const shipper = new Shipper(opened.spool, openPublisher(unreachable), { log, metrics: opened.metrics });
    unreachable.start();
    shipper.start();
    opened.spool.append([scan(1)]);
    await shipper.stop();
    expect(await opened.metric('spool_bytes')).toBe(statSync(segmentPath(0)).size);
    expect(await opened.metric('spool_oldest_seconds')).toBeGreaterThan(1000);
    await lifecycle.stop();
  });
});

describe('a predecessor’s spool', () => {
  /** Leaves the spool as a killed process does: nothing is closed, nothing shipped. */
  function leaveBehind(count: number): void {
    const script = `
      const { Spool } = require(${JSON.stringify(join(__dirname, '../dist/spool/spool.js'))});
      const { Metrics } = require('@waymark/kernel/process/metrics');
      const { createLog } = require('@waymark/kernel/process/log');
      const options = { directory: ${JSON.stringify(directory.path)}, segmentBytes: 1 << 20, maxBytes: 1 << 30 };
      const spool = new Spool(options, createLog('test', 'silent'), new Metrics('test'));
      const scan = ${JSON.stringify(scanOf(0))};
      for (let i = 0; i < ${count}; i += 1) spool.append([JSON.stringify({ ...scan, id: 'scn_' + i })]);
      process.kill(process.pid, 'SIGKILL');`;
    const { signal, stderr } = spawnSync(process.execPath, ['-e', script], { cwd: __dirname });
    expect([signal, stderr.toString()]).toEqual(['SIGKILL', '']);
  }

  test('is shipped in full after kill -9', async () => {
    leaveBehind(10_000);
    expect(await ship(openSpool())).toEqual(ids(0, 10_000));
    expect(segments()).toEqual([]);
  });

  test('with a torn tail loses the torn scan alone', async () => {
    leaveBehind(100);
    truncateSync(segmentPath(0), statSync(segmentPath(0)).size - 3);
    const opened = openSpool();
    opened.spool.append([scan(1000)]);
    expect(await ship(opened)).toEqual([...ids(0, 99), 'scn_1000']);
    expect(await opened.metric('spool_corrupt_records_total')).toBe(1);
  });

  test('with a flipped bit loses the changed scan alone', async () => {
    leaveBehind(100);
    const bytes = readFileSync(segmentPath(0));
    bytes[bytes.indexOf('"scn_50"') + 3]! ^= 1;
    writeFileSync(segmentPath(0), bytes);
    const opened = openSpool();
    expect(await ship(opened)).toEqual([...ids(0, 50), ...ids(51, 100)]);
    expect(await opened.metric('spool_corrupt_records_total')).toBe(1);
  });

  test('with a stretch of rubbish loses no scan', async () => {
    leaveBehind(1);
    appendFileSync(segmentPath(0), Buffer.alloc(600 * 1024, 'x'));
    const opened = openSpool();
    opened.spool.append([scan(1)]);
    expect(await ship(opened)).toEqual(['scn_0', 'scn_1']);
  });

  test('is refused to a second process while the first lives, and free at once when it is killed', async () => {
    const script = `
      const { lockDirectory } = require(${JSON.stringify(join(__dirname, '../dist/spool/lock.js'))});
      lockDirectory(${JSON.stringify(directory.path)});
      console.log('locked');
      setInterval(() => undefined, 1000);`;
    const holder = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    await new Promise((resolve) => holder.stdout.once('data', resolve));
    expect(() => openSpool()).toThrow(/another process uses the spool/);
    const gone = new Promise((resolve) => holder.once('exit', resolve));
    holder.kill('SIGKILL');
    await gone;
    openSpool().spool.append([scan(1)]);
  });
});

describe('a disk that takes no more', () => {
  test('costs scans that are counted, and takes scans again once there is room', async () => {
    const opened = openSpool({ maxBytes: 2000 });
    for (const number of numbers(0, 10)) opened.spool.append([scan(number)]);
    const lost = await opened.metric('scans_unrecorded_total');
    expect(lost).toBeGreaterThan(0);
    expect(await ship(opened)).toHaveLength(10 - lost);
    opened.spool.append([scan(11)]);
    expect(await opened.metric('scans_unrecorded_total')).toBe(lost);
    expect(opened.spool.unconfirmedBytes).toBeGreaterThan(0);
  });

  test('in the middle of a record does not spoil the next one', async () => {
    // A file-size limit cuts a write off like a full disk: the part that fits is written.
    const script = `
      const { Spool } = require(${JSON.stringify(join(__dirname, '../dist/spool/spool.js'))});
      const { Metrics } = require('@waymark/kernel/process/metrics');
      const { createLog } = require('@waymark/kernel/process/log');
      const { execFileSync } = require('node:child_process');
      process.on('SIGXFSZ', () => undefined);
      const limit = (bytes) => execFileSync('prlimit', ['--pid', process.pid, '--fsize=' + bytes + ':']);
      const options = { directory: ${JSON.stringify(directory.path)}, segmentBytes: 1 << 20, maxBytes: 1 << 30 };
      const metrics = new Metrics('test');
      const spool = new Spool(options, createLog('test', 'silent'), metrics);
      const scan = ${JSON.stringify(scanOf(0))};
      const append = (...ids) => spool.append(ids.map((id) => JSON.stringify({ ...scan, id: 'scn_' + id })));
      append(1);
      limit(1000);
      append(2, 3, 4, 5);
      append(6);
      limit('unlimited');
      setTimeout(() => {
        append(7);
        metrics.registry.getSingleMetricAsString('waymark_scans_unrecorded_total').then((text) => {
          process.stdout.write(text.split('\\n')[2].split(' ')[1], () => process.exit());
        });
      }, 200);`;
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], { cwd: __dirname });
    expect(stderr.toString()).toBe('');
    expect(await ship(openSpool())).toEqual(['scn_1', 'scn_2', 'scn_7']);
    expect(Number(stdout)).toBe(4);
  });
});
