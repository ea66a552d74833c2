import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ColdVisits } from '../harness/cold-visits.js';
import { Load } from '../harness/load.js';
import { TcpProxy } from '../harness/tcp-proxy.js';
import { judge, type Report } from '../harness/verdict.js';
import { api, withWorld, type World } from '../harness/world.js';

/** Loads the redirect while `disturb` runs; API writes continue at the same time. */
async function underLoad(
  world: World,
  disturb: () => Promise<Record<string, unknown> | void>,
  perSecond = 300,
): Promise<Report> {
  const load = new Load(world.system.shortUrl, world.links, perSecond).start();
  const writes = startWrites(world);
  await sleep(2000);
  const extra = await disturb();
  await sleep(2000);
  await load.stop();
  const written = await writes.stop();
  const report = await judge(world, load, { ...written, ...extra });
  const answered = report['attempted'] === report['accepted'] && written.api_failed === 0;
  return { ...report, unanswered: load.attempted - load.accepted.length, passed: report.passed && answered };
}

/** Changes a link a few times a second: the API must answer regardless of the broker. */
function startWrites(world: World) {
  let stopped = false;
  let [ok, failed] = [0, 0];
  const run = (async () => {
    while (!stopped) {
      const path = `/links/${world.links[ok % world.links.length]!.id}`;
      await api(world.demo, 'PATCH', path, { title: `title ${ok}` }).then(
        () => (ok += 1),
        () => (failed += 1),
      );
      await sleep(200);
    }
  })();
  return {
    stop: async () => {
      stopped = true;
      await run;
      return { api_writes: ok, api_failed: failed };
    },
  };
}

const DOWN_MS = 20_000;

/** The broker stopped for 20 s: every redirect is answered, nothing is lost. */
export function brokerDown(): Promise<Report> {
  return withWorld({}, (world) =>
    underLoad(world, async () => {
      await world.stack.broker!.stop();
      await sleep(DOWN_MS);
      const peak = await world.system.process('redirect').metric('waymark_spool_bytes');
      await world.stack.broker!.start();
      return { down_ms: DOWN_MS, spool_peak_bytes: peak };
    }),
  );
}

/** The broker killed, and back after 5 s. */
export function brokerKill(): Promise<Report> {
  return withWorld({}, (world) =>
    underLoad(world, async () => {
      world.stack.broker!.signal('SIGKILL');
      await sleep(5000);
      await world.stack.broker!.start();
    }),
  );
}

const FROZEN_MS = 30_000;

/** The broker frozen: no request waits for it, and the publisher notices long before the heartbeat would. */
export function brokerFrozen(): Promise<Report> {
  return withWorld({}, (world) =>
    underLoad(world, async () => {
      const frozenAt = Date.now();
      world.stack.broker!.signal('SIGSTOP');
      const detection = await untilDown(world, frozenAt);
      await sleep(Math.max(0, FROZEN_MS - (Date.now() - frozenAt)));
      world.stack.broker!.signal('SIGCONT');
      return { frozen_ms: FROZEN_MS, detection_ms: detection };
    }),
  );
}

async function untilDown(world: World, since: number): Promise<number> {
  while ((await world.system.process('redirect').metric('waymark_broker_up')) === 1) {
    if (Date.now() - since > FROZEN_MS) return -1;
    await sleep(50);
  }
  return Date.now() - since;
}

const ALARM_MS = 5 * 60_000;

/** The broker's memory alarm blocks publishers for five minutes: scans wait in the spool, events in the outbox. */
export function brokerAlarm(): Promise<Report> {
  return withWorld({}, async (world) => {
    const alarm = async () => {
      await world.stack.broker!.ctl('set_vm_memory_high_watermark', '0.00001');
      await sleep(ALARM_MS);
      await world.stack.broker!.ctl('set_vm_memory_high_watermark', '0.6');
      return { alarm_ms: ALARM_MS };
    };
    const report = await underLoad(world, alarm, 50);
    return { ...report, passed: report.passed && report['parked'] === 0 };
  });
}

const DISK_ALARM = '{resource_limit, disk, node()}';
const BACKLOG_MS = 20_000;

/**
 * A backlog of scans raises the disk alarm: analytics consumes the backlog although it can publish nothing, which ends
 * such an alarm.
 */
export function brokerAlarmByBacklog(): Promise<Report> {
  return withWorld({}, async (world) => {
    const analytics = world.system.process('analytics');
    return underLoad(
      world,
      async () => {
        await analytics.stop();
        await sleep(BACKLOG_MS);
        const backlog = await world.oracle.depth('analytics.scans');
        await world.stack.broker!.ctl('eval', `rabbit_alarm:set_alarm({${DISK_ALARM}, []}).`);
        await analytics.start();
        const startedAt = Date.now();
        while ((await world.oracle.depth('analytics.scans')) > 0 && Date.now() - startedAt < ALARM_MS)
          await sleep(1000);
        const left = await world.oracle.depth('analytics.scans');
        await sleep(Math.max(0, ALARM_MS - (Date.now() - startedAt)));
        await world.stack.broker!.ctl('eval', `rabbit_alarm:clear_alarm(${DISK_ALARM}).`);
        return { backlog, left_during_alarm: left, alarm_ms: ALARM_MS };
      },
      50,
    ).then((report) => ({
      ...report,
      passed: report.passed && report['left_during_alarm'] === 0 && report['parked'] === 0,
    }));
  });
}

