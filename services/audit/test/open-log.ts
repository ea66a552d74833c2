import { createPrivateKey } from 'node:crypto';
import type { AuditVerdict } from '@waymark/contract/audit-logs';
import type { Actor } from '@waymark/contract/identity';
import { newId } from '@waymark/contract/ids';
import { Database } from '@waymark/kernel/mongo/database';
import { storeEvents } from '@waymark/kernel/broker/store-events';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { auditKeys } from '@waymark/testing/keys';
import { AnchorKeys } from '@waymark/audit/chain/anchor-keys';
import type { AppendContext } from '@waymark/audit/collecting/append-entries';
import type { Entry } from '@waymark/audit/chain/entry';
import { EntryStore } from '@waymark/audit/entries/entry-store';
import { WaitingStore } from '@waymark/audit/entries/waiting-store';
import { HeadStore } from '@waymark/audit/chain/head-store';
import { DayCountStore } from '@waymark/audit/entries/day-count-store';
import { redactionSteps, type RedactContext } from '@waymark/audit/redacting/redact-entries';
import type { KeptHead } from '@waymark/audit/verifying/kept-head';
import { verifyChain } from '@waymark/audit/verifying/verify-chain';

/** One key for all processes of a test file. */
export const AUDIT_KEY = auditKeys();
export const TEST_KEYS = new AnchorKeys(createPrivateKey(AUDIT_KEY.privateKey));

/** What appending and verifying need. */
export type LogStores = AppendContext & RedactContext;

/** Opens the log like one process of the service, with its own connection. */
export async function openLog(
  mongoUri: string,
  keys = TEST_KEYS,
): Promise<{ stores: LogStores; close: () => Promise<void> }> {
  const log = createLog('test', 'fatal');
  const lifecycle = new Lifecycle(log);
  const db = new Database(mongoUri, { log, lifecycle });
  const stores = {
    db,
    log,
    lifecycle,
    keys,
    entries: new EntryStore(db),
    waiting: new WaitingStore(db, keys),
    heads: new HeadStore(db, keys),
    dayCounts: new DayCountStore(db),
  };
  storeEvents(db, lifecycle);
  await db.start();
  return { stores, close: () => lifecycle.stop() };
}

export const ADA: Actor = { type: 'user', id: 'usr_ada', name: 'Ada', email: 'ada@example.com', token_id: null };
export const BOT: Actor = {
  type: 'token',
  id: 'usr_bob',
  name: 'Bob',
  email: 'bob@example.com',
  token_id: 'tok_1',
  token: { id: 'tok_1', name: 'CI' },
};

export function sampleEntry(workspace: string, fields: Partial<Entry> = {}): Entry {
  return {
    _id: newId('aud'),
    workspace,
    action: 'link.updated',
    actor: ADA,
    target: { type: 'link', id: 'lnk_1', label: 'Spring' },
    changes: '{"title":{"from":null,"to":"Spring"}}',
    ipAddress: '203.0.113.7',
    requestId: 'req-1',
    createdAt: new Date(),
    ...fields,
  };
}

/** @param kept what auth knows of the log */
export async function verdictOn(stores: LogStores, workspace: string, kept?: KeptHead): Promise<AuditVerdict> {
  const verification = verifyChain(stores, workspace, kept);
  for (;;) {
    const { done, value } = await verification.next();
    if (done) return value;
  }
}

/** Removes the personal data of a user from every log. @returns the number of redactions */
export async function redactUser(
  stores: LogStores,
  { userId, email }: { userId: string; email: string },
  limit = 100,
): Promise<number> {
  let count = 0;
  for (const { eraseBatch } of redactionSteps(stores)) {
    for (let some = 1; some > 0; count += some) some = await eraseBatch(userId, limit, email);
  }
  return count;
}
