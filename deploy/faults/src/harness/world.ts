import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@waymark/local/ports';
import { openStack, type Stack } from '@waymark/local/stack';
import { prepareDemo, type Demo } from '@waymark/local/start/demo';
import type { ProcessName, SystemSettings } from '@waymark/local/system/process-table';
import { System } from '@waymark/local/system/system';
import { Oracle } from './oracle.js';

export interface Target {
  id: string;
  short_code: string;
}

/** A whole installation of its own, thrown away afterwards, with links to visit. */
export interface World {
  stack: Stack;
  system: System;
  demo: Demo;
  links: Target[];
  oracle: Oracle;
  say: (line: string) => void;
}

export interface WorldOptions {
  /** For one kind of process, beyond the defaults. */
  envOf?: SystemSettings['envOf'];
  /** A cluster in place of one broker. */
  brokerNodes?: number;
  /** Changes the broker's address for one kind of process, e.g. to a proxy. */
  before?: (stack: Stack, settings: SystemSettings) => Promise<void>;
}

const LINKS = 20;

export async function withWorld<T>(options: WorldOptions, work: (world: World) => Promise<T>): Promise<T> {
  const say = (line: string) => process.stderr.write(`  ${line}\n`);
  const folder = mkdtempSync(join(tmpdir(), 'waymark-fault-'));
  const stack = await openStack({ name: 'faults', fresh: true, progress: say, brokerNodes: options.brokerNodes });
  let system: System | undefined;
  let oracle: Oracle | undefined;
  try {
    const [port, shortPort] = (await freePorts(2)) as [number, number];
    const { mongoUri, amqpUrl } = stack;
    const settings: SystemSettings = {
      deployment: 'links',
      mongoUri,
      amqpUrl,
      namespace: `faults-${Date.now()}`,
      port,
      shortPort,
      folder,
      env: { LOG_LEVEL: 'warn', API_WORKSPACE_REQUESTS_PER_MINUTE: '100000' },
      envOf: options.envOf,
    };
    await options.before?.(stack, settings);
    system = await System.start(settings, { onUnexpectedEnd: (problem) => say(`unexpected: ${problem}`) });
    const demoFile = join(folder, 'demo.json');
    const start = { deployment: 'links', port, shortPort, dnsServers: '', folder, demoFile, runFile: '' } as const;
    const demo = await prepareDemo(system, start);
    const links = await createLinks(demo);
    oracle = await Oracle.open(settings);
    return await work({ stack, system, demo, links, oracle, say });
  } finally {
    await oracle?.close();
    await system?.stop();
    await stack.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function createLinks(demo: Demo): Promise<Target[]> {
  const links: Target[] = [];
  for (let index = 0; index < LINKS; index += 1) {
    const { data } = await api(demo, 'POST', '/links', { destination_url: `https://example.com/${index}` });
    links.push(data as Target);
  }
  return links;
}

/** One call as the owner. @throws Error for anything but success. */
export async function api(demo: Demo, method: string, path: string, body?: unknown): Promise<{ data: unknown }> {
  const response = await fetch(`${demo.base_url}/api/v1/workspaces/${demo.workspace}${path}`, {
    method,
    headers: { authorization: `Bearer ${demo.users['owner']!.token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as { data: unknown };
}

export type { ProcessName };