const NODE_DOWN_MS = 8000;
const NODE_BACK_MS = 8000;

/** Each node of a cluster of three killed in turn, then each stopped and started as an upgrade does. */
export function brokerNodeKill(): Promise<Report> {
  return withWorld({ brokerNodes: 3 }, async (world) => {
    const nodes = world.stack.brokers!;
    const cold = new ColdVisits(world).start();
    const report = await underLoad(
      world,
      async () => {
        for (const node of nodes) {
          node.signal('SIGKILL');
          await sleep(NODE_DOWN_MS);
          await node.start();
          await sleep(NODE_BACK_MS);
        }
        for (const node of nodes) {
          await node.restart();
          await sleep(NODE_BACK_MS);
        }
        return cold.stop();
      },
      100,
    );
    return { ...report, passed: report.passed && report['cold_unanswered'] === 0 && report['parked'] === 0 };
  });
}

/** The scan queue full and without a consumer: the broker refuses scans, the spool keeps them. */
export function queueFull(): Promise<Report> {
  return withWorld({}, (world) =>
    underLoad(world, async () => {
      const pattern = `^${world.system.settings.namespace}\\.analytics\\.scans$`;
      await world.stack.broker!.ctl('set_policy', '--apply-to', 'queues', 'full', pattern, '{"max-length":5}');
      await world.system.process('analytics').stop();
      await sleep(8000);
      const depth = await world.oracle.depth('analytics.scans');
      await world.system.process('analytics').start();
      await world.stack.broker!.ctl('clear_policy', 'full');
      return { queue_depth_when_full: depth };
    }),
  );
}

/** The scan queue deleted: the spool keeps the unroutable scans, and the queue returns with its consumer. */
export function queueLost(): Promise<Report> {
  return withWorld({}, async (world) => {
    const queue = `${world.system.settings.namespace}.analytics.scans`;
    await world.system.process('analytics').stop();
    await world.stack.broker!.ctl('delete_queue', queue);
    return underLoad(world, async () => {
      await sleep(3000);
      await world.system.process('analytics').start();
    });
  });
}

/** Connections of the redirect and of analytics reset every 2 s, swallowed, and slowed to a byte at a time. */
export async function connectionStorm(): Promise<Report> {
  let proxy: TcpProxy | undefined;
  const report = await withWorld(
    {
      before: async (stack, settings) => {
        const { amqpUrl, started } = await proxied(stack.amqpUrl);
        proxy = started;
        settings.envOf = { redirect: { AMQP_URL: amqpUrl }, analytics: { AMQP_URL: amqpUrl } };
      },
    },
    (world) =>
      underLoad(world, async () => {
        const before = descriptors(world);
        let resets = 0;
        for (let round = 0; round < 6; round += 1) {
          resets += proxy!.resetAll();
          await sleep(2000);
        }
        proxy!.set('blackhole');
        await sleep(8000);
        proxy!.set('drip');
        await sleep(4000);
        proxy!.set('pass');
        proxy!.resetAll();
        await sleep(8000);
        return {
          resets,
          connections_after: proxy!.connections,
          descriptors_before: before,
          descriptors_after: descriptors(world),
        };
      }),
  );
  await proxy?.stop();
  return report;
}

/** Only the redirect cut off from the broker: no other process is affected. */
export async function partition(): Promise<Report> {
  let proxy: TcpProxy | undefined;
  const report = await withWorld(
    {
      before: async (stack, settings) => {
        const { amqpUrl, started } = await proxied(stack.amqpUrl);
        proxy = started;
        settings.envOf = { redirect: { AMQP_URL: amqpUrl } };
      },
    },
    (world) =>
      underLoad(world, async () => {
        proxy!.set('blackhole');
        await sleep(15_000);
        proxy!.set('pass');
        proxy!.resetAll();
      }),
  );
  await proxy?.stop();
  return report;
}

async function proxied(amqpUrl: string): Promise<{ amqpUrl: string; started: TcpProxy }> {
  const url = new URL(amqpUrl);
  const started = await TcpProxy.start({ host: url.hostname, port: Number(url.port) });
  url.host = `127.0.0.1:${started.port}`;
  return { amqpUrl: url.href, started };
}

/** Open file descriptors of the processes behind the proxy. */
function descriptors(world: World): number {
  const count = (name: 'redirect' | 'analytics') => readdirSync(`/proc/${world.system.process(name).pid}/fd`).length;
  return count('redirect') + count('analytics');
}
