import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { backing, entryOf } from '@waymark/local/system/process-table';
import { EventSource } from '../harness/event-source.js';
import { CROWD, ledgerOf, mixed, shuffled, type ScanMessage } from '../harness/ledger.js';
import { LoggedScans } from '../harness/logged-scans.js';
import type { Report } from '../harness/verdict.js';
import { WebhookReceiver } from '../harness/webhook-receiver.js';
import { api, withWorld, type World } from '../harness/world.js';

const SETTLE_TIMEOUT_MS = 300_000;

interface Counting {
  world: World;
  source: EventSource;
  logged: LoggedScans;
  receiver: WebhookReceiver;
}

const KILLED_SCANS = 200_000;
const KILLED_OF_DEMO = 20;
const KILLS = 20;
const MESSAGES_PER_SECOND = 4;
const BROKER_RESTART = 7;
const DATABASE_RESTART = 13;

/**
 * 200,000 scans while two analytics processes are killed twenty times in turn, and the broker and the database are
 * restarted once each: every scan is one row, one count and one event.
 */
export function analyticsKill(): Promise<Report> {
  return withCounting(async (counting) => {
    const { world, source } = counting;
    const ledger = ledgerOf(world, KILLED_SCANS, KILLED_OF_DEMO);
    const workers = [world.system.process('analytics'), await world.system.startReplica('analytics')];
    const publishing = publish(source, ledger, MESSAGES_PER_SECOND);
    for (let kill = 1; kill <= KILLS; kill += 1) {
      await sleep(1500 + Math.random() * 2500);
      const worker = workers[kill % workers.length]!;
      await worker.kill();
      if (kill === BROKER_RESTART) await world.stack.broker!.restart();
      if (kill === DATABASE_RESTART) await world.stack.database!.restart();
      await worker.start();
    }
    await publishing;
    return { kills: KILLS, ...(await verdict(counting, ledger)) };
  });
}

const REPLAYED_SCANS = 20_000;
const REPLAYED_OF_DEMO = 4;

/** A whole day sent again, twice, out of order, and once more in other messages: nothing changes. */
export function scanReplay(): Promise<Report> {
  return withCounting(async (counting) => {
    const { world, source } = counting;
    await world.system.startReplica('analytics');
    const ledger = ledgerOf(world, REPLAYED_SCANS, REPLAYED_OF_DEMO);
    await publish(source, shuffled(ledger));
    const first = await verdict(counting, ledger);
    const cells = JSON.stringify(await world.oracle.cells());
    for (const again of [shuffled([...ledger, ...ledger]), mixed(ledger)]) await publish(source, again);
    const second = await verdict(counting, ledger);
    const unchanged = cells === JSON.stringify(await world.oracle.cells());
    return { ...second, cells_unchanged: unchanged, passed: first.passed && second.passed && unchanged };
  });
}

function withCounting(work: (counting: Counting) => Promise<Report>): Promise<Report> {
  return withWorld({}, async (world) => {
    const receiver = await WebhookReceiver.start();
    const source = new EventSource(world);
    const logged = await LoggedScans.listen(world);
    try {
      await api(world.demo, 'POST', '/webhooks', { url: receiver.at('/scans'), event_types: ['scan.logged'] });
      return await work({ world, source, logged, receiver });
    } finally {
      await logged.stop();
      await source.stop();
      receiver.stop();
    }
  });
}

async function publish(source: EventSource, messages: readonly ScanMessage[], perSecond = Infinity): Promise<void> {
  const startedAt = performance.now();
  const open: Promise<void>[] = [];
  for (const message of messages) {
    while (open.length > ((performance.now() - startedAt) / 1000) * perSecond) await sleep(10);
    open.push(source.send(message));
  }
  await Promise.all(open);
}

/** Compares what was sent with rows, counts, links, events and webhooks, once everything has come to rest. */
async function verdict({ world, logged, receiver }: Counting, ledger: readonly ScanMessage[]): Promise<Report> {
  const { oracle, demo, say } = world;
  const scans = ledger.flatMap(({ data }) => data.scans);
  const sent = new Set(scans.map(({ id }) => id));
  const ofDemo = scans.filter(({ workspace }) => workspace === demo.workspace).length;
  const startedAt = Date.now();
  await until(async () => {
    const rest = [await oracle.depth('analytics.scans'), await oracle.uncounted(), await oracle.pendingScans()];
    const [stored, links] = [await oracle.scansStored(), await oracle.linkScans()];
    const [events, webhooks] = [logged.events.size, receiver.eventsAt('/scans').size];
    say(JSON.stringify({ stored, events, links, webhooks, rest }));
    return rest.every((count) => count === 0) && stored >= sent.size && events >= sent.size && webhooks >= ofDemo;
  });
  const drained = Math.round((Date.now() - startedAt) / 100) / 10;
  const stored = await oracle.scanIds();
  const report = {
    sent: sent.size,
    stored: stored.length,
    lost: sent.size - stored.filter((id) => sent.has(id)).length,
    rollups: await oracle.rollupTotal(),
    rollup_differences: await differences(world),
    warehouse_differences: await warehouseDifferences(world),
    sent_of_demo: ofDemo,
    links: await oracle.linkScans(),
    webhook_events: receiver.eventsAt('/scans').size,
    logged: logged.events.size,
    logged_twice: logged.doubled,
    parked: await oracle.depth('analytics.scans.parked'),
    time_to_drain_s: drained,
  };
  const isExact = report.stored === sent.size && report.rollups === sent.size && report.logged === sent.size;
  const isFollowed = report.links === ofDemo && report.webhook_events === ofDemo;
  const isClean =
    report.lost + report.rollup_differences + report.warehouse_differences + report.logged_twice + report.parked === 0;
  return { ...report, passed: isExact && isFollowed && isClean };
}

/** What the operator's command finds: rollups that are not what the rows add up to. */
async function differences(world: World): Promise<number> {
  const reports = await runAdmin<{ differences: number }>(world, ['check']);
  return reports.reduce((sum, report) => sum + report.differences, 0);
}

/** Scans that are stored and not in the warehouse, or there and not stored. */
async function warehouseDifferences(world: World): Promise<number> {
  const reports = await runAdmin<{ scans: { missing: number; surplus: number } }>(world, ['warehouse', 'check']);
  return reports.reduce((sum, { scans }) => sum + scans.missing + scans.surplus, 0);
}

/** What an operator's command prints of each workspace. */
async function runAdmin<Printed>({ system, demo }: World, command: string[]): Promise<Printed[]> {
  const env = { ...process.env, ...backing(system.settings, 'analytics') };
  const printed: Printed[] = [];
  for (const workspace of [demo.workspace, CROWD]) {
    const args = [entryOf('analytics', 'admin/main.js'), ...command, '--workspace', workspace];
    // It ends with 1 where something differs, and prints its report all the same.
    const { stdout } = await promisify(execFile)(process.execPath, args, { env }).catch(
      (error: { stdout: string }) => error,
    );
    printed.push(JSON.parse(stdout) as Printed);
  }
  return printed;
}

/** Returns after the timeout in any case: what is missing then is in the report. */
async function until(check: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + SETTLE_TIMEOUT_MS;
  while (Date.now() < deadline) {
    if (await check().catch(() => false)) return;
    await sleep(2000);
  }
}
