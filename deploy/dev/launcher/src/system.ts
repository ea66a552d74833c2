import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '@waymark/stack/ports';
import { ManagedProcess } from './managed-process.js';
import {
  planProcesses,
  PROCESS_NAMES,
  type ProcessName,
  type ProcessPlan,
  type ProcessPorts,
  type SystemSettings,
} from './process-table.js';
import { loadOrCreateSecrets, type Secrets } from './secrets.js';

const READY_TIMEOUT_MS = 60_000;
const READY_PROGRESS_MS = 5000;
/** Processes that take requests stop first, so that the rest can finish the resulting work. */
const STOP_ORDER: ProcessName[][] = [
  ['gateway', 'redirect'],
  ['auth', 'resource', 'analytics', 'webhook', 'domain', 'audit'],
];

interface StartOptions {
  only?: readonly ProcessName[];
  onUnexpectedEnd?: (problem: string) => void;
  progress?: (line: string) => void;
}

interface Launch {
  secrets: Secrets;
  ports: Record<ProcessName, ProcessPorts>;
  onUnexpectedEnd: (problem: string) => void;
}

/** All processes of one deployment on this machine. */
export class System {
  readonly baseUrl: string;
  readonly shortUrl: string;
  private readonly processes = new Map<ProcessName, ManagedProcess>();
  private readonly replicas: ManagedProcess[] = [];

  private constructor(
    readonly settings: SystemSettings,
    private readonly launch: Launch,
  ) {
    this.baseUrl = `http://127.0.0.1:${settings.port}`;
    this.shortUrl = `http://127.0.0.1:${settings.shortPort}`;
  }

  /** Starts the named processes (default: all) and waits until they are ready; a failed start stops those started. */
  static async start(settings: SystemSettings, options: StartOptions = {}): Promise<System> {
    const secrets = loadOrCreateSecrets(join(settings.folder, 'secrets.json'));
    const ports = await choosePorts(settings);
    const { onUnexpectedEnd = () => undefined } = options;
    const system = new System(settings, { secrets, ports, onUnexpectedEnd });
    keepPrevious(system.logs);
    const plans = planProcesses(settings, secrets, ports);
    for (const plan of plans.filter(({ name }) => !options.only || options.only.includes(name))) {
      system.processes.set(plan.name, system.manage(plan, plan.name));
    }
    try {
      const processes = [...system.processes.values()];
      await Promise.all(processes.map((process) => process.start()));
      await Promise.all(processes.map((process) => pollReadiness(process, options.progress)));
    } catch (error) {
      await system.stop();
      throw error;
    }
    return system;
  }

  /** Starts another process of a kind, on its own ports, as an orchestrator would scale it. */
  async startReplica(name: ProcessName): Promise<ManagedProcess> {
    const [replica] = await this.startReplicas([name]);
    return replica!;
  }

  /** Starts a replica of each; a gateway among them forwards to the services started with it. */
  async startReplicas(names: readonly ProcessName[]): Promise<ManagedProcess[]> {
    const free = await freePorts(names.length * 2);
    const own = names.map((name, index) => [name, { port: free[index * 2]!, opsPort: free[index * 2 + 1]! }]);
    const ports = { ...this.launch.ports, ...(Object.fromEntries(own) as Partial<Record<ProcessName, ProcessPorts>>) };
    const plans = planProcesses(this.settings, this.launch.secrets, ports);
    const replicas = names.map((name, index) => {
      const plan = plans.find((candidate) => candidate.name === name)!;
      return this.manage(plan, `${name}-${this.replicas.length + index + 2}`);
    });
    this.replicas.push(...replicas);
    await Promise.all(replicas.map((replica) => replica.start()));
    await Promise.all(replicas.map(waitUntilReady));
    return replicas;
  }

  process(name: ProcessName): ManagedProcess {
    const process = this.processes.get(name);
    if (!process) throw new Error(`${name} is not part of this system`);
    return process;
  }

  /** Every process, replicas included. */
  all(): ManagedProcess[] {
    return [...this.processes.values(), ...this.replicas];
  }

  get pids(): Record<string, number> {
    return Object.fromEntries([...this.processes].map(([name, { pid }]) => [name, pid]));
  }

  private get logs(): string {
    return join(this.settings.folder, 'logs');
  }

  private manage(plan: ProcessPlan, logName: string): ManagedProcess {
    return new ManagedProcess(plan, join(this.logs, `${logName}.log`), this.launch.onUnexpectedEnd);
  }

  async stop(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.stop()));
    for (const names of STOP_ORDER) {
      await Promise.all(names.map(async (name) => this.processes.get(name)?.stop()));
    }
  }
}

async function choosePorts(settings: SystemSettings): Promise<Record<ProcessName, ProcessPorts>> {
  const free = await freePorts(PROCESS_NAMES.length * 2);
  const fixed: Partial<Record<ProcessName, number>> = { gateway: settings.port, redirect: settings.shortPort };
  return Object.fromEntries(
    PROCESS_NAMES.map((name, index) => [
      name,
      { port: fixed[name] ?? free[index * 2]!, opsPort: free[index * 2 + 1]! },
    ]),
  ) as Record<ProcessName, ProcessPorts>;
}

export const waitUntilReady = (process: ManagedProcess): Promise<void> => pollReadiness(process);

async function pollReadiness(process: ManagedProcess, progress?: (line: string) => void): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  let progressAt = Date.now() + READY_PROGRESS_MS;
  let last = 'no answer';
  while (Date.now() < deadline) {
    try {
      const response = await fetch(`${process.opsUrl}/readyz`);
      if (response.ok) return;
      last = await response.text();
    } catch {
      // It is not listening yet.
    }
    if (Date.now() >= progressAt) {
      progress?.(`waiting for ${process.name}: ${last}`);
      progressAt += READY_PROGRESS_MS;
    }
    await sleep(100);
  }
  throw new Error(`${process.name} did not become ready: ${last}`);
}

/** Keeps the logs of the previous start: they record where the audit logs ended, to detect a tampered database. */
function keepPrevious(folder: string): void {
  const previous = `${folder}.previous`;
  if (!existsSync(folder)) return;
  rmSync(previous, { recursive: true, force: true });
  renameSync(folder, previous);
}
