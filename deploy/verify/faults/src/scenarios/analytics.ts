import { setTimeout as sleep } from 'node:timers/promises';
import { publish, verdict, withCounting } from '../harness/counting.js';
import { ledgerOf, mixed, shuffled } from '../harness/ledger.js';
import type { Report } from '../harness/verdict.js';

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
    const figures = await world.oracle.warehouseDigest();
    for (const again of [shuffled([...ledger, ...ledger]), mixed(ledger)]) await publish(source, again);
    const second = await verdict(counting, ledger);
    const unchanged = figures === (await world.oracle.warehouseDigest());
    return { ...second, figures_unchanged: unchanged, passed: first.passed && second.passed && unchanged };
  });
}
