import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@waymark/stack/ports';
import {
  entryOf,
  planProcesses,
  PROCESS_NAMES,
  type ProcessName,
  type ProcessPorts,
} from '@waymark/launcher/process-table';
import { identityKeyOf, loadOrCreateSecrets } from '@waymark/launcher/secrets';
import { ServiceCaller } from '@waymark/testing/service-caller';
import { waitFor } from '@waymark/testing/wait-for';

interface Ended {
  code: number | null;
  stderr: string;
}

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function run(name: ProcessName, env: Record<string, string>) {
  const child = spawn(process.execPath, [entryOf(name)], { env: { PATH: process.env['PATH'], ...env } });
  children.push(child);
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdout.resume();
  const ended = new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ code, stderr })));
  return { child, ended };
}

test.each(PROCESS_NAMES)(
  '%s without a configuration says what is missing in one line, and does not start',
  async (name) => {
    const { code, stderr } = await run(name, { PORT: 'eighty' }).ended;
    expect(code).toBe(78);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(stderr).toMatch(new RegExp(`^${name}: bad configuration: .*PORT: .*is not set`));
  },
);

describe('without a database and a broker', () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-alone-'));
  const secrets = loadOrCreateSecrets(join(folder, 'secrets.json'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function plan(name: ProcessName) {
    const ports = await freePorts(PROCESS_NAMES.length * 2);
    const table = Object.fromEntries(
      PROCESS_NAMES.map((each, index) => [each, { port: ports[index * 2]!, opsPort: ports[index * 2 + 1]! }]),
    ) as Record<ProcessName, ProcessPorts>;
    const nowhere = {
      mongoUri: 'mongodb://127.0.0.1:1/',
      amqpUrl: 'amqp://127.0.0.1:1',
      clickHouseUrl: 'http://127.0.0.1:1',
      namespace: 'alone',
    };
    const settings = {
      deployment: 'links' as const,
      port: table.gateway.port,
      shortPort: table.redirect.port,
      folder,
      ...nowhere,
    };
    const plans = planProcesses(settings, secrets, table);
    return plans.find((each) => each.name === name)!;
  }

  test.each(PROCESS_NAMES)('%s is alive, ready only if it can work, and stops when told to', async (name) => {
    const { env, opsPort } = await plan(name);
    const { child, ended } = run(name, env);
    const get = (path: string) => fetch(`http://127.0.0.1:${opsPort}${path}`);
    await waitFor('its ops port', async () => (await get('/healthz')).ok);
    const ready = await get('/readyz');
    const worksAlone = name === 'gateway' || name === 'redirect';
    expect(ready.status).toBe(worksAlone ? 200 : 503);
    if (!worksAlone) expect(((await ready.json()) as { failing: string[] }).failing).toContain('database');
    expect(await (await get('/metrics')).text()).toContain('process_cpu_seconds_total');
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  });

  test('a request gets 503 with Retry-After soon, for reads and writes', async () => {
    const { env, port } = await plan('resource');
    run('resource', env);
    await waitFor('its ops port', async () => (await fetch(`http://127.0.0.1:${env['OPS_PORT']}/healthz`)).ok);
    const caller = new ServiceCaller('resource', () => `http://127.0.0.1:${port}`, identityKeyOf(secrets, 'resource'));
    for (const [method, body] of [['GET'], ['POST', { destination_url: 'https://example.com' }]] as const) {
      const startedAt = Date.now();
      const answer = await caller.call(method, '/links', { body });
      expect([answer.status, answer.body.error.code]).toEqual([503, 'service_unavailable']);
      expect(answer.headers.get('retry-after')).not.toBeNull();
      expect(Date.now() - startedAt).toBeLessThan(20_000);
    }
  });

  test('a taken port is one clear error', async () => {
    const { env } = await plan('gateway');
    const first = run('gateway', env);
    await waitFor('the first', async () => (await fetch(`http://127.0.0.1:${env['OPS_PORT']}/healthz`)).ok);
    const [opsPort] = await freePorts(1);
    const second = run('gateway', { ...env, OPS_PORT: String(opsPort) });
    expect((await second.ended).code).toBe(1);
    first.child.kill('SIGTERM');
    await first.ended;
  });
});
