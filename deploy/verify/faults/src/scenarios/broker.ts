import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ColdVisits } from '../harness/cold-visits.js';
import { compareWithAnswers } from '../harness/compare-with-answers.js';
import { callApi, withEnvironment, type Environment } from '../harness/environment.js';
import { EventSource } from '../harness/event-source.js';
import { Load } from '../harness/load.js';
import { RepeatedScans } from '../harness/repeated-scans.js';
import type { Report } from '../harness/report.js';
import { settle } from '../harness/settle.js';
import { TcpProxy } from '../harness/tcp-proxy.js';

/** Loads the redirect while `disturb` runs; API writes continue at the same time. */
async function underLoad(
  environment: Environment,
  disturb: () => Promise<Record<string, unknown> | void>,
  perSecond = 300,
): Promise<Report> {
  const load = new Load(environment.system.shortUrl, environment.links, perSecond).start();
  const writes = startWrites(environment);
  await sleep(2000);
  const extra = await disturb();
  await sleep(2000);
  await load.stop();
  const written = await writes.stop();
  const report = await compareWithAnswers(environment, load, { ...written, ...extra });
  const answered = report['attempted'] === report['accepted'] && written.api_failed === 0;
  return { ...report, unanswered: load.attempted - load.accepted.length, passed: report.passed && answered };
}

