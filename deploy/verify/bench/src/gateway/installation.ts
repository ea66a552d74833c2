import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { freePorts } from '@waymark/stack/ports';
import { backing, type SystemSettings } from '@waymark/launcher/process-table';
import type { System } from '@waymark/launcher/system';
import { openEnvironment, type Stoppable } from '../install.js';
import { seedCallers, type Caller } from './callers.js';
import { stageShares } from './stages.js';

const CALLERS = 4000;

/** Auth and a gateway in front of a stub service, and the bare proxy in front of the same stub. */
export interface Installation extends Stoppable {
  callers: Caller[];
  gateway: { url: string; pidsOf: Record<string, () => number[]> };
  bare: { url: string; pid: number };
  /** Runs the load against one more gateway, which is profiled. @returns shares of its processor time in percent */
  profile(load: (url: string) => Promise<unknown>): Promise<Record<string, number>>;
}

export function installGateway(): Promise<Installation> {
  return openEnvironment(async ({ stack, settings, lifecycle, start }) => {
    const [upstreamPort, barePort] = await freePorts(2);
    const upstream = `http://127.0.0.1:${upstreamPort}`;
    await startProgram('upstream', [String(upstreamPort)], lifecycle);
    const bare = await startProgram('bare-proxy', [String(barePort), upstream], lifecycle);
    const system = await start(['auth', 'gateway'], { gateway: { RESOURCE_URL: upstream } });
    console.error(`seeding ${CALLERS} users, workspaces and tokens`);
    const callers = await seedCallers(backing(settings, 'auth')['MONGODB_URI']!, CALLERS);
    const { gateway, auth } = system.pids as { gateway: number; auth: number };
    return {
      callers,
      gateway: {
        url: system.baseUrl,
        pidsOf: { gateway: () => [gateway], auth: () => [auth], database: () => stack.database?.pids() ?? [] },
      },
      bare: { url: `http://127.0.0.1:${barePort}`, pid: bare.pid! },
      profile: (load) => profileGateway(system, settings, load),
    };
  });
}

async function profileGateway(system: System, settings: SystemSettings, load: (url: string) => Promise<unknown>) {
  const file = join(settings.folder, 'gateway.cpuprofile');
  const gateway = system.process('gateway');
  await gateway.stop();
  await gateway.start({ NODE_OPTIONS: `--require ${join(__dirname, 'profiler.js')}`, BENCH_PROFILE: file });
  await load(system.baseUrl);
  await gateway.stop();
  return stageShares(file);
}

function startProgram(name: string, args: string[], lifecycle: Lifecycle): Promise<ChildProcess> {
  const child = fork(join(__dirname, `${name}.js`), args, { env: { ...process.env, NODE_ENV: 'production' } });
  lifecycle.onStop(name, () => void child.kill());
  return new Promise((resolve, reject) => {
    child.once('message', () => resolve(child));
    child.once('exit', (code) => reject(new Error(`${name} did not start (${code})`)));
  });
}
