import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MONGO_IMAGE, RABBITMQ_IMAGE } from '@waymark/local/docker-stack';
import { ROOT } from '@waymark/local/system/process-table';
import { composeFile, type ComposeService } from './compose.js';
import {
  configurationOf,
  DEPLOYMENTS,
  PROCESSES,
  processesOf,
  unreadVariables,
  upstreamsOf,
  type ProcessFacts,
} from './process-facts.js';

const KEYS_SCRIPT = join(ROOT, 'deploy/images/make-keys.mjs');

let keys: string;
beforeAll(() => {
  keys = mkdtempSync(join(tmpdir(), 'waymark-keys-'));
  makeKeys();
});
afterAll(() => rmSync(keys, { recursive: true, force: true }));

const makeKeys = () => expect(spawnSync(process.execPath, [KEYS_SCRIPT, keys]).status).toBe(0);
const keyIn = (volume: string) => readFileSync(join(keys, volume, 'key'), 'utf8');

/** `volume:/path[:ro]` */
const mountsOf = (service: ComposeService) =>
  (service.volumes ?? []).map((text) => {
    const [source = '', target = '', mode = 'rw'] = text.split(':');
    return { source, target, mode };
  });

/** The environment with every file where this machine has it; a file that no volume brings is an error. */
function environmentOf(service: ComposeService): Record<string, string> {
  const entries = Object.entries(service.environment ?? {}).map(([name, value]) => {
    if (!name.endsWith('_FILE')) return [name, String(value)];
    const mount = mountsOf(service).find(({ target }) => value.startsWith(`${target}/`));
    if (!mount) throw new Error(`${name}: no volume has ${value}`);
    return [name, join(keys, mount.source, value.slice(mount.target.length))];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

const configOf = (process: ProcessFacts, services: Record<string, ComposeService>) =>
  configurationOf(process, environmentOf(services[process.name]!));

describe.each(DEPLOYMENTS)('docker-compose.yml for %s', (deployment) => {
  const { services, networks, volumes, name } = composeFile(deployment);
  const processes = processesOf(deployment);

  test('runs every process of the deployment, the two servers, and what makes the keys', () => {
    const expected = [...processes.map((process) => process.name), 'keys', 'mongo', 'rabbitmq'];
    expect(Object.keys(services).sort()).toEqual(expected.sort());
    expect(name).toBe(`waymark-${deployment}`);
  });

  test.each(processes)('$name gets a configuration it starts with, and no variable it does not read', (process) => {
    const config = configOf(process, services);
    expect(config['DEPLOYMENT']).toBe(deployment);
    expect(unreadVariables(process, Object.keys(services[process.name]!.environment!))).toEqual([]);
  });

  test.each(processes)('$name is built from its own folder', ({ name: own, workspace }) => {
    const { build, image } = services[own]!;
    expect(build).toEqual({ dockerfile: 'deploy/images/Dockerfile', context: '.', args: { WORKSPACE: workspace } });
    expect(image).toBe(`waymark/${own}:local`);
  });

  test.each(processes)('$name is asked for its readiness, and comes back when it ends', ({ name: own, opsPort }) => {
    const { healthcheck, restart } = services[own]!;
    expect(healthcheck!.test.slice(0, 3)).toEqual(['CMD', 'node', '-e']);
    expect(healthcheck!.test[3]).toContain(`http://127.0.0.1:${opsPort}/readyz`);
    expect(restart).toBe('unless-stopped');
  });

  test.each(processes)('$name can write nowhere but /tmp and its volumes, and has no privileges', ({ name: own }) => {
    const { read_only, tmpfs, cap_drop, security_opt } = services[own]!;
    expect({ read_only, tmpfs, cap_drop, security_opt }).toEqual({
      read_only: true,
      tmpfs: ['/tmp'],
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
  });

  test.each(processes)('$name has the time to stop that it takes', ({ name: own, stopDeadlineSeconds }) => {
    expect(parseInt(services[own]!.stop_grace_period!, 10)).toBeGreaterThan(stopDeadlineSeconds);
  });

  test('the gateway, the redirect and the answer to TLS terminators are reached from this machine alone; nothing else is', () => {
    const published = Object.entries(services).flatMap(([own, { ports }]) => (ports ?? []).map((port) => [own, port]));
    const factsOf = (own: string) => PROCESSES.find((process) => process.name === own)!;
    expect(published).toEqual([
      ['gateway', `127.0.0.1:8080:${factsOf('gateway').port}`],
      ['redirect', `127.0.0.1:8090:${factsOf('redirect').port}`],
      ...(deployment === 'links' ? [['domain', `127.0.0.1:8091:${factsOf('domain').opsPort}`]] : []),
    ]);
  });

  test('the gateway finds every service at its port, in a network both are in', () => {
    const gateway = PROCESSES.find((process) => process.name === 'gateway')!;
    const upstreams = upstreamsOf(gateway, configOf(gateway, services)).filter(([{ name: own }]) => own in services);
    expect(upstreams).toHaveLength(processes.length - 2);
    for (const [upstream, url] of upstreams) {
      expect(url.href).toBe(`http://${upstream.name}:${upstream.port}/`);
      expect(services[upstream.name]!.networks).toContain('inside');
    }
    expect(services['gateway']!.networks).toContain('inside');
  });

  test('only what answers or asks the outside is in a network that reaches it', () => {
    expect(networks['inside']).toEqual({ internal: true });
    const outside = Object.keys(services).filter((own) => services[own]!.networks?.includes('outside'));
    const expected = ['gateway', 'redirect', 'webhook', ...(deployment === 'links' ? ['domain'] : [])];
    expect(outside.sort()).toEqual(expected.sort());
  });

  test('each key is given to its owner alone, to be read', () => {
    const readers = (volume: string) =>
      Object.keys(services).filter((own) => own !== 'keys' && mountsOf(services[own]!).some(isOf(volume)));
    expect(readers('identity-private')).toEqual(['gateway']);
    expect(readers('webhook-secret')).toEqual(['webhook']);
    expect(readers('identity-public')).not.toContain('gateway');
    const writable = processes.flatMap((process) => mountsOf(services[process.name]!).filter(isWritable));
    expect(writable.map(({ source }) => source)).toEqual(['spool']);
  });

  test('each service has a database of its own', () => {
    const uris = processes.flatMap((process) => services[process.name]!.environment!['MONGODB_URI'] ?? []);
    expect(uris).toHaveLength(processes.length - 1);
    expect(new Set(uris).size).toBe(uris.length);
    for (const uri of uris) expect(new URL(uri).searchParams.get('replicaSet')).toBe('waymark');
  });

  test('the database becomes the replica set under the name that the services ask for', () => {
    const { hostname, healthcheck, command } = services['mongo'] as ComposeService & { hostname: string };
    expect(command).toEqual(['mongod', '--replSet', 'waymark', '--bind_ip_all']);
    expect(healthcheck!.test.at(-1)).toContain(`host: '${hostname}:27017'`);
    const uri = new URL(services['auth']!.environment!['MONGODB_URI']!);
    expect(uri.hostname).toBe(hostname);
  });

  test('images have a version, and the servers that of the local stack', () => {
    for (const { image } of Object.values(services)) expect(image).toMatch(/^[a-z/]+:(?!latest)\w+$/);
    expect([services['mongo']!.image, services['rabbitmq']!.image]).toEqual([MONGO_IMAGE, RABBITMQ_IMAGE]);
  });

  test('every volume that is used is declared', () => {
    const named = Object.values(services).flatMap((service) => mountsOf(service).map(({ source }) => source));
    const used = named.filter((source) => !source.startsWith('.'));
    expect([...new Set(used)].sort()).toEqual(Object.keys(volumes).sort());
  });
});

const isOf = (volume: string) => (mount: { source: string }) => mount.source === volume;
const isWritable = ({ mode }: { mode: string }) => mode !== 'ro';

test('both deployments run beside each other on one machine when one is given other ports', () => {
  const { name, services } = composeFile('qr', { WAYMARK_PORT: '8180', WAYMARK_SHORT_PORT: '8190' });
  expect(name).not.toBe(composeFile('links').name);
  expect([services['gateway']!.ports, services['redirect']!.ports]).toEqual([
    ['127.0.0.1:8180:8080'],
    ['127.0.0.1:8190:8090'],
  ]);
  expect(services['auth']!.environment!['API_BASE_URL']).toBe('http://127.0.0.1:8180');
  expect(services['resource']!.environment!['SHORT_BASE_URL']).toBe('http://127.0.0.1:8190');
});

test('keys that are there stay when they are made again', () => {
  const before = [keyIn('identity-private'), keyIn('webhook-secret')];
  makeKeys();
  expect([keyIn('identity-private'), keyIn('webhook-secret')]).toEqual(before);
});
