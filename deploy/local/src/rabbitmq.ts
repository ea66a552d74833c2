import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answers } from './ports';
import { privateProgram, runPrivate, type ProgramOptions } from './private-program';
import { ServerProcess } from './server-process';
import { makeFolder, noteServer, type StackFolder } from './stack-folder';

const CTL_TIMEOUT_MS = 30_000;
const NODE = 'waymark@localhost';
/** AMQP 0-9-1 §4.2.2: the server answers this with Connection.Start once it takes clients. */
const PROTOCOL_HEADER = Buffer.from('AMQP\0\0\x09\x01', 'latin1');

export interface RabbitMqOptions {
  root: string;
  folder: StackFolder;
  ports: { amqp: number; distribution: number; epmd: number };
}

export interface RabbitMq {
  /** Erlang's name server, which the broker needs first. */
  names: ServerProcess;
  broker: ServerProcess;
  ctl: (...args: string[]) => Promise<string>;
}

export function prepareRabbitMq({ root, folder, ports }: RabbitMqOptions): RabbitMq {
  const home = `${folder.inside}/rabbitmq`;
  makeFolder(root, join(folder.outside, 'rabbitmq'), 'rabbitmq');
  writeFileSync(join(folder.outside, 'rabbitmq/rabbitmq.conf'), configuration(ports.amqp));
  writeFileSync(join(folder.outside, 'rabbitmq/enabled_plugins'), '[].\n');
  const program: ProgramOptions = { root, user: 'rabbitmq', home, env: environment(home, ports) };
  const ctl = (...args: string[]): Promise<string> =>
    runPrivate(privateProgram(program, 'rabbitmqctl', ...args), CTL_TIMEOUT_MS);
  return { names: nameServer(program, folder, ports.epmd), broker: broker(program, folder, ports.amqp), ctl };
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

function broker(program: ProgramOptions, folder: StackFolder, port: number): ServerProcess {
  return new ServerProcess({
    name: 'RabbitMQ',
    ...privateProgram({ ...program, deathSignal: 'TERM' }, 'rabbitmq-server'),
    logFile: join(folder.outside, 'rabbitmq.log'),
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 20_000,
    startTimeoutMs: 60_000,
    isReady: () => answers(port, PROTOCOL_HEADER),
    onStarted: (pid) => noteServer(folder, 'rabbitmq', pid),
  });
}

function configuration(port: number): string {
  return [
    `listeners.tcp.local = 127.0.0.1:${port}`,
    'log.console = true',
    'log.console.level = warning',
    'log.console.use_colors = off',
    'log.file = false',
    'vm_memory_high_watermark.absolute = 1GB',
    // The root has no /proc: memory is what the allocators say.
    'vm_memory_calculation_strategy = allocated',
    'total_memory_available_override_value = 2GB',
    'disk_free_limit.absolute = 100MB',
    // The default of 512 MB a write-ahead file is made for servers of their own.
    'raft.wal_max_size_bytes = 64000000',
    '',
  ].join('\n');
}

function environment(home: string, ports: RabbitMqOptions['ports']): Record<string, string> {
  return {
    RABBITMQ_NODENAME: NODE,
    RABBITMQ_CONFIG_FILE: `${home}/rabbitmq.conf`,
    RABBITMQ_MNESIA_BASE: `${home}/data`,
    RABBITMQ_LOG_BASE: `${home}/log`,
    RABBITMQ_ENABLED_PLUGINS_FILE: `${home}/enabled_plugins`,
    RABBITMQ_PID_FILE: `${home}/pid`,
    ERL_CRASH_DUMP_BYTES: '0',
    RABBITMQ_DIST_PORT: String(ports.distribution),
    ERL_EPMD_PORT: String(ports.epmd),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    // Makes the start script become the broker instead of waiting beside it.
    RUNNING_UNDER_SYSTEMD: 'true',
    // Idle schedulers sleep: the machine's cores belong to what is being developed.
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS:
      '+sbwt none +sbwtdcpu none +sbwtdio none -kernel inet_dist_use_interface {127,0,0,1}',
  };
}
