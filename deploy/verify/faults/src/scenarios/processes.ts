import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'amqplib';
import { EVENTS } from '@waymark/contract/events';
import { WORK_QUEUE_DEFINITIONS, WORK_QUEUES, type WorkQueue } from '@waymark/contract/queues';
import { PROCESS_NAMES } from '@waymark/launcher/process-table';
import { waitUntilReady } from '@waymark/launcher/system';
import { Load } from '../harness/load.js';
import { compareWithAnswers } from '../harness/compare-with-answers.js';
import type { Report } from '../harness/report.js';
import { callApi, withEnvironment, type Environment } from '../harness/environment.js';

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

/** Messages that no consumer can handle, in every queue among good ones: they are parked, and nothing else stops. */
export function poison(): Promise<Report> {
  return withEnvironment({}, async (environment) => {
    const load = new Load(environment.system.shortUrl, environment.links, 200).start();
    await sleep(1000);
    for (const queue of WORK_QUEUES) await publishRaw(environment, queue, poisonFor(queue));
    await sleep(3000);
    const { data } = await callApi(environment.demo, 'POST', '/links', {
      destination_url: 'https://example.com/healthy',
    });
    await load.stop();
    const report = await compareWithAnswers(environment, load);
    const parked = Object.fromEntries(await Promise.all(WORK_QUEUES.map((queue) => parkedIn(environment, queue))));
    const expected = poisonFor('analytics.scans').length;
    const isHealthy = await isVisible(environment, (data as { short_code: string }).short_code);
    const areParked = Object.values(parked).every((count) => count === expected);
    return { ...report, parked, healthy: isHealthy, passed: report.passed && areParked && isHealthy };
  });
}

/** Undecodable, of an unknown version, of a wrong shape, and too large to be anything. */
function poisonFor(queue: WorkQueue): string[] {
  const [type] = WORK_QUEUE_DEFINITIONS[queue].types;
  const event = EVENTS[type!]!.create({ workspace: 'nobody' }, { wrong: true } as never);
  return ['{"broken', JSON.stringify({ ...event, version: 99 }), JSON.stringify(event), 'x'.repeat(1024 * 1024)];
}

const PARKED_TIMEOUT_MS = 30_000;

async function parkedIn(environment: Environment, queue: WorkQueue): Promise<[string, number]> {
  const deadline = Date.now() + PARKED_TIMEOUT_MS;
  const expected = poisonFor(queue).length;
  let count = await environment.state.queueDepth(`${queue}.parked`);
  while (count < expected && Date.now() < deadline) {
    await sleep(500);
    count = await environment.state.queueDepth(`${queue}.parked`);
  }
  return [queue, count];
}

/** A link that was created after the poison reached the redirect through its queue. */
async function isVisible(environment: Environment, shortCode: string): Promise<boolean> {
  const response = await fetch(`${environment.system.shortUrl}/${shortCode}`, { redirect: 'manual', headers: BOT });
  return response.status === 302;
}

const BOT = { 'user-agent': 'Googlebot/2.1' };

async function publishRaw(environment: Environment, queue: WorkQueue, bodies: string[]): Promise<void> {
  const { amqpUrl, namespace } = environment.system.settings;
  const connection = await connect(amqpUrl);
  const channel = await connection.createConfirmChannel();
  for (const body of bodies) channel.publish(`${namespace}.queues`, queue, Buffer.from(body));
  await channel.waitForConfirms();
  await connection.close();
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
