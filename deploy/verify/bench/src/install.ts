import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog, type Log } from '@waymark/kernel/process/log';
import { openStack } from '@waymark/stack/stack';
import type { Stack } from '@waymark/stack/stack-types';
import type { ProcessName, SystemSettings } from '@waymark/launcher/process-table';
import { System } from '@waymark/launcher/system';
import { freshSettings } from './fresh-settings.js';

/** The servers and settings of an installation. */
export interface Environment {
  stack: Stack;
  settings: SystemSettings;
  lifecycle: Lifecycle;
  log: Log;
  /** Starts only these processes. */
  start: (only: ProcessName[], envOf?: SystemSettings['envOf']) => Promise<System>;
}

export interface Stoppable {
  stop(): Promise<void>;
}

/** Starts separate servers for this run and an installation on them; `stop`, a failure or a signal removes both. */
export async function openEnvironment<T extends object>(
  assemble: (environment: Environment) => Promise<T>,
): Promise<T & Stoppable> {
  const log = createLog('bench', 'silent');
  const lifecycle = new Lifecycle(log);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void lifecycle.stop().then(() => process.exit(1)));
  }
  const stack = await openStack({ name: 'bench', fresh: true, progress: (line) => console.error(line) });
  lifecycle.onStop('stack', () => stack.stop());
  try {
    const settings = await freshSettings(stack, lifecycle);
    const start: Environment['start'] = async (only, envOf = {}) => {
      const system = await System.start({ ...settings, envOf }, { only });
      lifecycle.onStop('system', () => system.stop());
      return system;
    };
    const assembled = await assemble({ stack, settings, lifecycle, log, start });
    return Object.assign(assembled, { stop: () => lifecycle.stop() });
  } catch (error) {
    await lifecycle.stop();
    throw error;
  }
}
