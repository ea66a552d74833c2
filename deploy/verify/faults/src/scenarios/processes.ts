import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROCESS_NAMES } from '@waymark/launcher/process-table';
import { waitUntilReady } from '@waymark/launcher/system';
import { Load } from '../harness/load.js';
import { compareWithAnswers } from '../harness/compare-with-answers.js';
import type { Report } from '../harness/report.js';
import { withEnvironment, type Environment } from '../harness/environment.js';

const LOOP_MS = 30_000;

/** The scan consumer killed again and again: the figures stay exact, nothing is parked. */
export function consumerKill(): Promise<Report> {
  return withEnvironment({}, async (environment) => {
    const load = new Load(environment.system.shortUrl, environment.links, 300).start();
    const analytics = environment.system.process('analytics');
    const until = Date.now() + LOOP_MS;
    let kills = 0;
    while (Date.now() < until) {
      await sleep(400 + Math.random() * 500);
      await analytics.kill();
      kills += 1;
      await analytics.start();
    }
    await load.stop();
    const report = await compareWithAnswers(environment, load, { kills });
    return { ...report, passed: report.passed && report['parked'] === 0 };
  });
}

const FROZEN_MS = 40_000;

/** One of two scan consumers frozen until the broker drops it, then resumed: late writes have no effect. */
export function consumerFrozen(): Promise<Report> {
  return withEnvironment({}, async (environment) => {
    await environment.system.startReplica('analytics');
    const load = new Load(environment.system.shortUrl, environment.links, 200).start();
    await sleep(2000);
    environment.system.process('analytics').signal('SIGSTOP');
    await sleep(FROZEN_MS);
    environment.system.process('analytics').signal('SIGCONT');
    await sleep(3000);
    await load.stop();
    return compareWithAnswers(environment, load, { frozen_ms: FROZEN_MS });
  });
}

/** All processes stopped at once under load, then started again: exact totals. */
export function stopAll(): Promise<Report> {
  return withEnvironment({}, async (environment) => {
    const load = new Load(environment.system.shortUrl, environment.links, 300).start();
    await sleep(4000);
    const processes = PROCESS_NAMES.map((name) => environment.system.process(name));
    const startedAt = Date.now();
    await Promise.all(processes.map((process) => process.stop()));
    const stopMs = Date.now() - startedAt;
    await Promise.all(processes.map((process) => process.start()));
    await Promise.all(processes.map(waitUntilReady));
    await sleep(2000);
    await load.stop();
    const report = await compareWithAnswers(environment, load, { stop_ms: stopMs });
    return { ...report, passed: report.passed && stopMs < 25_000 };
  });
}

/** Each process stopped for 2 s, as a blocked event loop stops it: no connection is lost over it. */
export function loopBlock(): Promise<Report> {
  return withEnvironment({}, async (environment) => {
    const load = new Load(environment.system.shortUrl, environment.links, 100).start();
    await sleep(1000);
    for (const name of ['redirect', 'analytics', 'resource', 'webhook', 'audit'] as const) {
      environment.system.process(name).signal('SIGSTOP');
      await sleep(2000);
      environment.system.process(name).signal('SIGCONT');
      await sleep(500);
    }
    await load.stop();
    const reconnects = linesWith(environment, 'broker connection lost');
    const report = await compareWithAnswers(environment, load, { reconnects });
    return { ...report, passed: report.passed && reconnects === 0 && report['accepted'] === report['attempted'] };
  });
}

function linesWith(environment: Environment, text: string): number {
  const folder = join(environment.system.settings.folder, 'logs');
  return readdirSync(folder).reduce(
    (count, name) => count + readFileSync(join(folder, name), 'utf8').split(text).length - 1,
    0,
  );
}
