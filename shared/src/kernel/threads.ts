import { once } from 'node:events';
import { parentPort, Worker } from 'node:worker_threads';
import type { z } from 'zod';
import { loadConfig, type ProcessConfig } from './config.js';
import { Lifecycle, type ProcessParts } from './lifecycle.js';
import { createLog } from './log.js';

const STOP = 'stop';

/**
 * Runs a module (see `runThread`) in a thread of this process, for work that computes so much that others would wait. What
 * goes wrong there ends the process, as it would here; the stop waits until the thread has stopped.
 */
export function startThread(file: string, lifecycle: Lifecycle): void {
  const thread = new Worker(file);
  thread.once('error', (error) => {
    throw error;
  });
  const ended = once(thread, 'exit');
  thread.once('exit', () => {
    if (!lifecycle.isStopping) throw new Error(`the thread of ${file} has ended`);
  });
  lifecycle.onStop('thread', async () => {
    thread.postMessage(STOP);
    await ended;
  });
}

/** What `runProcess` is for a process: starts with the configuration of the process, and stops when it stops. */
export function runThread<S extends z.ZodObject>(
  name: string,
  schema: S,
  start: (parts: ProcessParts<z.output<S> & ProcessConfig>) => void | Promise<void>,
): void {
  const config = loadConfig(schema, process.env) as z.output<S> & ProcessConfig;
  const log = createLog(name, config.LOG_LEVEL);
  const lifecycle = new Lifecycle(log);
  parentPort!.once('message', () => void lifecycle.stop().then(() => process.exit()));
  void start({ config, log, lifecycle });
}
