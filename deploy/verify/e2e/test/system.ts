import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@waymark/stack/ports';
import { prepareDemo, type Demo } from '@waymark/start/demo';
import { System } from '@waymark/launcher/system';
import { freshBacking } from '@waymark/testing/backing';

export interface RunningSystem {
  system: System;
  demo: Demo;
  stop: () => Promise<void>;
}

/** The compiled processes, as `npm start` runs them, on a namespace of their own. */
export async function startSystem(
  deployment: 'links' | 'qr' = 'links',
  env: Record<string, string> = {},
): Promise<RunningSystem> {
  const { MONGODB_URI, AMQP_URL, AMQP_NAMESPACE, CLICKHOUSE_URL } = freshBacking();
  const folder = mkdtempSync(join(tmpdir(), 'waymark-e2e-'));
  const [port, shortPort, dnsPort] = (await freePorts(3)) as [number, number, number];
  const dnsServers = `127.0.0.1:${dnsPort}`;
  const system = await System.start({
    deployment,
    mongoUri: MONGODB_URI,
    amqpUrl: AMQP_URL,
    clickHouseUrl: CLICKHOUSE_URL,
    namespace: AMQP_NAMESPACE,
    port,
    shortPort,
    folder,
    env: { API_WORKSPACE_REQUESTS_PER_MINUTE: '1000', ...env },
    envOf: { domain: { DNS_SERVERS: dnsServers } },
  });
  const stop = async () => {
    await system.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const demoFile = join(folder, 'demo.json');
    const start = { deployment, port, shortPort, dnsServers, folder, demoFile, runFile: '' };
    const demo = await prepareDemo(system, start);
    return { system, demo, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
