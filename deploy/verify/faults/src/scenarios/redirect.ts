import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readdirSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Load } from '../harness/load.js';
import { compareWithAnswers } from '../harness/compare-with-answers.js';
import type { Report } from '../harness/report.js';
import { withEnvironment, type Environment } from '../harness/environment.js';

const KILLS = 10;

/** The redirect killed ten times during its work: every visitor who got the 302 is counted. */
export function redirectKill(): Promise<Report> {
  return withEnvironment({}, async (environment) => {
    const load = new Load(environment.system.shortUrl, environment.links, 500).start();
    const redirect = environment.system.process('redirect');
    for (let kill = 1; kill <= KILLS; kill += 1) {
      await sleep(700 + Math.random() * 800);
      await redirect.kill();
      environment.say(`killed ${kill} of ${KILLS}`);
      await redirect.start();
    }
    await sleep(1000);
    await load.stop();
    return compareWithAnswers(environment, load, { kills: KILLS });
  });
}

/** The same with the broker away, so that everything is still in the spool when the process dies. */
export function redirectKillWhileBrokerDown(): Promise<Report> {
  return withEnvironment({}, async (environment) => {
    await warmUp(environment);
    await environment.stack.broker!.stop();
    const load = new Load(environment.system.shortUrl, environment.links, 1000).start();
    await sleep(5000);
    await environment.system.process('redirect').kill();
    await load.stop();
    await environment.system.process('redirect').start();
    await environment.stack.broker!.start();
    return compareWithAnswers(environment, load, { kills: 1 });
  });
}

const TMPFS_MB = 2;

/** The disk of the spool full while the broker is down: redirects continue, and every lost scan is counted. */
export function spoolDiskFull(): Promise<Report> {
  const disk = mkdtempSync(join(tmpdir(), 'waymark-small-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${TMPFS_MB}m`, 'tmpfs', disk]);
  const done = withEnvironment({ envOf: { redirect: { SPOOL_DIR: join(disk, 'spool') } } }, async (environment) => {
    await warmUp(environment);
    await environment.stack.broker!.stop();
    const load = new Load(environment.system.shortUrl, environment.links, 1000).start();
    await sleep(12_000);
    await load.stop();
    await environment.stack.broker!.start();
    const later = new Load(environment.system.shortUrl, environment.links, 200).start();
    await sleep(5000);
    await later.stop();
    const unrecorded = await environment.system.process('redirect').metric('waymark_scans_unrecorded_total');
    const expected = load.accepted.length + later.accepted.length - unrecorded;
    await environment.state.waitUntilDrained(expected);
    const stored = await environment.state.scansStored();
    const answered = load.attempted === load.accepted.length && later.attempted === later.accepted.length;
    return {
      attempted: load.attempted + later.attempted,
      accepted: load.accepted.length + later.accepted.length,
      processed: stored,
      unrecorded_total: unrecorded,
      lost: expected - stored,
      ...load.timings(),
      passed: answered && unrecorded > 0 && stored === expected,
    };
  });
  return done.finally(() => {
    execFileSync('umount', [disk]);
    rmSync(disk, { recursive: true, force: true });
  });
}

/** A torn tail and a flipped bit in the spool of a killed process: those records are lost, all others are counted. */
export function spoolDamaged(): Promise<Report> {
  return withEnvironment({}, async (environment) => {
    await warmUp(environment);
    await environment.stack.broker!.stop();
    const load = new Load(environment.system.shortUrl, environment.links, 500).start();
    await sleep(3000);
    await load.stop();
    await environment.system.process('redirect').kill();
    damage(join(environment.system.settings.folder, 'spool'));
    await environment.system.process('redirect').start();
    await environment.stack.broker!.start();
    const report = await judgeAfterDamage(environment, load);
    return report;
  });
}

const DAMAGED = 2;

async function judgeAfterDamage(environment: Environment, load: Load): Promise<Report> {
  await environment.state.waitUntilDrained(load.accepted.length - DAMAGED);
  const corrupt = await environment.system.process('redirect').metric('waymark_spool_corrupt_records_total');
  const stored = await environment.state.scansStored();
  const lost = load.accepted.length - stored;
  return {
    attempted: load.attempted,
    accepted: load.accepted.length,
    processed: stored,
    damaged_records: DAMAGED,
    corrupt_records_total: corrupt,
    lost,
    passed: lost === DAMAGED && corrupt === DAMAGED,
  };
}

/** Flips a bit in the middle and cuts three bytes off the end. */
function damage(folder: string): void {
  const segments = readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && statSync(path).size > 1000)
    .sort();
  const last = segments.at(-1)!;
  const { size } = statSync(last);
  truncateSync(last, size - 3);
  const file = openSync(last, 'r+');
  writeSync(file, Buffer.from('\u0001'), 0, 1, Math.floor(size / 2));
  closeSync(file);
}

/** Makes every link known to the redirect before the fault. */
async function warmUp(environment: Environment): Promise<void> {
  for (const link of environment.links)
    await fetch(`${environment.system.shortUrl}/${link.short_code}`, { method: 'HEAD', redirect: 'manual' });
}
