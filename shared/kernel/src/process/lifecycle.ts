import { setFlagsFromString } from 'node:v8';
import type { z } from 'zod';
import { ConfigError, loadConfig, type ProcessConfig } from './config.js';
import { createLog, flushLog, type Log } from './log.js';
import { RunningWork } from './running-work.js';

const EX_CONFIG = 78;
const LOG_STALLED_MS = 1000;
/** Below the grace period of pods and containers. */
export const STOP_DEADLINE_MS = 25_000;
/**
 * Without pretenuring: V8 would allocate objects in the old generation when most of those from the same place in the code
 * have lived long, e.g. those of the start. They keep all that they refer to until a major garbage collection, here the
 * data of whole requests.
 */
const GARBAGE_COLLECTION = '--no-allocation-site-pretenuring';

/** Stops everything that was started, in the reverse order of its registration. */
export class Lifecycle {
  /** What this process does besides answering requests. */
  readonly work = new RunningWork();
  /** The process ends after this time although not everything has stopped. */
  stopDeadlineMs = STOP_DEADLINE_MS;
  private readonly steps: { name: string; stop: () => Promise<void> | void }[] = [];
  private readonly stopController = new AbortController();
  private stopping?: Promise<void>;
  private readonly failureListeners: ((work: string) => void)[] = [];

  constructor(private readonly log: Log) {}

  onStop(name: string, stop: () => Promise<void> | void): void {
    this.steps.push({ name, stop });
  }

  /** Calls the listener with the name of background work each time that it fails and an operator should know. */
  onWorkFailed(listener: (work: string) => void): void {
    this.failureListeners.push(listener);
  }

  reportWorkFailed(work: string): void {
    for (const listener of this.failureListeners) listener(work);
  }

  /** Aborts when the process begins to stop, before the first step. */
  get signal(): AbortSignal {
    return this.stopController.signal;
  }

  get isStopping(): boolean {
    return this.signal.aborted;
  }

  stop(): Promise<void> {
    this.stopController.abort();
    this.stopping ??= this.runSteps();
    return this.stopping;
  }

  private async runSteps(): Promise<void> {
    for (const step of this.steps.toReversed()) {
      const startedAt = Date.now();
      try {
        await step.stop();
        this.log.debug({ step: step.name, duration_ms: Date.now() - startedAt }, 'stopped');
      } catch (error) {
        this.log.warn({ err: error, step: step.name }, 'stop failed');
      }
    }
  }
}

/** What background work needs of its process. */
export interface WorkerContext {
  log: Log;
  lifecycle: Lifecycle;
}

export interface ProcessContext<Config> extends WorkerContext {
  config: Config;
}

/**
 * Runs a process from environment to signal: reads the configuration (an invalid one logs one line and exits with 78),
 * starts, and on SIGTERM or SIGINT stops everything in reverse order within the deadline.
 */
export function runProcess<S extends z.ZodObject>(
  name: string,
  schema: S,
  start: (parts: ProcessContext<z.output<S> & ProcessConfig>) => Promise<unknown>,
): void {
  setFlagsFromString(GARBAGE_COLLECTION);
  const config = configOrExit(name, schema) as z.output<S> & ProcessConfig;
  const log = createLog(name, config.LOG_LEVEL);
  const lifecycle = new Lifecycle(log);

  const shutDown = (reason: string, exitCode: number) => {
    if (lifecycle.isStopping) return;
    log.info({ reason }, 'stopping');
    const deadline = setTimeout(() => {
      log.error('stop deadline passed');
      exitProcess(1);
    }, lifecycle.stopDeadlineMs);
    void lifecycle.stop().then(() => {
      clearTimeout(deadline);
      log.info('stopped');
      exitProcess(exitCode);
    });
  };

  process.on('SIGTERM', () => shutDown('SIGTERM', 0));
  process.on('SIGINT', () => shutDown('SIGINT', 0));
  // The supervisor that started this process over IPC is gone: nothing else would end the process.
  if (process.connected) process.on('disconnect', () => shutDown('supervisor gone', 0));
  const crash = (error: unknown) => {
    log.fatal({ err: error }, 'unexpected error');
    shutDown('crash', 1);
  };
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);

  start({ config, log, lifecycle }).then(
    () => {
      log.info('started');
      process.send?.('started');
    },
    (error: unknown) => {
      log.fatal({ err: error }, `start failed: ${error instanceof Error ? error.message : String(error)}`);
      shutDown('start failed', 1);
    },
  );
}

/**
 * Exits once the log is written. While the reader of stdout is stalled, `process.exit` would wait for it in the flush of
 * the log: then a signal ends the process, and the waiting lines are lost.
 */
function exitProcess(code: number): void {
  flushLog(LOG_STALLED_MS, (isFlushed) => {
    if (isFlushed) process.exit(code);
    process.kill(process.pid, 'SIGKILL');
  });
}

function configOrExit<S extends z.ZodObject>(name: string, schema: S): z.output<S> {
  try {
    return loadConfig(schema, process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${name}: bad configuration: ${error.message}\n`);
    process.exit(EX_CONFIG);
  }
}
