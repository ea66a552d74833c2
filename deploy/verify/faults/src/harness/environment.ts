import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@waymark/stack/ports';
import { openStack } from '@waymark/stack/stack';
import type { Stack } from '@waymark/stack/stack-types';
import { prepareDemo, type Demo } from '@waymark/start/demo';
import { PROCESS_NAMES, type ProcessName, type SystemSettings } from '@waymark/launcher/process-table';
import { System } from '@waymark/launcher/system';
import { CpuShares, type CpuGroup } from '@waymark/launcher/cpu-shares';
import { readManifestResources } from './manifest-resources.js';
import { MemoryWatch } from './memory-watch.js';
import { StateReader } from './state-reader.js';
import type { Report } from './report.js';
import type { VisitedLink } from './visited-link.js';

/** A complete separate installation with links to visit, removed afterwards. */
export interface Environment {
  stack: Stack;
  system: System;
  demo: Demo;
  links: VisitedLink[];
  state: StateReader;
  say: (line: string) => void;
}

export interface EnvironmentOptions {
  /** For one kind of process, beyond the defaults. */
  envOf?: SystemSettings['envOf'];
  entries?: SystemSettings['entries'];
  /** A cluster in place of one broker. */
  brokerNodes?: number;
  /** For every process, beyond the defaults. */
  env?: Record<string, string>;
  /** Changes the broker's address for one kind of process, e.g. to a proxy. */
  before?: (stack: Stack, settings: SystemSettings) => Promise<void>;
}

const LINKS = 20;
const NO_CONTENT = 204;

/**
 * Runs a fault on an installation whose processes have the memory and heap limits of the Kubernetes manifests, and
 * shares of the CPU in proportion to what they request there. A process that exceeds its limit, or ends although the
 * fault did not end it, fails the fault.
 */
export async function withEnvironment(
  options: EnvironmentOptions,
  work: (environment: Environment) => Promise<Report>,
): Promise<Report> {
  const say = (line: string) => process.stderr.write(`  ${line}\n`);
  const folder = mkdtempSync(join(tmpdir(), 'waymark-fault-'));
  const stack = await openStack({ name: 'faults', fresh: true, progress: say, brokerNodes: options.brokerNodes });
  const resources = readManifestResources();
  const unexpectedEnds: string[] = [];
  let system: System | undefined;
  let state: StateReader | undefined;
  let memory: MemoryWatch | undefined;
  let shares: CpuShares | null = null;
  let passed = false;
  try {
    const [port, shortPort] = (await freePorts(2)) as [number, number];
    const { mongoUri, amqpUrl, clickHouseUrl } = stack;
    const settings: SystemSettings = {
      deployment: 'links',
      mongoUri,
      amqpUrl,
      clickHouseUrl,
      namespace: `faults-${Date.now()}`,
      port,
      shortPort,
      folder,
      env: { LOG_LEVEL: 'warn', API_WORKSPACE_REQUESTS_PER_MINUTE: '100000', ...options.env },
      envOf: options.envOf,
      entries: options.entries,
    };
    await options.before?.(stack, settings);
    for (const name of PROCESS_NAMES) {
      settings.envOf = {
        ...settings.envOf,
        [name]: { NODE_OPTIONS: resources[name].nodeOptions, ...settings.envOf?.[name] },
      };
    }
    system = await System.start(settings, {
      onUnexpectedEnd: (problem) => {
        say(`unexpected: ${problem}`);
        unexpectedEnds.push(problem);
      },
    });
    memory = new MemoryWatch(() => system!.all(), resources);
    shares = CpuShares.divide(cpuGroups(stack, system, resources));
    const demoFile = join(folder, 'demo.json');
    const start = { deployment: 'links', port, shortPort, dnsServers: '', folder, demoFile, runFile: '' } as const;
    const demo = await prepareDemo(system, start);
    const links = await createLinks(demo);
    state = await StateReader.open(settings);
    const report = await work({ stack, system, demo, links, state, say });
    const peaks = memory.report();
    const isWithinLimits = Object.values(peaks).every(({ peak_mb, limit_mb }) => peak_mb <= limit_mb);
    passed = report.passed && isWithinLimits && unexpectedEnds.length === 0;
    return {
      ...report,
      memory: peaks,
      cpu: shares ? 'divided as the manifests request' : 'not divided: this machine offers no CPU controller',
      ...(unexpectedEnds.length > 0 && { unexpected_ends: unexpectedEnds }),
      passed,
    };
  } finally {
    memory?.stop();
    await state?.close();
    await system?.stop();
    await stack.stop();
    shares?.stop();
    if (passed) rmSync(folder, { recursive: true, force: true });
    else say(`the logs of the processes are kept in ${folder}`);
  }
}

/** A server of the stack has a machine of its own in production. */
const SERVER_CPU_MILLIS = 1000;

function cpuGroups(stack: Stack, system: System, resources: ReturnType<typeof readManifestResources>): CpuGroup[] {
  const { database, clickHouse, brokers = [] } = stack;
  const servers = { database: database ? [database] : [], clickhouse: clickHouse ? [clickHouse] : [], broker: brokers };
  return [
    ...PROCESS_NAMES.map((name) => ({
      name,
      cpuMillis: resources[name].cpuMillis,
      pids: () =>
        system
          .all()
          .filter((each) => each.name === name)
          .map(({ pid }) => pid),
    })),
    ...Object.entries(servers).map(([name, all]) => ({
      name,
      cpuMillis: SERVER_CPU_MILLIS,
      pids: () => all.flatMap((server) => server.pids()),
    })),
  ];
}

async function createLinks(demo: Demo): Promise<VisitedLink[]> {
  const links: VisitedLink[] = [];
  for (let index = 0; index < LINKS; index += 1) {
    const { data } = await callApi(demo, 'POST', '/links', { destination_url: `https://example.com/${index}` });
    links.push(data as VisitedLink);
  }
  return links;
}

/** One call as the owner. @throws Error for anything but success. */
export async function callApi(demo: Demo, method: string, path: string, body?: unknown): Promise<{ data: unknown }> {
  const response = await fetch(`${demo.base_url}/api/v1/workspaces/${demo.workspace}${path}`, {
    method,
    headers: { authorization: `Bearer ${demo.users['owner']!.token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  return response.status === NO_CONTENT ? { data: undefined } : ((await response.json()) as { data: unknown });
}

export type { ProcessName };
