import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditVerdict } from '@waymark/contract/audit-logs';
import { waitUntilReady } from '@waymark/launcher/system';
import { Changes } from '../harness/changes.js';
import type { Report } from '../harness/report.js';
import { callApi, withEnvironment, type Environment } from '../harness/environment.js';

const WRITERS = ['resource', 'auth', 'webhook', 'analytics', 'domain', 'audit'] as const;
const DRAIN_TIMEOUT_MS = 120_000;

/** Kills every service that stores changes, and the audit service, repeatedly under changes. */
export function auditKill(): Promise<Report> {
  return withEnvironment({}, async (environment) => {
    const changes = await Changes.start(environment, 25);
    let kills = 0;
    for (let round = 0; round < 3; round += 1) {
      for (const name of WRITERS) {
        await sleep(600 + Math.random() * 900);
        await environment.system.process(name).kill();
        kills += 1;
        await environment.system.process(name).start();
      }
    }
    await sleep(2000);
    await changes.stop();
    return judgeChanges(environment, changes, { kills });
  });
}

/** Commits changes while the broker is down, and kills each process before it can publish any of them. */
export function auditKillBeforePublish(): Promise<Report> {
  return withEnvironment({}, async (environment) => {
    await environment.stack.broker!.stop();
    const changes = await Changes.start(environment, 25);
    await sleep(5000);
    for (const name of WRITERS) await environment.system.process(name).kill();
    await changes.stop();
    for (const name of WRITERS) await environment.system.process(name).start();
    await environment.stack.broker!.start();
    return judgeChanges(environment, changes, { kills: WRITERS.length });
  });
}

/** Compares the answered changes with the stored ones and with the audit log. */
export async function judgeChanges(
  environment: Environment,
  changes: Changes,
  extra: Record<string, unknown>,
): Promise<Report> {
  for (const name of WRITERS) await waitUntilReady(environment.system.process(name));
  const drainedIn = await drained(environment, changes);
  const [stored, entered] = [await changes.stored(), await changes.entered()];
  const happened = new Set([...changes.answered, ...stored]);
  const lost = [...happened].filter((mark) => !entered.has(mark)).length;
  const unexpected = [...entered.keys()].filter((mark) => changes.isKept(mark) && !stored.has(mark)).length;
  const doubled = [...entered.values()].filter((count) => count > 1).length;
  const { data } = await callApi(environment.demo, 'GET', '/audit-logs/verify');
  const { valid, checked } = data as AuditVerdict;
  const parked = await environment.state.queueDepth('audit.entries.parked');
  return {
    attempted: changes.attempted,
    accepted: changes.answered.size,
    processed: entered.size,
    lost,
    recovered: [...entered.keys()].filter((mark) => !changes.answered.has(mark)).length,
    duplicated_effects: doubled,
    unexpected,
    parked,
    chain: { valid, checked },
    time_to_drain_s: drainedIn,
    ...extra,
    passed: lost + doubled + unexpected === 0 && parked === 0 && valid && changes.answered.size > 0,
  };
}

/** @returns seconds until no event waits any more and the log has stopped growing */
async function drained(environment: Environment, changes: Changes): Promise<number> {
  const startedAt = Date.now();
  for (let before = -1; Date.now() - startedAt < DRAIN_TIMEOUT_MS;) {
    await sleep(1000);
    const now = (await changes.entered()).size;
    const isQuiet = now === before && (await changes.waiting()) === 0;
    if (isQuiet && (await environment.state.queueDepth('audit.entries').catch(() => 1)) === 0) break;
    before = now;
  }
  return Math.round((Date.now() - startedAt) / 100) / 10;
}