/** Changes a link a few times a second: the API must answer regardless of the broker. */
function startWrites(environment: Environment) {
  let stopped = false;
  let [ok, failed] = [0, 0];
  const run = (async () => {
    while (!stopped) {
      const path = `/links/${environment.links[ok % environment.links.length]!.id}`;
      await callApi(environment.demo, 'PATCH', path, { title: `title ${ok}` }).then(
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
  return withEnvironment({}, (environment) =>
    underLoad(environment, async () => {
      await environment.stack.broker!.stop();
      await sleep(DOWN_MS);
      const peak = await environment.system.process('redirect').metric('waymark_spool_bytes');
      await environment.stack.broker!.start();
      return { down_ms: DOWN_MS, spool_peak_bytes: peak };
    }),
  );
}

/** The broker killed, and back after 5 s. */
export function brokerKill(): Promise<Report> {
  return withEnvironment({}, (environment) =>
    underLoad(environment, async () => {
      environment.stack.broker!.signal('SIGKILL');
      await sleep(5000);
      await environment.stack.broker!.start();
    }),
  );
}

const FROZEN_MS = 30_000;

/** The broker frozen: no request waits for it, and the publisher notices long before the heartbeat would. */
export function brokerFrozen(): Promise<Report> {
  return withEnvironment({}, (environment) =>
    underLoad(environment, async () => {
      const frozenAt = Date.now();
      environment.stack.broker!.signal('SIGSTOP');
      const detection = await untilDown(environment, frozenAt);
      await sleep(Math.max(0, FROZEN_MS - (Date.now() - frozenAt)));
      environment.stack.broker!.signal('SIGCONT');
      return { frozen_ms: FROZEN_MS, detection_ms: detection };
    }),
  );
}

async function untilDown(environment: Environment, since: number): Promise<number> {
  while ((await environment.system.process('redirect').metric('waymark_broker_up')) === 1) {
    if (Date.now() - since > FROZEN_MS) return -1;
    await sleep(50);
  }
  return Date.now() - since;
}

const ALARM_MS = 5 * 60_000;

/** The broker's memory alarm blocks publishers for five minutes: scans wait in the spool, events in the outbox. */
export function brokerAlarm(): Promise<Report> {
  return withEnvironment({}, async (environment) => {
    const alarm = async () => {
      await environment.stack.broker!.ctl('set_vm_memory_high_watermark', '0.00001');
      await sleep(ALARM_MS);
      await environment.stack.broker!.ctl('set_vm_memory_high_watermark', '0.6');
      return { alarm_ms: ALARM_MS };
    };
    const report = await underLoad(environment, alarm, 50);
    return { ...report, passed: report.passed && report['parked'] === 0 };
  });
}

const REPEATED_SCANS = 300;
const MIB = 1024 * 1024;
const BACKLOG_BYTES = 256 * MIB;
/** Stops a broker that raises no alarm from filling the disk. */
const BACKLOG_BYTES_MAX = 2 * BACKLOG_BYTES;
const REWRITE_MS = 15_000;
/** How long the broker waits at most before it looks at its free disk space again, until its interval is changed. */
const DISK_CHECK_MS = 10_000;

/** Limits the broker to this much of the free disk space. If negative, the alarm holds until so much more is free. */
async function limitDisk(broker: NonNullable<Environment['stack']['broker']>, bytes: number): Promise<void> {
  const free = Number(await broker.ctl('eval', 'rabbit_disk_monitor:get_disk_free().'));
  await broker.ctl('set_disk_free_limit', String(free - bytes));
}

/**
 * Analytics away for five minutes while its backlog fills the broker's disk: the alarm ends once analytics is back and
 * has consumed the backlog, although it can publish nothing until then.
 */
export function brokerAlarmByBacklog(): Promise<Report> {
  return withEnvironment({}, async (environment) => {
    const { state, stack, system } = environment;
    const source = new EventSource(environment);
    const disturb = async () => {
      const scans = await RepeatedScans.record(environment, source, REPEATED_SCANS);
      await system.process('analytics').stop();
      await stack.broker!.ctl('eval', 'rabbit_disk_monitor:set_max_check_interval(500).');
      await sleep(DISK_CHECK_MS);
      await limitDisk(stack.broker!, BACKLOG_BYTES);
      let backlogBytes = await scans.publishUntilRefused(BACKLOG_BYTES_MAX);
      // The broker moves the messages from its log to other files, which may end the alarm once.
      await sleep(REWRITE_MS);
      backlogBytes += await scans.publishUntilRefused(BACKLOG_BYTES_MAX);
      await sleep(ALARM_MS);
      // Other programs have used the disk, too.
      await limitDisk(stack.broker!, -BACKLOG_BYTES / 4);
      const backlog = await state.queueDepth('analytics.scans');
      await system.process('analytics').start();
      const startedAt = Date.now();
      let hasEnded = false;
      await settle(async () => (hasEnded = await scans.publish()), ALARM_MS, 1000);
      return {
        alarm_ms: ALARM_MS,
        backlog_messages: backlog,
        backlog_mb: Math.round(backlogBytes / MIB),
        alarm_ended: hasEnded,
        ended_after_s: Math.round((Date.now() - startedAt) / 1000),
      };
    };
    try {
      const report = await underLoad(environment, disturb, 50);
      return { ...report, passed: report.passed && report['alarm_ended'] === true && report['parked'] === 0 };
    } finally {
      await source.stop();
    }
  });
}

const NODE_DOWN_MS = 8000;
const NODE_BACK_MS = 8000;

/** Each node of a cluster of three killed in turn, then each stopped and started as an upgrade does. */
export function brokerNodeKill(): Promise<Report> {
  return withEnvironment({ brokerNodes: 3 }, async (environment) => {
    const nodes = environment.stack.brokers!;
    const cold = new ColdVisits(environment).start();
    const report = await underLoad(
      environment,
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
  return withEnvironment({}, (environment) =>
    underLoad(environment, async () => {
      const pattern = `^${environment.system.settings.namespace}\\.analytics\\.scans$`;
      await environment.stack.broker!.ctl('set_policy', '--apply-to', 'queues', 'full', pattern, '{"max-length":5}');
      await environment.system.process('analytics').stop();
      await sleep(8000);
      const depth = await environment.state.queueDepth('analytics.scans');
      await environment.system.process('analytics').start();
      await environment.stack.broker!.ctl('clear_policy', 'full');
      return { queue_depth_when_full: depth };
    }),
  );
}

/** The scan queue deleted: the spool keeps the unroutable scans, and the queue returns with its consumer. */
export function queueLost(): Promise<Report> {
  return withEnvironment({}, async (environment) => {
    const queue = `${environment.system.settings.namespace}.analytics.scans`;
    await environment.system.process('analytics').stop();
    await environment.stack.broker!.ctl('delete_queue', queue);
    return underLoad(environment, async () => {
      await sleep(3000);
      await environment.system.process('analytics').start();
    });
  });
}

/** Connections of the redirect and of analytics reset every 2 s, swallowed, and slowed to a byte at a time. */
export async function connectionStorm(): Promise<Report> {
  let proxy: TcpProxy | undefined;
  const report = await withEnvironment(
    {
      before: async (stack, settings) => {
        const { amqpUrl, started } = await proxied(stack.amqpUrl);
        proxy = started;
        settings.envOf = { redirect: { AMQP_URL: amqpUrl }, analytics: { AMQP_URL: amqpUrl } };
      },
    },
    (environment) =>
      underLoad(environment, async () => {
        const before = descriptors(environment);
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
          descriptors_after: descriptors(environment),
        };
      }),
  );
  await proxy?.stop();
  return report;
}

/** Only the redirect cut off from the broker: no other process is affected. */
export async function partition(): Promise<Report> {
  let proxy: TcpProxy | undefined;
  const report = await withEnvironment(
    {
      before: async (stack, settings) => {
        const { amqpUrl, started } = await proxied(stack.amqpUrl);
        proxy = started;
        settings.envOf = { redirect: { AMQP_URL: amqpUrl } };
      },
    },
    (environment) =>
      underLoad(environment, async () => {
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
function descriptors(environment: Environment): number {
  const count = (name: 'redirect' | 'analytics') =>
    readdirSync(`/proc/${environment.system.process(name).pid}/fd`).length;
  return count('redirect') + count('analytics');
}
