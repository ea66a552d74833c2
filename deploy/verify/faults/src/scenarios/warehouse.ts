import { setTimeout as sleep } from 'node:timers/promises';
import { areAnswered, linkCall, startRequests } from '../harness/api-requests.js';
import { publish, compareWithSent, withCounting } from '../harness/counting.js';
import { createScanMessages } from '../harness/scan-messages.js';
import { Load } from '../harness/load.js';
import { TcpProxy } from '../harness/tcp-proxy.js';
import { compareWithAnswers } from '../harness/compare-with-answers.js';
import type { Report } from '../harness/report.js';
import { withEnvironment, type Environment } from '../harness/environment.js';

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
async function underLoad(environment: Environment, disturb: () => Promise<void>): Promise<Report> {
  const load = new Load(environment.system.shortUrl, environment.links, VISITS_PER_SECOND).start();
  const links = startRequests(environment, linkCall(environment));
  const questions = startRequests(environment, questionCall, QUESTION_EVERY_MS);
  await sleep(BEFORE_MS);
  await disturb();
  await sleep(AFTER_MS);
  await load.stop();
  const [ofLinks, ofQuestions] = [await links.stop(), await questions.stop()];
  const report = await compareWithAnswers(environment, load, { links: ofLinks, questions: ofQuestions });
  const isUndisturbed = areAnswered(ofLinks, ['200']) && report['attempted'] === report['accepted'];
  return { ...report, passed: report.passed && isUndisturbed && areAnswered(ofQuestions, ['200', '429', '503']) };
}

const KILLS = 4;

/** ClickHouse killed again and again in the middle of inserts and queries. */
export function clickHouseKill(): Promise<Report> {
  return withEnvironment({}, (environment) =>
    underLoad(environment, async () => {
      for (let kill = 1; kill <= KILLS; kill += 1) {
        environment.stack.clickHouse!.signal('SIGKILL');
        await sleep(2000);
        await environment.stack.clickHouse!.start();
        await sleep(3000);
      }
    }),
  );
}

const FROZEN_MS = 30_000;

/** ClickHouse frozen: its connections stay open, and nothing is answered on them. */
export function clickHouseFrozen(): Promise<Report> {
  return withEnvironment({}, (environment) =>
    underLoad(environment, async () => {
      environment.stack.clickHouse!.signal('SIGSTOP');
      await sleep(FROZEN_MS);
      environment.stack.clickHouse!.signal('SIGCONT');
    }),
  );
}

const SLOW_MS = 20_000;

/** Every packet to and from ClickHouse half a second late. */
export async function clickHouseSlow(): Promise<Report> {
  let proxy: TcpProxy | undefined;
  const report = await withEnvironment(
    {
      before: async (stack, settings) => {
        const url = new URL(stack.clickHouseUrl);
        proxy = await TcpProxy.start({ host: url.hostname, port: Number(url.port) });
        url.host = `127.0.0.1:${proxy.port}`;
        settings.clickHouseUrl = url.origin;
      },
    },
    (environment) =>
      underLoad(environment, async () => {
        proxy!.set('late');
        await sleep(SLOW_MS);
        proxy!.set('pass');
      }),
  );
  await proxy?.stop();
  return report;
}

/** The database of ClickHouse removed: it is made again and filled with all that the messages has. */
export function clickHouseWiped(): Promise<Report> {
  return withEnvironment({}, (environment) =>
    underLoad(environment, async () => {
      await environment.state.wipeWarehouse();
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
    const { environment, source } = counting;
    const { state, stack, system } = environment;
    const messages = createScanMessages(environment, SCANS, OF_DEMO);
    const processes = [system.process('analytics'), await system.startReplica('analytics')];
    await stack.clickHouse!.stop();
    await publish(source, messages);
    while ((await state.scansStored()) < SCANS) await sleep(1000);
    const backlog = await state.pendingScans();
    await stack.clickHouse!.start();
    for (let kill = 0; kill < LOADER_KILLS; kill += 1) {
      await sleep(300 + Math.random() * 1000);
      const process = processes[kill % processes.length]!;
      await process.kill();
      await process.start();
    }
    return { kills: LOADER_KILLS, backlog, ...(await compareWithSent(counting, messages)) };
  });
}
