import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { STOP_DEADLINE_MS } from '@waymark/kernel/process/lifecycle';
import { CLICKHOUSE_IMAGE, MONGO_IMAGE, RABBITMQ_IMAGE } from '@waymark/stack/docker-stack';
import { ROOT } from '@waymark/launcher/process-table';
import { identityKeyOf } from '@waymark/launcher/secrets';
import { composeFile, type ComposeService } from './compose.js';
import { MongoShell } from './mongo-shell.js';
import {
  configurationOf,
  DEPLOYMENTS,
  heapOf,
  megabytes,
  PROCESSES,
  processesOf,
  unreadVariables,
  upstreamsOf,
  type DeploymentName,
  type ProcessFacts,
} from './process-facts.js';

const SERVERS = ['mongo', 'rabbitmq'];
/** Each prepares a start, by the server whose secrets it reads, and ends. */
const PREPARING: Record<string, string> = { keys: '', 'mongo-users': 'mongo', 'rabbitmq-definitions': 'rabbitmq' };
const isRunning = (name: string) => !(name in PREPARING);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-compose-secrets-'));
  DEPLOYMENTS.forEach(makeSecrets);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the program of the container `keys` on this machine: the checkout is its `/app`. */
function makeSecrets(deployment: DeploymentName): void {
  const [, script = '', ...args] = composeFile(deployment).services['keys']!.command!;
  const onThisMachine = args.map((arg) => (arg === '/secrets' ? join(folder, deployment) : arg));
  expect(spawnSync(process.execPath, [script.replace('/app', ROOT), ...onThisMachine]).status).toBe(0);
}

const secret = (deployment: DeploymentName, container: string, name: string) =>
  readFileSync(join(folder, deployment, container, name), 'utf8');

/** `volume:/path[:ro]` */
const mountsOf = (service: ComposeService) =>
  (service.volumes ?? []).map((text) => {
    const [source = '', target = '', mode = 'rw'] = text.split(':');
    return { source, target, mode };
  });

