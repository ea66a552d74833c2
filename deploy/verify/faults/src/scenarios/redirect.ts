import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readdirSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Load } from '../harness/load.js';
import { judge, type Report } from '../harness/verdict.js';
import { withWorld, type World } from '../harness/world.js';

const KILLS = 10;

/** The redirect killed ten times during its work: every visitor who got the 302 is counted. */
export function redirectKill(): Promise<Report> {
  return withWorld({}, async (world) => {
    const load = new Load(world.system.shortUrl, world.links, 500).start();
    const redirect = world.system.process('redirect');
    for (let kill = 1; kill <= KILLS; kill += 1) {
      await sleep(700 + Math.random() * 800);
      await redirect.kill();
      world.say(`killed ${kill} of ${KILLS}`);
      await redirect.start();
    }
    await sleep(1000);
    await load.stop();
    return judge(world, load, { kills: KILLS });
  });
}

/** The same with the broker away, so that everything is still in the spool when the process dies. */
export function redirectKillWhileBrokerDown(): Promise<Report> {
  return withWorld({}, async (world) => {
    await warmUp(world);
    await world.stack.broker!.stop();
    const load = new Load(world.system.shortUrl, world.links, 1000).start();
    await sleep(5000);
    await world.system.process('redirect').kill();
    await load.stop();
    await world.system.process('redirect').start();
    await world.stack.broker!.start();
    return judge(world, load, { kills: 1 });
  });
}

const TMPFS_MB = 2;

/** The disk of the spool full while the broker is down: redirects continue, and every lost scan is counted. */
export function spoolDiskFull(): Promise<Report> {
  const disk = mkdtempSync(join(tmpdir(), 'waymark-small-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${TMPFS_MB}m`, 'tmpfs', disk]);
  const done = withWorld({ envOf: { redirect: { SPOOL_DIR: join(disk, 'spool') } } }, async (world) => {
    await warmUp(world);
    await world.stack.broker!.stop();
    const load = new Load(world.system.shortUrl, world.links, 1000).start();
    await sleep(12_000);
    await load.stop();
    await world.stack.broker!.start();
    const later = new Load(world.system.shortUrl, world.links, 200).start();
    await sleep(5000);
    await later.stop();
    const unrecorded = await world.system.process('redirect').metric('waymark_scans_unrecorded_total');
    const expected = load.accepted.length + later.accepted.length - unrecorded;
    await world.oracle.drained(expected);
    const stored = await world.oracle.scansStored();
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
  return withWorld({}, async (world) => {
    await warmUp(world);
    await world.stack.broker!.stop();
    const load = new Load(world.system.shortUrl, world.links, 500).start();
    await sleep(3000);
    await load.stop();
    await world.system.process('redirect').kill();
    damage(join(world.system.settings.folder, 'spool'));
    await world.system.process('redirect').start();
    await world.stack.broker!.start();
    const report = await judgeAfterDamage(world, load);
    return report;
  });
}

const DAMAGED = 2;

async function judgeAfterDamage(world: World, load: Load): Promise<Report> {
  await world.oracle.drained(load.accepted.length - DAMAGED);
  const corrupt = await world.system.process('redirect').metric('waymark_spool_corrupt_records_total');
  const stored = await world.oracle.scansStored();
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
async function warmUp(world: World): Promise<void> {
  for (const link of world.links)
    await fetch(`${world.system.shortUrl}/${link.short_code}`, { method: 'HEAD', redirect: 'manual' });
}
