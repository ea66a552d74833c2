import { createPrivateKey } from 'node:crypto';
import { join } from 'node:path';
import { storeEvents } from '@waymark/kernel/broker/store-events';
import { Database } from '@waymark/kernel/mongo/database';
import { ServiceCaller } from '@waymark/testing/service-caller';
import { AnchorKeys } from '@waymark/audit/chain/anchor-keys';
import type { AppendContext } from '@waymark/audit/collecting/append-entries';
import { EntryStore } from '@waymark/audit/entries/entry-store';
import { HeadStore } from '@waymark/audit/chain/head-store';
import { DayCountStore } from '@waymark/audit/entries/day-count-store';
import type { ManagedProcess } from '@waymark/launcher/managed-process';
import { backing } from '@waymark/launcher/process-table';
import { loadOrCreateSecrets } from '@waymark/launcher/secrets';
import { openEnvironment, type Stoppable } from '../install.js';

/** The audit service, and its stores as a second process has them. */
export interface Installation extends Stoppable {
  stores: AppendContext;
  caller: ServiceCaller;
  audit: ManagedProcess;
}

export function installAudit(): Promise<Installation> {
  return openEnvironment(async ({ settings, lifecycle, log, start }) => {
    const system = await start(['audit', 'auth']);
    const db = new Database(backing(settings, 'audit')['MONGODB_URI']!, { log, lifecycle });
    const secrets = loadOrCreateSecrets(join(settings.folder, 'secrets.json'));
    const heads = new HeadStore(db, new AnchorKeys(createPrivateKey(secrets.auditKey)));
    const stores = { db, entries: new EntryStore(db), heads, dayCounts: new DayCountStore(db) };
    storeEvents(db, lifecycle);
    await db.start();
    const audit = system.process('audit');
    const caller = new ServiceCaller('audit', () => audit.url, secrets);
    return { stores, caller, audit };
  });
}