/** The environment with every file where this machine has it; a file that no volume brings is an error. */
function environmentOf(service: ComposeService, keys: ComposeService): Record<string, string> {
  const entries = Object.entries(service.environment ?? {}).map(([name, value]) => {
    if (!name.endsWith('_FILE')) return [name, String(value)];
    const mount = mountsOf(service).find(({ target }) => value.startsWith(`${target}/`));
    const made = mountsOf(keys).find(({ source }) => source === mount?.source);
    if (!mount || !made) throw new Error(`${name}: no volume has ${value}`);
    return [name, join(folder, keys.command!.at(-2)!, made.target.replace('/secrets/', ''), value.slice(mount.target.length))]; // prettier-ignore
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

const configOf = (process: ProcessFacts, services: Record<string, ComposeService>) =>
  configurationOf(process, environmentOf(services[process.name]!, services['keys']!));

describe.each(DEPLOYMENTS)('docker-compose.yml for %s', (deployment) => {
  const { services, networks, volumes, name } = composeFile(deployment);
  const processes = processesOf(deployment);

  test('runs every process of the deployment, the three servers, and the containers that prepare them', () => {
    const expected = [...processes.map(({ name: own }) => own), ...SERVERS, 'clickhouse', ...Object.keys(PREPARING)];
    expect(Object.keys(services).sort()).toEqual(expected.sort());
    expect(name).toBe(`waymark-${deployment}`);
  });

  test('bounds the logs of every container', () => {
    for (const [service, { logging }] of Object.entries(services)) {
      expect([service, logging?.driver]).toEqual([service, 'local']);
      expect(logging!.options).toEqual({ 'max-size': '50m', 'max-file': '5' });
    }
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

  test.each(processes)('$name has a readiness check, and is restarted when it ends', ({ name: own, opsPort }) => {
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

  test.each(processes)('$name has the time to stop that it takes', ({ name: own }) => {
    expect(parseInt(services[own]!.stop_grace_period!, 10)).toBeGreaterThan(STOP_DEADLINE_MS / 1000);
  });

  test('the gateway, the redirect and the answer to TLS terminators are reached from this machine alone; nothing else is', () => {
    const published = Object.entries(services).flatMap(([own, { ports }]) => (ports ?? []).map((port) => [own, port]));
    const factsOf = (own: string) => PROCESSES.find((process) => process.name === own)!;
    expect(published).toEqual([
      ['gateway', `127.0.0.1:8080:${factsOf('gateway').port}`],
      ['redirect', `127.0.0.1:8090:${factsOf('redirect').port}`],
      ...(deployment === 'links' ? [['domain', `127.0.0.1:8091:${factsOf('domain').tlsAskPort}`]] : []),
    ]);
  });

  test('the gateway finds every service at its port, in a network both are in', () => {
    const gateway = PROCESSES.find((process) => process.name === 'gateway')!;
    const upstreams = upstreamsOf(gateway, configOf(gateway, services)).filter(([{ name: own }]) => own in services);
    expect(upstreams).toHaveLength(processes.length - 2);
    for (const [upstream, url] of upstreams) {
      expect(url.href).toBe(`http://${upstream.name}:${upstream.port}/`);
      expect(services[upstream.name]!.networks).toContain('api');
    }
    expect(services['gateway']!.networks).toContain('api');
  });

  test('a container shares a network only with those that it has business with', () => {
    const peersOf = (own: string) =>
      Object.keys(services).filter(
        (other) =>
          other !== own &&
          isRunning(other) &&
          services[own]!.networks?.some((net) => services[other]!.networks?.includes(net)),
      );
    const api = processes.map((process) => process.name).filter((each) => !['gateway', 'redirect'].includes(each));
    expect(peersOf('gateway').sort()).toEqual([...api, 'redirect'].sort());
    expect(peersOf('redirect').sort()).toEqual(['gateway', ...SERVERS]);
    for (const server of SERVERS) {
      const other = SERVERS.filter((each) => each !== server);
      expect(peersOf(server).sort()).toEqual([...api, 'redirect', ...other].sort());
    }
    expect(peersOf('clickhouse')).toEqual(['analytics']);
    expect(services['keys']).toMatchObject({ network_mode: 'none' });
    for (const own of ['mongo-users', 'rabbitmq-definitions']) expect(services[own]!.networks).toEqual(['data']);
  });

  test('auth, webhook and domain alone reach the outside, and no server is in a network that does', () => {
    const isOpen = (net: string) => !networks[net]?.internal && networks[net]?.driver_opts?.[MASQUERADE] !== 'false';
    const outside = Object.keys(services).filter((own) => services[own]!.networks?.some(isOpen));
    expect(outside.sort()).toEqual(deployment === 'links' ? ['auth', 'domain', 'webhook'] : ['auth', 'webhook']);
    const reachable = (net: string) => !networks[net]?.internal;
    for (const server of [...SERVERS, 'clickhouse']) expect(services[server]!.networks!.filter(reachable)).toEqual([]);
  });

  test.each(processes)('$name has the limits of memory and of the heap that it has on Kubernetes', ({ name: own }) => {
    const manifest = parseAllDocuments(readFileSync(manifestOf(own), 'utf8')).map((document) => document.toJS());
    const container = manifest[0].spec.template.spec.containers[0];
    const env = Object.fromEntries(container.env.map((variable: any) => [variable.name, variable.value]));
    const { mem_limit, environment } = services[own]!;
    expect(megabytes(mem_limit!)).toBe(megabytes(container.resources.limits.memory));
    expect(heapOf(environment!)).toBe(heapOf(env));
  });

  test('all containers have a limit of memory, and those that keep running together no more than the guide asks for', () => {
    const limitOf = (own: string) => megabytes(services[own]!.mem_limit!);
    const limits = Object.keys(services).filter(isRunning).map(limitOf);
    const guide = readFileSync(join(ROOT, 'docs/operations/compose.md'), 'utf8');
    const [, gigabytes] = /(\d+) GB of memory/.exec(guide)!;
    expect([...limits, ...Object.keys(PREPARING).map(limitOf)].every((limit) => limit > 0)).toBe(true);
    expect(limits.reduce((sum, limit) => sum + limit, 0)).toBeLessThan(Number(gigabytes) * 1024);
  });

  test('each container reads its own secrets, and no process writes anywhere but to the spool', () => {
    const { keys, ...others } = services;
    const secretsOf = (service: ComposeService) =>
      mountsOf(service).filter(({ source }) => source.endsWith('-secrets'));
    for (const [own, service] of Object.entries(others))
      expect([own, ...secretsOf(service).map(({ source, mode }) => `${source} ${mode}`)]).toEqual([own, `${PREPARING[own] ?? own}-secrets ro`]); // prettier-ignore
    for (const { source, target } of secretsOf(keys!))
      expect(`/secrets/${source.replace('-secrets', '')}`).toBe(target);
    const writable = processes.flatMap((process) => mountsOf(services[process.name]!).filter(isWritable));
    expect(writable.map(({ source }) => source)).toEqual(['spool']);
  });

  test('servers start when the secrets exist, and processes when users, rights and queues are up to date', () => {
    const ended = { condition: 'service_completed_successfully' };
    const healthy = { condition: 'service_healthy' };
    expect(services['keys']!.depends_on).toBeUndefined();
    for (const server of [...SERVERS, 'clickhouse']) expect(services[server]!.depends_on).toEqual({ keys: ended });
    expect(services['mongo-users']!.depends_on).toEqual({ mongo: healthy });
    expect(services['rabbitmq-definitions']!.depends_on).toEqual({ rabbitmq: healthy });
    for (const { name: own } of processes) {
      const upToDate = { 'mongo-users': ended, 'rabbitmq-definitions': ended };
      // Redirects start without the broker and the database.
      expect(services[own]!.depends_on).toEqual(own === 'redirect' ? { keys: ended } : upToDate);
    }
  });

  test('what prepares a start ends, and has no privileges', () => {
    for (const own of Object.keys(PREPARING)) {
      const { restart, read_only, cap_drop, security_opt } = services[own]!;
      expect([own, restart, read_only, cap_drop, security_opt]).toEqual([own, undefined, true, ['ALL'], ['no-new-privileges:true']]); // prettier-ignore
    }
  });

  test('the broker and the database get the files that each start writes', () => {
    const commandOf = (own: string) => services[own]!.entrypoint!.join(' ');
    const fileOf = (own: string, name: string) => {
      const { target } = mountsOf(services[own]!).find(({ source }) => source.endsWith('-secrets'))!;
      expect(secret(deployment, PREPARING[own]!, name)).not.toBe('');
      return `${target}/${name}`;
    };
    const definitions = fileOf('rabbitmq-definitions', 'definitions.json');
    const node = `rabbit@${services['rabbitmq']!.hostname}`;
    expect(commandOf('rabbitmq-definitions')).toBe(`rabbitmqctl --node ${node} import_definitions ${definitions}`);
    // With the broker's Erlang cookie.
    expect(services['rabbitmq-definitions']!.volumes).toContain('rabbitmq:/var/lib/rabbitmq:ro');
    expect(commandOf('mongo-users')).toContain(`--host ${services['mongo']!.hostname} `);
    expect(commandOf('mongo-users')).toContain(fileOf('mongo-users', 'root-password'));
    expect(commandOf('mongo-users')).toMatch(new RegExp(` --file ${fileOf('mongo-users', 'users.js')}$`));
  });

  test('each service has its own user in MongoDB, with rights on its own database', () => {
    const shell = MongoShell.ran(secret(deployment, 'mongo', 'users.js'));
    const withDatabase = processes
      .filter((process) => 'MONGODB_URI' in process.schema.shape)
      .map((process) => new URL(String(configOf(process, services)['MONGODB_URI'])));
    expect(withDatabase).toHaveLength(processes.length - 1);
    expect(new Set(withDatabase.map(({ username }) => username)).size).toBe(withDatabase.length);
    for (const { username, password, pathname, searchParams } of withDatabase) {
      const database = pathname.slice(1);
      const users = [...shell.accountsOf(database).users.values()];
      expect(users.map(({ user, pwd }) => [user, pwd])).toEqual([[username, password]]);
      const [user] = users as [(typeof users)[number]];
      expect(user.roles.map(({ db }) => db)).toEqual([database]);
      expect(searchParams.get('replicaSet')).toBe('waymark');
      expect(searchParams.get('authSource')).toBe(database);
    }
  });

  test('each service has its own user on the broker, and so has only the operator besides', () => {
    const definitions = JSON.parse(secret(deployment, 'rabbitmq', 'definitions.json'));
    const passwords = Object.fromEntries(definitions.users.map(({ name: user, password }: any) => [user, password]));
    const urls = processes
      .filter((process) => 'AMQP_URL' in process.schema.shape)
      .map((process) => new URL(String(configOf(process, services)['AMQP_URL'])));
    urls.push(new URL(secret(deployment, 'operator', 'AMQP_URL')));
    expect(urls.map(({ username }) => username).sort()).toEqual(Object.keys(passwords).sort());
    for (const { username, password, hostname, pathname } of urls) {
      expect(passwords[username]).toBe(password);
      expect([hostname, pathname]).toEqual(['rabbitmq', `/${definitions.vhosts[0].name}`]);
      expect(definitions.permissions.filter(({ user }: any) => user === username)).toHaveLength(1);
    }
  });

  test('analytics has the only user of the warehouse that gets in from another container, for its own database', () => {
    const { CLICKHOUSE_URL } = configOf(
      processes.find((process) => process.name === 'analytics')!,
      services,
    );
    const { username, password, host, pathname } = new URL(String(CLICKHOUSE_URL));
    const users = secret(deployment, 'clickhouse', 'users.xml');
    expect(host).toBe('clickhouse:8123');
    expect(users).toContain(`<${username}>`);
    expect(users).toContain(createHash('sha256').update(password).digest('hex'));
    expect(users).not.toContain(password);
    expect(users.match(/GRANT .*(?=<)/g)).toEqual([`GRANT ALL ON \`${pathname.slice(1)}\`.*`]);
    expect(/<default>([^]*)<\/default>/.exec(users)![1]).toContain('<ip>127.0.0.1</ip><ip>::1</ip>');
  });

  test('the warehouse runs with the limits and the settings of Kubernetes, without privileges', () => {
    const { user, read_only, cap_drop, security_opt, mem_limit, volumes, environment } = services['clickhouse']!;
    expect({ user, read_only, cap_drop, security_opt }).toEqual({
      user: '101:101',
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    const file = readFileSync(join(ROOT, 'deploy/k8s/base/clickhouse/clickhouse.yaml'), 'utf8');
    const { spec } = parseAllDocuments(file)[0]!.toJS().spec.template;
    const [container] = spec.containers;
    expect(container.image).toBe(services['clickhouse']!.image);
    expect(megabytes(mem_limit!)).toBe(megabytes(container.resources.limits.memory));
    expect(container.env).toEqual(Object.entries(environment!).map(([name, value]) => ({ name, value })));
    const paths = mountsOf(services['clickhouse']!).map(({ target }) => target);
    expect(container.volumeMounts.map(({ mountPath }: any) => mountPath)).toEqual(expect.arrayContaining(paths));
    expect(volumes).toContain('./deploy/k8s/base/clickhouse/config.xml:/etc/clickhouse-server/config.d/waymark.xml:ro');
  });

  test('the broker takes its users from the definitions, and lets no guest in', () => {
    const settings = readFileSync(join(ROOT, 'deploy/images/rabbitmq.conf'), 'utf8');
    const { volumes } = services['rabbitmq']!;
    const [mount] = mountsOf(services['rabbitmq']!).filter(({ source }) => source === 'rabbitmq-secrets');
    expect(volumes).toContain('./deploy/images/rabbitmq.conf:/etc/rabbitmq/conf.d/20-waymark.conf:ro');
    expect(settings).toContain(`load_definitions = ${mount!.target}/definitions.json`);
    expect(settings).toContain('loopback_users.guest = true');
    const [, watermark] = /^vm_memory_high_watermark\.absolute = (\d+)MB$/m.exec(settings)!;
    expect(Number(watermark)).toBeLessThan(0.7 * megabytes(services['rabbitmq']!.mem_limit!));
    // The broker holds the messages of its write-ahead file in memory.
    const [, walBytes] = /^-rabbit quorum_wal_max_size_bytes (\d+)$/.exec(
      services['rabbitmq']!.environment!['RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS']!,
    )!;
    expect(Number(walBytes) / 1e6).toBeLessThan(Number(watermark) / 3);
  });

  test('the database asks for a password, of its other members too', () => {
    const { command, entrypoint, environment, healthcheck } = services['mongo']!;
    const option = (name: string) => command![command!.indexOf(name) + 1]!;
    const [{ target } = { target: '' }] = mountsOf(services['mongo']!).filter(isOf('mongo-secrets'));
    const key = secret(deployment, 'mongo', 'key-file');
    expect(entrypoint!.join('\n')).toContain(`--mode=400 ${target}/key-file ${option('--keyFile')}`);
    expect(key).toMatch(/^[A-Za-z0-9+/=]{6,1024}$/);
    const password = `${target}/root-password`;
    expect(environment).toEqual({ MONGO_INITDB_ROOT_USERNAME: 'root', MONGO_INITDB_ROOT_PASSWORD_FILE: password });
    expect(healthcheck!.test.at(-1)).toContain(password);
    // The image runs the scripts of that folder when the database is empty.
    expect(target).not.toBe('/docker-entrypoint-initdb.d');
    expect(Number(option('--wiredTigerCacheSizeGB')) * 1024).toBeLessThan(megabytes(services['mongo']!.mem_limit!) / 2);
  });

  test('the database becomes the replica set under the name that the services ask for', () => {
    const { hostname, healthcheck, command } = services['mongo']!;
    expect(command!.slice(0, 3)).toEqual(['mongod', '--replSet', 'waymark']);
    expect(healthcheck!.test.at(-1)).toContain(`host: '${hostname}:27017'`);
    expect(new URL(secret(deployment, 'auth', 'MONGODB_URI')).hostname).toBe(hostname);
  });

  test('images have a version, and the servers that of the local stack', () => {
    for (const { image } of Object.values(services)) expect(image).toMatch(/^[a-z/-]+:(?!latest)[\w.]+$/);
    const images = ['mongo', 'rabbitmq', 'clickhouse'].map((own) => services[own]!.image);
    expect(images).toEqual([MONGO_IMAGE, RABBITMQ_IMAGE, CLICKHOUSE_IMAGE]);
    for (const own of ['mongo-users', 'rabbitmq-definitions'])
      expect(services[own]!.image).toBe(services[PREPARING[own]!]!.image);
  });

  test('every volume that is used is declared', () => {
    const named = Object.values(services).flatMap((service) => mountsOf(service).map(({ source }) => source));
    const used = named.filter((source) => !source.startsWith('.'));
    expect([...new Set(used)].sort()).toEqual(Object.keys(volumes).sort());
  });
});

/** A network without it has no way out: answers to its own connections do not find back. */
const MASQUERADE = 'com.docker.network.bridge.enable_ip_masquerade';
const manifestOf = (name: string) =>
  join(ROOT, 'deploy/k8s', name === 'domain' ? 'components/custom-domains' : 'base', `${name}.yaml`);
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

test('secrets that exist stay when they are made again', () => {
  const before = [secret('links', 'gateway', 'IDENTITY_SECRET'), secret('links', 'mongo', 'users.js')];
  makeSecrets('links');
  expect([secret('links', 'gateway', 'IDENTITY_SECRET'), secret('links', 'mongo', 'users.js')]).toEqual(before);
});

describe('an installation of an earlier version', () => {
  const fileOf = (container: string, name: string) => join(folder, 'links', container, name);
  const definitions = () => JSON.parse(secret('links', 'rabbitmq', 'definitions.json'));
  const users = () => secret('links', 'mongo', 'users.js');
  const passwordOf = (text: string) => new URL(text).password;

  test('gets the exchanges, queues and rights of this version, and keeps its passwords', () => {
    const before = { definitions: definitions(), users: users() };
    const isTopology = ({ name }: { name: string }) => name.includes('.topology.');
    expect(before.definitions.exchanges.filter(isTopology)).toHaveLength(1);
    const earlier = {
      ...before.definitions,
      exchanges: before.definitions.exchanges.filter((each: { name: string }) => !isTopology(each)),
      queues: before.definitions.queues.slice(1),
      permissions: before.definitions.permissions.map((each: object) => ({ ...each, write: '.*' })),
      policies: [],
    };
    writeFileSync(fileOf('rabbitmq', 'definitions.json'), JSON.stringify(earlier));
    writeFileSync(fileOf('mongo', 'users.js'), "db.getSiblingDB('waymark-links-audit').createRole({});");
    makeSecrets('links');
    expect(definitions()).toEqual(before.definitions);
    expect(users()).toBe(before.users);
  });

  test('gives the database user of a service the rights of this version, and changes no password', () => {
    const database = 'waymark-links-audit';
    const shell = new MongoShell();
    shell.accountsOf(database).createRole({ role: 'auditService', privileges: [], roles: [] });
    const roles = [{ role: 'auditService', db: database }];
    shell.accountsOf(database).createUser({ user: database, pwd: 'earlier', roles: [] });
    shell.run(users());
    const expected = MongoShell.ran(users()).accountsOf(database);
    expect(shell.accountsOf(database).roles).toEqual(expected.roles);
    expect(shell.accountsOf(database).users.get(database)).toEqual({ user: database, pwd: 'earlier', roles });
    const again = () => [...shell.databases].map(([name, { users: all, roles: own }]) => [name, [...all], [...own]]);
    const once = again();
    shell.run(users());
    expect(again()).toEqual(once);
  });

  test('gets the secrets and the users of a service that it did not have', () => {
    const others = definitions().users.filter(({ name }: { name: string }) => !name.endsWith('-audit'));
    const before = secret('links', 'audit', 'IDENTITY_KEY');
    rmSync(join(folder, 'links', 'audit'), { recursive: true });
    writeFileSync(fileOf('rabbitmq', 'definitions.json'), JSON.stringify({ ...definitions(), users: others }));
    makeSecrets('links');
    const name = 'waymark-links-audit';
    const made = definitions().users;
    expect(made.filter((user: { name: string }) => user.name !== name)).toEqual(others);
    expect(made.find((user: { name: string }) => user.name === name).password).toBe(
      passwordOf(secret('links', 'audit', 'AMQP_URL')),
    );
    expect(MongoShell.ran(users()).accountsOf(name).users.get(name)!.pwd).toBe(
      passwordOf(secret('links', 'audit', 'MONGODB_URI')),
    );
    expect(secret('links', 'audit', 'IDENTITY_KEY')).toBe(before);
    expect(secret('links', 'audit', 'AUDIT_SIGNING_KEY')).toContain('PRIVATE KEY');
  });
});

test('an installation that was made without a warehouse gets its user and keeps everything else', () => {
  const files = () => [secret('qr', 'analytics', 'MONGODB_URI'), secret('qr', 'rabbitmq', 'definitions.json')];
  const before = files();
  rmSync(join(folder, 'qr', 'clickhouse'), { recursive: true });
  rmSync(join(folder, 'qr', 'analytics', 'CLICKHOUSE_URL'));
  makeSecrets('qr');
  expect(files()).toEqual(before);
  const { password } = new URL(secret('qr', 'analytics', 'CLICKHOUSE_URL'));
  const hash = createHash('sha256').update(password).digest('hex');
  expect(secret('qr', 'clickhouse', 'users.xml')).toContain(hash);
});

test('an installation that was made without a key for two-factor sign-in gets one and keeps everything else', () => {
  const before = secret('qr', 'auth', 'MONGODB_URI');
  rmSync(join(folder, 'qr', 'auth', 'TOTP_SECRET_KEY'));
  makeSecrets('qr');
  expect(Buffer.from(secret('qr', 'auth', 'TOTP_SECRET_KEY'), 'base64')).toHaveLength(32);
  expect(secret('qr', 'auth', 'MONGODB_URI')).toBe(before);
});

test('an installation that was made without a secret for identities gets one, with its keys, and keeps everything else', () => {
  const services = ['auth', 'resource', 'analytics', 'webhook', 'audit'] as const;
  const before = secret('qr', 'auth', 'MONGODB_URI');
  rmSync(join(folder, 'qr', 'gateway', 'IDENTITY_SECRET'));
  for (const service of services) rmSync(join(folder, 'qr', service, 'IDENTITY_KEY'));
  makeSecrets('qr');
  const made = { identitySecret: secret('qr', 'gateway', 'IDENTITY_SECRET') };
  for (const service of services) expect(secret('qr', service, 'IDENTITY_KEY')).toBe(identityKeyOf(made, service));
  expect(secret('qr', 'auth', 'MONGODB_URI')).toBe(before);
});

test('keys for a rotation are written as files that only their owner reads, and never over others', () => {
  const keys = join(folder, 'new-keys');
  const run = () => spawnSync(process.execPath, [join(ROOT, 'deploy/images/make-keys.mjs'), keys]).status;
  expect(run()).toBe(0);
  const files = [
    'AUDIT_SIGNING_KEY',
    'IDENTITY_SECRET',
    'TOTP_SECRET_KEY',
    'WEBHOOK_SECRET_KEY',
    'analytics.IDENTITY_KEY',
    'audit.IDENTITY_KEY',
    'auth.IDENTITY_KEY',
    'domain.IDENTITY_KEY',
    'resource.IDENTITY_KEY',
    'webhook.IDENTITY_KEY',
  ];
  expect(readdirSync(keys).sort()).toEqual(files);
  for (const file of files) expect(statSync(join(keys, file)).mode & 0o077).toBe(0);
  expect(run()).not.toBe(0);
});
