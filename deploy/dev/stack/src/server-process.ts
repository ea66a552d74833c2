import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { endProcess, identify, processTree, signalAll, type ProcessIdentity } from './processes.js';

const READY_POLL_MS = 25;
const APPEND_TO_EXISTING = constants.O_APPEND | constants.O_WRONLY;

export interface ServerSpec {
  name: string;
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  logFile: string;
  stopSignal: NodeJS.Signals;
  stopTimeoutMs: number;
  startTimeoutMs: number;
  /** The server's standard input stays open as long as this process lives. */
  holdsInput?: boolean;
  isReady(): Promise<boolean>;
  onStarted(pid: number): void;
  /** Receives how a running server has ended unexpectedly; it is then restarted. Without this function it stays down. */
  onCrashed?(how: string): void;
}

/** One server in a session of its own: a terminal's Ctrl-C reaches only the process that owns it. */
export class ServerProcess {
  private child?: ChildProcess;
  private identity?: ProcessIdentity;
  /** Whether the server is running, and neither stopped nor signalled by this process. */
  private isExpectedToRun = false;

  constructor(private readonly spec: ServerSpec) {}

  pids(): number[] {
    return this.identity ? processTree(this.identity.pid) : [];
  }

  signal(signal: NodeJS.Signals): void {
    this.isExpectedToRun = false;
    signalAll(this.pids(), signal);
  }

  async start(): Promise<void> {
    if (this.pids().length > 0) throw new Error(`${this.spec.name} is already running`);
    const log = openSync(this.spec.logFile, 'w');
    this.child = spawn(this.spec.command, this.spec.args, {
      env: this.spec.env,
      detached: true,
      stdio: [this.spec.holdsInput ? 'pipe' : 'ignore', log, log],
    });
    closeSync(log);
    this.child.on('error', () => undefined);
    this.child.on('exit', (code, signal) => this.onExit(signal ?? `code ${code}`));
    // Neither a server nor the pipe to it keeps a program alive that forgot to stop its stack.
    this.child.unref();
    (this.child.stdin as unknown as { unref?(): void } | null)?.unref?.();
    if (this.child.pid) this.noteStarted(this.child.pid);
    await this.waitReady();
    this.isExpectedToRun = true;
  }

  async stop(): Promise<void> {
    this.isExpectedToRun = false;
    if (this.identity) await endProcess(this.identity, this.spec.stopSignal, this.spec.stopTimeoutMs);
    this.child?.stdin?.destroy();
    this.identity = undefined;
  }

  private onExit(how: string): void {
    this.logEnd(how);
    if (!this.isExpectedToRun || !this.spec.onCrashed) return;
    this.isExpectedToRun = false;
    this.spec.onCrashed(how);
    // A server that ends at its start stays down: its log says why.
    this.start().catch(() => undefined);
  }

  /** A process that crashes in native code writes nothing itself. */
  private logEnd(how: string): void {
    try {
      const log = openSync(this.spec.logFile, APPEND_TO_EXISTING);
      writeSync(log, `${this.spec.name} ended with ${how}\n`);
      closeSync(log);
    } catch {
      // The stack's folder has been deleted.
    }
  }

  private noteStarted(pid: number): void {
    this.identity = identify(pid);
    this.spec.onStarted(pid);
  }

  private async waitReady(): Promise<void> {
    const deadline = Date.now() + this.spec.startTimeoutMs;
    while (!(await this.spec.isReady())) {
      if (this.child?.exitCode != null || this.child?.signalCode) throw this.failure('ended at its start');
      if (!this.child?.pid) throw this.failure('could not be started');
      if (Date.now() > deadline) throw this.failure(`was not ready after ${this.spec.startTimeoutMs} ms`);
      await sleep(READY_POLL_MS);
    }
  }

  private failure(what: string): Error {
    const log = readFileSync(this.spec.logFile, 'utf8').trim().split('\n').slice(-20).join('\n');
    return new Error(`${this.spec.name} ${what}; its log ends with:\n${log}`);
  }
}
