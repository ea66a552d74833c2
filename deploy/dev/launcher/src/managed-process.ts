import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessName, ProcessPlan } from './process-table.js';

/** A process that ends is noticed at once; this is for one that hangs, on a machine of any speed. */
const START_TIMEOUT_MS = 180_000;
/** Longer than a process's own shutdown deadline. */
const STOP_TIMEOUT_MS = 28_000;

/** One process of the system: started, watched, and ended by its own id. */
export class ManagedProcess {
  private child?: ChildProcess;
  private exited: Promise<void> = Promise.resolve();
  private isEndExpected = false;

  constructor(
    private readonly plan: ProcessPlan,
    private readonly logFile: string,
    private readonly onUnexpectedEnd: (problem: string) => void,
  ) {}

  get name(): ProcessName {
    return this.plan.name;
  }
  get pid(): number {
    return this.child?.pid ?? 0;
  }
  get opsUrl(): string {
    return `http://127.0.0.1:${this.plan.opsPort}`;
  }
  get url(): string {
    return `http://127.0.0.1:${this.plan.port}`;
  }

  /** Resolves when the process says that it has started. */
  async start(env: Record<string, string> = {}): Promise<void> {
    mkdirSync(dirname(this.logFile), { recursive: true });
    const log = openSync(this.logFile, 'a');
    this.isEndExpected = false;
    // Its own session: a Ctrl-C in the terminal is for the supervisor, which stops everything in order. Should the
    // supervisor itself be killed, the IPC channel closes and the process shuts down.
    const child = spawn(process.execPath, ['--enable-source-maps', this.plan.entry], {
      env: { ...inherited(), ...this.plan.env, ...env },
      stdio: ['ignore', log, log, 'ipc'],
      detached: true,
    });
    closeSync(log);
    this.child = child;
    this.exited = new Promise((resolve) => child.once('exit', () => resolve()));
    const started = new Promise<void>((resolve) => child.once('message', () => resolve()));
    const timeout = sleep(START_TIMEOUT_MS, 'timeout', { ref: false });
    const outcome = await Promise.race([started, this.exited.then(() => 'exited'), timeout]);
    if (outcome !== undefined && !this.isEndExpected)
      throw new Error(`${this.name} did not start: ${this.lastWords()}`);
    child.once('exit', (code, signal) => {
      if (this.child !== child || this.isEndExpected) return;
      this.onUnexpectedEnd(`${this.name} ended (${signal ?? code}): ${this.lastWords()}`);
    });
  }

  /** Sends SIGTERM, and SIGKILL if the process does not end in time. */
  async stop(): Promise<void> {
    if (!this.isRunning()) return;
    this.isEndExpected = true;
    this.child!.kill('SIGTERM');
    const timeout = sleep(STOP_TIMEOUT_MS, 'timeout', { ref: false });
    if ((await Promise.race([this.exited, timeout])) === 'timeout') await this.kill();
  }

  async kill(): Promise<void> {
    if (!this.isRunning()) return;
    this.isEndExpected = true;
    this.child!.kill('SIGKILL');
    await this.exited;
  }

  signal(signal: NodeJS.Signals): void {
    this.child?.kill(signal);
  }

  /** Returns one of the process's metrics, summed over those of its labels that contain `labels`; 0 without any. */
  async metric(name: string, labels = ''): Promise<number> {
    const text = await (await fetch(`${this.opsUrl}/metrics`)).text();
    const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
    const wanted = lines.filter((line) => line.includes(labels));
    return wanted.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  }

  /** Returns the resident memory, in MiB. */
  residentMegabytes(): number {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) / 1024;
  }

  /** The largest resident memory since this process started, in MiB; 0 when it is not running. */
  peakResidentMegabytes(): number {
    if (!this.isRunning()) return 0;
    try {
      const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
      return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
    } catch {
      // The process ended between the check and the read.
      return 0;
    }
  }

  private isRunning(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Returns the last fatal line of its log, else its last error or line; the message and the error of a JSON line. */
  private lastWords(): string {
    const lines = readFileSync(this.logFile, 'utf8').trimEnd().split('\n');
    const fatal =
      lines.findLast((line) => line.includes('"level":"fatal"')) ??
      lines.findLast((line) => /Error: |bad configuration/.test(line)) ??
      lines.at(-1) ??
      '';
    try {
      const { msg, err } = JSON.parse(fatal) as { msg: string; err?: { message: string } };
      return err ? `${msg}: ${err.message}` : msg;
    } catch {
      return fatal.slice(0, 500);
    }
  }
}

function inherited(): NodeJS.ProcessEnv {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return { PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) };
}
