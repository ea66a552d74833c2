import { setTimeout as sleep } from 'node:timers/promises';
import { PROCESS_NAMES, type ProcessName } from '@waymark/launcher/process-table';
import { Changes } from '../harness/changes.js';
import { killAndStart } from '../harness/kill.js';
import { Load } from '../harness/load.js';
import { compareWithAnswers } from '../harness/compare-with-answers.js';
import type { Report } from '../harness/report.js';
import { withEnvironment, type Environment } from '../harness/environment.js';
import { judgeChanges } from './audit.js';

/** `SOAK_MINUTES=120 SOAK_SEED=7 npm run faults -- soak` */
const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 10);
const SEED = Number(process.env['SOAK_SEED'] ?? Math.floor(Math.random() * 1e6));
const MINUTE_MS = 60_000;
const VISITS_PER_SECOND = 150;
const CHANGES_PER_SECOND = 10;
/** The time after which a started process has reached its size. */
const WARM_MS = 40_000;
const GROWTH_MAX_MB = 100;

interface Fault {
  what: string;
  /** The process that the fault restarts. */
  restarts?: ProcessName;
  run: (environment: Environment) => Promise<void>;
}

/** Visits and changes for minutes, with one random fault in each: no loss, no duplicates, no ever-growing memory. */
export function soak(): Promise<Report> {
  return withEnvironment({}, async (environment) => {
    environment.say(`seed ${SEED}, ${MINUTES} minutes`);
    const random = randomNumbers(SEED);
    const load = new Load(environment.system.shortUrl, environment.links, VISITS_PER_SECOND).start();
    const changes = await Changes.start(environment, CHANGES_PER_SECOND);
    const memory = new Memory(environment);
    const faults: string[] = [];
    for (let minute = 0; minute < MINUTES; minute += 1) {
      const endsAt = Date.now() + MINUTE_MS;
      const fault = FAULTS[Math.floor(random() * FAULTS.length)]!;
      faults.push(fault.what);
      environment.say(fault.what);
      await fault.run(environment);
      if (fault.restarts) memory.forget(fault.restarts);
      await sleep(Math.min(WARM_MS, Math.max(0, endsAt - Date.now())));
      memory.look();
      await sleep(Math.max(0, endsAt - Date.now()));
    }
    await Promise.all([load.stop(), changes.stop()]);
    const visits = await compareWithAnswers(environment, load);
    const changed = await judgeChanges(environment, changes, {});
    const growth = memory.growth();
    const isFlat = Object.values(growth).every((megabytes) => megabytes <= GROWTH_MAX_MB);
    return { seed: SEED, faults, visits, changes: changed, growth_mb: growth, passed: visits.passed && changed.passed && isFlat }; // prettier-ignore
  });
}

const FAULTS: Fault[] = [
  ...PROCESS_NAMES.flatMap((name): Fault[] => [
    { what: `${name} killed`, restarts: name, run: (environment) => killAndStart(environment.system.process(name)) },
    { what: `${name} frozen`, run: (environment) => freeze(environment, name) },
  ]),
  {
    what: 'broker killed',
    run: async ({ stack }) => {
      stack.broker!.signal('SIGKILL');
      await sleep(5000);
      await stack.broker!.start();
    },
  },
  {
    what: 'broker frozen',
    run: async ({ stack }) => {
      stack.broker!.signal('SIGSTOP');
      await sleep(10_000);
      stack.broker!.signal('SIGCONT');
    },
  },
  {
    what: 'database restarted',
    run: async ({ stack }) => {
      await stack.database!.stop();
      await stack.database!.start();
    },
  },
];

async function freeze(environment: Environment, name: ProcessName): Promise<void> {
  environment.system.process(name).signal('SIGSTOP');
  await sleep(10_000);
  environment.system.process(name).signal('SIGCONT');
}

/** The size of each process when it was warm, and now. */
class Memory {
  private readonly warm = new Map<ProcessName, number>();

  constructor(private readonly environment: Environment) {}

  look(): void {
    for (const name of PROCESS_NAMES) if (!this.warm.has(name)) this.warm.set(name, this.of(name));
  }

  forget(name: ProcessName): void {
    this.warm.delete(name);
  }

  growth(): Partial<Record<ProcessName, number>> {
    return Object.fromEntries([...this.warm].map(([name, before]) => [name, Math.round(this.of(name) - before)]));
  }

  private of(name: ProcessName): number {
    return this.environment.system.process(name).residentMegabytes();
  }
}

/** Mulberry32: the same numbers for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
