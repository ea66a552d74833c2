import mongoose, { type Connection } from 'mongoose';
import type { AuditVerdict } from '@waymark/contract/audit-logs';
import { isOutage } from '@waymark/kernel/errors';
import { freshBacking } from '@waymark/testing/backing';
import { waitFor } from '@waymark/testing/wait-for';
import { appendEntries, type AppendContext } from '@waymark/audit/collecting/append-entries';
import { EMPTY_HEAD, entryHash } from '@waymark/audit/chain/chain';
import type { Entry } from '@waymark/audit/chain/entry';
import type { StoredEntry } from '@waymark/audit/entries/entry-store';
import { openLog, sampleEntry, verdictOn as verdictOf, type LogStores } from './open-log.js';

const { MONGODB_URI } = freshBacking();
const PROCESSES = 3;
const logs: Awaited<ReturnType<typeof openLog>>[] = [];
let stores: LogStores;
let database: Connection;

beforeAll(async () => {
  for (let i = 0; i < PROCESSES; i += 1) logs.push(await openLog(MONGODB_URI));
  stores = logs[0]!.stores;
  database = await mongoose.createConnection(MONGODB_URI).asPromise();
});
afterAll(async () => {
  await database.close();
  for (const log of logs) await log.close();
});

const chainOf = (workspace: string): Promise<StoredEntry[]> =>
  database.collection<StoredEntry>('log_entries').find({ workspace }).sort({ seq: 1 }).toArray();

const verdictOn = (workspace: string) => verdictOf(stores, workspace);
const valid = (checked: number): AuditVerdict => ({ valid: true, checked, first_break: null });

test('entries are numbered from 1 in order, each with the hash of the previous one', async () => {
  const entries = Array.from({ length: 5 }, () => sampleEntry('order'));
  await appendEntries(stores, entries.slice(0, 3));
  await appendEntries(stores, entries.slice(3));
  const chain = await chainOf('order');
  expect(chain.map(({ _id, seq }) => [_id, seq])).toEqual(entries.map(({ _id }, index) => [_id, index + 1]));
  expect(chain.map(({ previousHash }) => previousHash)).toEqual([
    EMPTY_HEAD.hash,
    ...chain.slice(0, -1).map(({ hash }) => hash),
  ]);
  expect(await verdictOn('order')).toEqual(valid(5));
});

test('the hash of an entry equals that of its sorted JSON computed in another language', () => {
  const entry = sampleEntry('acme', { _id: 'aud_1', createdAt: new Date('2026-01-31T12:00:00Z') });
  expect(entryHash({ ...entry, seq: 1, previousHash: EMPTY_HEAD.hash })).toBe(
    'aa23f31219e3246f04db2144ea956acbe6a540a4f3f23064f4774eec05636aeb',
  );
});

test('a repeated entry keeps its position in the chain', async () => {
  const [first, second] = [sampleEntry('again'), sampleEntry('again')];
  await appendEntries(stores, [first, first]);
  await appendEntries(stores, [second, first]);
  expect((await chainOf('again')).map(({ _id }) => _id)).toEqual([first._id, second._id]);
});

test('a log without entries is a valid chain', async () => {
  expect(await verdictOn('empty')).toEqual(valid(0));
});

test('concurrent appends of the same events make one gapless chain per workspace', async () => {
  const workspaces = ['together-1', 'together-2', 'together-3'];
  const all = Array.from({ length: 240 }, (_, index) => sampleEntry(workspaces[index % workspaces.length]!));
  const batches = Array.from({ length: 40 }, (_, index) => all.slice(index * 6, index * 6 + 6));
  const verdicts: AuditVerdict[] = [];
  // Each process gets every batch, in its own order, as if every batch had been redelivered to all of them.
  await Promise.all(
    logs.map(async (log, process) => {
      for (let index = 0; index < batches.length; index += 1) {
        await appendPatiently(log.stores, batches[(index * 7 + process * 13) % batches.length]!);
        if (index % 10 === process) verdicts.push(await verdictOn(workspaces[process]!));
      }
    }),
  );
  for (const workspace of workspaces) {
    const expected = all.filter((entry) => entry.workspace === workspace).map(({ _id }) => _id);
    const chain = await chainOf(workspace);
    expect(chain.map(({ seq }) => seq)).toEqual(expected.map((_, index) => index + 1));
    expect(chain.map(({ _id }) => _id).sort()).toEqual(expected.toSorted());
    expect(await verdictOn(workspace)).toEqual(valid(expected.length));
    // A batch stays contiguous and in order.
    for (const batch of batches) expectInOrder(chain, batch, workspace);
  }
  expect(verdicts).toHaveLength(12);
  expect(verdicts.every((verdict) => verdict.valid)).toBe(true);
});

/** Retries like a consumer after too many conflicts. */
async function appendPatiently(to: AppendContext, entries: Entry[]): Promise<void> {
  await waitFor('a place in the chain', async () => {
    try {
      await appendEntries(to, entries);
      return true;
    } catch (error) {
      if (isOutage(error)) return false;
      throw error;
    }
  });
}

function expectInOrder(chain: StoredEntry[], batch: Entry[], workspace: string): void {
  const ids = batch.filter((entry) => entry.workspace === workspace).map(({ _id }) => _id);
  const index = chain.findIndex(({ _id }) => _id === ids[0]);
  expect(chain.slice(index, index + ids.length).map(({ _id }) => _id)).toEqual(ids);
}

test('a failed append stores nothing', async () => {
  await appendEntries(stores, [sampleEntry('whole')]);
  const unstorable = sampleEntry('whole', { changes: 'x'.repeat(20 * 1024 * 1024) });
  await expect(appendEntries(stores, [sampleEntry('whole'), unstorable])).rejects.toThrow();
  expect(await verdictOn('whole')).toEqual(valid(1));
  await appendEntries(stores, [sampleEntry('whole')]);
  expect(await verdictOn('whole')).toEqual(valid(2));
});
