import { setTimeout as sleep } from 'node:timers/promises';
import { areAnswered, linkCall, startRequests } from '../harness/api-requests.js';
import { publish, verdict, withCounting } from '../harness/counting.js';
import { ledgerOf } from '../harness/ledger.js';
import { Load } from '../harness/load.js';
import { TcpProxy } from '../harness/tcp-proxy.js';
import { judge, type Report } from '../harness/verdict.js';
import { withWorld, type World } from '../harness/world.js';

const VISITS_PER_SECOND = 200;
const BEFORE_MS = 3000;
const AFTER_MS = 10_000;
const QUESTION_EVERY_MS = 250;
const QUESTIONS = ['/analytics/summary', '/analytics/breakdown?dimension=country', '/analytics/scans'];

const questionCall = (index: number) => ({ method: 'GET' as const, path: QUESTIONS[index % QUESTIONS.length]! });

/**
 * The damage under visits and requests: links and visits go on as if nothing happened, questions about scans are
 * answered or refused with 429 or 503, and afterwards every scan is in the warehouse once.
 */
async function underLoad(world: World, disturb: () => Promise<void>): Promise<Report> {
  const load = new Load(world.system.shortUrl, world.links, VISITS_PER_SECOND).start();
  const links = startRequests(world, linkCall(world));
  const questions = startRequests(world, questionCall, QUESTION_EVERY_MS);
  await sleep(BEFORE_MS);
  await disturb();
  await sleep(AFTER_MS);
  await load.stop();
  const [ofLinks, ofQuestions] = [await links.stop(), await questions.stop()];
  const report = await judge(world, load, { links: ofLinks, questions: ofQuestions });
  const isUndisturbed = areAnswered(ofLinks, ['200']) && report['attempted'] === report['accepted'];
  return { ...report, passed: report.passed && isUndisturbed && areAnswered(ofQuestions, ['200', '429', '503']) };
}

const KILLS = 4;

/** ClickHouse killed again and again in the middle of inserts and queries. */
export function clickHouseKill(): Promise<Report> {
  return withWorld({}, (world) =>
    underLoad(world, async () => {
      for (let kill = 1; kill <= KILLS; kill += 1) {
        world.stack.clickHouse!.signal('SIGKILL');
        await sleep(2000);
        await world.stack.clickHouse!.start();
        await sleep(3000);
      }
    }),
  );
}

const FROZEN_MS = 30_000;

/** ClickHouse frozen: its connections stay open, and nothing is answered on them. */
export function clickHouseFrozen(): Promise<Report> {
  return withWorld({}, (world) =>
    underLoad(world, async () => {
      world.stack.clickHouse!.signal('SIGSTOP');
      await sleep(FROZEN_MS);
      world.stack.clickHouse!.signal('SIGCONT');
    }),
  );
}

const SLOW_MS = 20_000;

/** Every packet to and from ClickHouse half a second late. */
export async function clickHouseSlow(): Promise<Report> {
  let proxy: TcpProxy | undefined;
  const report = await withWorld(
    {
      before: async (stack, settings) => {
        const url = new URL(stack.clickHouseUrl);
        proxy = await TcpProxy.start({ host: url.hostname, port: Number(url.port) });
        url.host = `127.0.0.1:${proxy.port}`;
        settings.clickHouseUrl = url.origin;
      },
    },
    (world) =>
      underLoad(world, async () => {
        proxy!.set('late');
        await sleep(SLOW_MS);
        proxy!.set('pass');
      }),
  );
  await proxy?.stop();
  return report;
}

/** The database of ClickHouse removed: it is made again and filled with all that the ledger has. */
export function clickHouseWiped(): Promise<Report> {
  return withWorld({}, (world) =>
    underLoad(world, async () => {
      await world.oracle.wipeWarehouse();
    }),
  );
}

const SCANS = 100_000;
const OF_DEMO = 20;
const LOADER_KILLS = 20;

/**
 * A backlog of 100,000 scans that were stored while ClickHouse was down, loaded by four loaders in two processes, of
 * which one is killed each second: every scan is in the warehouse once.
 */
export function loaderKill(): Promise<Report> {
  return withCounting(async (counting) => {
    const { world, source } = counting;
    const { oracle, stack, system } = world;
    const ledger = ledgerOf(world, SCANS, OF_DEMO);
    const processes = [system.process('analytics'), await system.startReplica('analytics')];
    await stack.clickHouse!.stop();
    await publish(source, ledger);
    while ((await oracle.scansStored()) < SCANS) await sleep(1000);
    const backlog = await oracle.pendingScans();
    await stack.clickHouse!.start();
    for (let kill = 0; kill < LOADER_KILLS; kill += 1) {
      await sleep(300 + Math.random() * 1000);
      const process = processes[kill % processes.length]!;
      await process.kill();
      await process.start();
    }
    return { kills: LOADER_KILLS, backlog, ...(await verdict(counting, ledger)) };
  });
}
