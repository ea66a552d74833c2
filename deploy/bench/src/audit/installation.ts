import { join } from 'node:path';
import { Database } from '@waymark/shared/kernel/database';
import { Lifecycle } from '@waymark/shared/kernel/lifecycle';
import { createLog } from '@waymark/shared/kernel/log';
import { ServiceCaller } from '@waymark/shared/testing/service-caller';
import type { LogStores } from '@waymark/audit/entries/append-entries';
import { EntryStore } from '@waymark/audit/entries/entry-store';
import { HeadStore } from '@waymark/audit/entries/head-store';
import { TallyStore } from '@waymark/audit/entries/tally-store';
import { openStack } from '@waymark/local/stack';
import { backing } from '@waymark/local/system/process-table';
import { loadOrCreateSecrets } from '@waymark/local/system/secrets';
import { System } from '@waymark/local/system/system';
import { freshSettings } from '../fresh-settings.js';

/** Servers, the audit service, and its stores as a second process has them; everything is gone after `stop`. */
export interface Installation {
  stores: LogStores;
  caller: ServiceCaller;
  pid: number;
  stop(): Promise<void>;
}

export async function install(): Promise<Installation> {
  const log = createLog('bench', 'silent');
  const lifecycle = new Lifecycle(log);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void lifecycle.stop().then(() => process.exit(1)));
  }
  const stack = await openStack({ name: 'bench', fresh: true, progress: (line) => console.error(line) });
  lifecycle.onStop('stack', () => stack.stop());
  try {
    const settings = await freshSettings(stack, lifecycle);
    const system = await System.start(settings, { only: ['audit'] });
    lifecycle.onStop('system', () => system.stop());
    const db = new Database(backing(settings, 'audit')['MONGODB_URI']!, log, lifecycle);
    const stores = { db, entries: new EntryStore(db), heads: new HeadStore(db), tallies: new TallyStore(db) };
    await db.start();
    const { url, pid } = system.process('audit');
    const caller = new ServiceCaller('audit', () => url, loadOrCreateSecrets(join(settings.folder, 'secrets.json')));
    return { stores, caller, pid, stop: () => lifecycle.stop() };
  } catch (error) {
    await lifecycle.stop();
    throw error;
  }
}
