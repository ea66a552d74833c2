import { setTimeout as sleep } from 'node:timers/promises';
import { publish, compareWithSent, withCounting } from '../harness/counting.js';
import { createScanMessages, regrouped, shuffled } from '../harness/scan-messages.js';
import type { Report } from '../harness/report.js';

const KILLED_SCANS = 200_000;
const KILLED_OF_DEMO = 20;
const KILLS = 20;
const MESSAGES_PER_SECOND = 4;
const BROKER_RESTART = 7;
const DATABASE_RESTART = 13;

/**
 * 200,000 scans while two analytics processes are killed twenty times in turn, and the broker and the database are
 * restarted once each: every scan is one row, once in the figures, and one event.
 */
export function analyticsKill(): Promise<Report> {
  return withCounting(async (counting) => {
    const { environment, source } = counting;
    const messages = createScanMessages(environment, KILLED_SCANS, KILLED_OF_DEMO);
    const workers = [environment.system.process('analytics'), await environment.system.startReplica('analytics')];
    const publishing = publish(source, messages, MESSAGES_PER_SECOND);
    for (let kill = 1; kill <= KILLS; kill += 1) {
      await sleep(1500 + Math.random() * 2500);
      const worker = workers[kill % workers.length]!;
      await worker.kill();
      if (kill === BROKER_RESTART) await environment.stack.broker!.restart();
      if (kill === DATABASE_RESTART) await environment.stack.database!.restart();
      await worker.start();
    }
    await publishing;
    return { kills: KILLS, ...(await compareWithSent(counting, messages)) };
  });
}

const REPLAYED_SCANS = 20_000;
const REPLAYED_OF_DEMO = 4;

/** A whole day sent again, twice, out of order, and once more in other messages: nothing changes. */
export function scanReplay(): Promise<Report> {
  return withCounting(async (counting) => {
    const { environment, source } = counting;
    await environment.system.startReplica('analytics');
    const messages = createScanMessages(environment, REPLAYED_SCANS, REPLAYED_OF_DEMO);
    await publish(source, shuffled(messages));
    const first = await compareWithSent(counting, messages);
    const figures = await environment.state.warehouseDigest();
    for (const again of [shuffled([...messages, ...messages]), regrouped(messages)]) await publish(source, again);
    const second = await compareWithSent(counting, messages);
    const unchanged = figures === (await environment.state.warehouseDigest());
    return { ...second, figures_unchanged: unchanged, passed: first.passed && second.passed && unchanged };
  });
}
