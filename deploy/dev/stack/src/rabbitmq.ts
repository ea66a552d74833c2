import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ANY_NAMESPACE, policies } from '@waymark/kernel/broker/policies';
import { answers } from './ports.js';
import { privateProgram, runPrivate, type ProgramOptions } from './private-program.js';
import { ServerProcess } from './server-process.js';
import { makeFolder, noteServer, type StackFolder } from './stack-folder.js';

const NODE = 'waymark@localhost';
const MIB = 1024 * 1024;
/** Limits for a development machine, where the broker shares the disk. */
const LIMITS = { scanBytesMax: 1024 * MIB, workBytesMax: 256 * MIB, companionBytesMax: 64 * MIB };
/** Size of a write-ahead file; the default of 512 MB is meant for dedicated servers. */
const WAL_BYTES = 64_000_000;
/** AMQP 0-9-1 §4.2.2: the server answers this with Connection.Start once it takes clients. */
const PROTOCOL_HEADER = Buffer.from('AMQP\0\0\x09\x01', 'latin1');

export interface NodePorts {
  amqp: number;
  distribution: number;
}

export interface RabbitMqOptions {
  root: string;
  folder: StackFolder;
  epmd: number;
  /** One for each node; the second and further ones join the first. */
  nodes: readonly NodePorts[];
}

export interface RabbitMqNode {
  broker: ServerProcess;
  ctl: (...args: string[]) => Promise<string>;
}

export interface RabbitMq {
  /** Erlang's name server, which the nodes need first. */
  names: ServerProcess;
  nodes: RabbitMqNode[];
}

export function prepareRabbitMq({ root, folder, epmd, nodes }: RabbitMqOptions): RabbitMq {
  const home = `${folder.inside}/rabbitmq`;
  makeFolder(root, join(folder.outside, 'rabbitmq'), 'rabbitmq');
  writeMountTable(root);
  writeFileSync(join(folder.outside, 'rabbitmq/enabled_plugins'), '[].\n');
  writeFileSync(join(folder.outside, 'rabbitmq/definitions.json'), JSON.stringify(definitions()));
  const programOf = (ports: NodePorts, index: number): ProgramOptions => ({
    root,
    user: 'rabbitmq',
    home,
    env: environment(home, index, { ...ports, epmd }),
  });
  return {
    names: nameServer(programOf(nodes[0]!, 0), folder, epmd),
    nodes: nodes.map((ports, index) => {
      const file = join(folder.outside, 'rabbitmq', configurationFile(index));
      writeFileSync(file, configuration(home, ports.amqp, index));
      const program = programOf(ports, index);
      const ctl = (...args: string[]): Promise<string> => runPrivate(privateProgram(program, 'rabbitmqctl', ...args));
      return { broker: broker(program, folder, { index, port: ports.amqp }), ctl };
    }),
  };
}

/** The root has no /proc: without a table of mounts `df` warns, and the broker can't read the free disk space from it. */
function writeMountTable(root: string): void {
  const table = join(root, 'etc/mtab');
  const written = `${table}.${process.pid}`;
  writeFileSync(written, 'root / auto rw 0 0\n');
  renameSync(written, table);
}

/** The first node keeps the name that single brokers have: its data stays readable. */
const nodeName = (index: number): string => (index === 0 ? NODE : NODE.replace('@', `${index + 1}@`));
const suffix = (index: number): string => (index === 0 ? '' : `-${index + 1}`);
const configurationFile = (index: number): string => `rabbitmq${suffix(index)}.conf`;

/** A broker that imports definitions makes no default user. */
function definitions(): object {
  const vhost = '/';
  return {
    vhosts: [{ name: vhost }],
    users: [{ name: 'guest', password: 'guest', tags: ['administrator'] }],
    permissions: [{ user: 'guest', vhost, configure: '.*', write: '.*', read: '.*' }],
    policies: policies(vhost, ANY_NAMESPACE, LIMITS),
  };
}

function nameServer(program: ProgramOptions, folder: StackFolder, port: number): ServerProcess {
  return new ServerProcess({
    name: 'epmd',
    ...privateProgram({ ...program, deathSignal: 'KILL' }, 'epmd', '-port', String(port), '-address', '127.0.0.1'),
    logFile: join(folder.outside, 'epmd.log'),
    stopSignal: 'SIGKILL',
    stopTimeoutMs: 2_000,
    startTimeoutMs: 10_000,
    isReady: () => answers(port),
    onStarted: (pid) => noteServer(folder, 'epmd', pid),
  });
}

function broker(
  program: ProgramOptions,
  folder: StackFolder,
  { index, port }: { index: number; port: number },
): ServerProcess {
  return new ServerProcess({
    name: `RabbitMQ${suffix(index)}`,
    ...privateProgram({ ...program, deathSignal: 'TERM' }, 'rabbitmq-server'),
    logFile: join(folder.outside, `rabbitmq${suffix(index)}.log`),
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 20_000,
    startTimeoutMs: 60_000,
    isReady: () => answers(port, PROTOCOL_HEADER),
    onStarted: (pid) => noteServer(folder, `rabbitmq${suffix(index)}`, pid),
  });
}

function configuration(home: string, port: number, index: number): string {
  return [
    ...(index === 0 ? [] : joining(index)),
    'definitions.import_backend = local_filesystem',
    `definitions.local.path = ${home}/definitions.json`,
    `listeners.tcp.local = 127.0.0.1:${port}`,
    'log.console = true',
    'log.console.level = warning',
    'log.console.use_colors = off',
    'log.file = false',
    'vm_memory_high_watermark.absolute = 1GB',
    // The root has no /proc: take memory usage from the allocators.
    'vm_memory_calculation_strategy = allocated',
    'total_memory_available_override_value = 2GB',
    'disk_free_limit.absolute = 100MB',
    `raft.wal_max_size_bytes = ${WAL_BYTES}`,
    '',
  ].join('\n');
}

/** The node joins the first one when it starts without data. */
function joining(index: number): string[] {
  return [
    'cluster_formation.peer_discovery_backend = classic_config',
    `cluster_formation.classic_config.nodes.1 = ${nodeName(0)}`,
    `cluster_formation.classic_config.nodes.2 = ${nodeName(index)}`,
  ];
}

function environment(home: string, index: number, ports: NodePorts & { epmd: number }): Record<string, string> {
  return {
    RABBITMQ_NODENAME: nodeName(index),
    RABBITMQ_CONFIG_FILE: `${home}/${configurationFile(index)}`,
    RABBITMQ_MNESIA_BASE: `${home}/data`,
    RABBITMQ_LOG_BASE: `${home}/log`,
    RABBITMQ_ENABLED_PLUGINS_FILE: `${home}/enabled_plugins`,
    RABBITMQ_PID_FILE: `${home}/pid${suffix(index)}`,
    ERL_CRASH_DUMP_BYTES: '0',
    RABBITMQ_DIST_PORT: String(ports.distribution),
    ERL_EPMD_PORT: String(ports.epmd),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    // Makes the start script become the broker instead of waiting beside it.
    RUNNING_UNDER_SYSTEMD: 'true',
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: [
      // Idle schedulers sleep, to leave the cores to other processes.
      '+sbwt none +sbwtdcpu none +sbwtdio none',
      '-kernel inet_dist_use_interface {127,0,0,1}',
      // What the setting `raft.wal_max_size_bytes` no longer covers from RabbitMQ 4.3 on; the new setting stops older ones.
      `-rabbit quorum_wal_max_size_bytes ${WAL_BYTES}`,
    ].join(' '),
  };
}
