import { createPrivateKey, createPublicKey } from 'node:crypto';
import mongoose, { type Connection } from 'mongoose';
import { Database } from '@waymark/kernel/mongo/database';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';
import { auditKeys } from '@waymark/testing/keys';
import { AnchorKeys } from '@waymark/audit/chain/anchor-keys';
import { appendEntries } from '@waymark/audit/collecting/append-entries';
import { entryHash } from '@waymark/audit/chain/chain';
import { compareLoggedHeads } from '@waymark/audit/verifying/compare-heads';
import type { StoredEntry } from '@waymark/audit/entries/entry-store';
import { HeadStore } from '@waymark/audit/chain/head-store';
import { openLog, sampleEntry, TEST_KEYS, verdictOn } from './open-log.js';

const { MONGODB_URI } = freshBacking();
const LENGTH = 5;
let log: Awaited<ReturnType<typeof openLog>>;
let database: Connection;

beforeAll(async () => {
  log = await openLog(MONGODB_URI);
  database = await mongoose.createConnection(MONGODB_URI).asPromise();
});
afterAll(async () => {
  await database.close();
  await log.close();
});

const rows = () => database.collection<StoredEntry>('log_entries');
const heads = () => database.collection<{ _id: string }>('heads');
const head = async (workspace: string) => (await heads().findOne({ _id: workspace }))!;
const append = (workspace: string, count = 1) =>
  appendEntries(
    log.stores,
    Array.from({ length: count }, () => sampleEntry(workspace)),
  );

async function begun(workspace: string): Promise<StoredEntry[]> {
  await append(workspace, LENGTH);
  return rows().find({ workspace }).sort({ seq: 1 }).toArray();
}

/** Tampers like a writer that can compute hashes but has no signing key. */
async function moveHead(workspace: string, { seq, hash }: Pick<StoredEntry, 'seq' | 'hash'>): Promise<void> {
  await heads().updateOne({ _id: workspace }, { $set: { seq, hash } });
}

async function cut(workspace: string): Promise<void> {
  const chain = await begun(workspace);
  await rows().deleteMany({ workspace, seq: { $gt: 2 } });
  await moveHead(workspace, chain[1]!);
}

async function rewrite(workspace: string): Promise<void> {
  const chain = await begun(workspace);
  let last = chain[1]!;
  for (const row of chain.slice(2)) {
    const forged = { ...row, requestId: 'forged', previousHash: last.hash };
    last = { ...forged, hash: entryHash(forged) };
    await rows().replaceOne({ _id: row._id }, last);
  }
  await moveHead(workspace, last);
}

test.each([
  ['the last entries and the end that was moved to the one before them', 'cut', cut, 2],
  ['entries that were rewritten, and the head with them', 'rewritten', rewrite, LENGTH],
])('verification finds %s', async (_what, workspace, tamper, seq) => {
  await tamper(workspace);
  expect(await verdictOn(log.stores, workspace)).toMatchObject({
    valid: false,
    checked: seq,
    first_break: { seq, reason: 'unsigned_end' },
  });
});

test.each([
  ['cut off', 'cut-appended', cut],
  ['rewritten', 'rewritten-appended', rewrite],
])('a log that was %s is not continued: a signature would vouch for it', async (_what, workspace, tamper) => {
  await tamper(workspace);
  await expect(append(workspace)).rejects.toMatchObject({ name: 'ChainsBlocked', workspaces: [workspace] });
});

test.each([
  ['without its signature', 'unsigned', { $unset: { signature: 1 } }],
  ['with another time', 'later', { $set: { signedAt: '2030-01-01T00:00:00.000Z' } }],
  ['with a signature that is no text', 'number', { $set: { signature: 7 } }],
  ['with a signature of nothing', 'random', { $set: { signature: 'AAAA' } }],
])('an end %s is found', async (_what, workspace, change) => {
  await begun(workspace);
  await heads().updateOne({ _id: workspace }, change as never);
  expect(await verdictOn(log.stores, workspace)).toMatchObject({
    valid: false,
    first_break: { reason: 'unsigned_end' },
  });
  await expect(append(workspace)).rejects.toMatchObject({ workspaces: [workspace] });
});

test('verify reports the signed head of another log', async () => {
  const [chain] = [await begun('mine'), await begun('theirs')];
  const { seq, hash, signedAt, signature } = (await head('theirs')) as unknown as Record<string, unknown>;
  await heads().updateOne({ _id: 'mine' }, { $set: { seq, hash, signedAt, signature } });
  expect(await verdictOn(log.stores, 'mine')).toMatchObject({ valid: false, first_break: { seq: LENGTH } });
  await expect(append('mine')).rejects.toMatchObject({ workspaces: ['mine'] });
  expect(chain).toHaveLength(LENGTH);
});

test('verify reports an earlier signed head while later entries exist', async () => {
  await begun('older');
  const earlier = await head('older');
  await append('older', 2);
  await heads().replaceOne({ _id: 'older' }, earlier);
  expect(await verdictOn(log.stores, 'older')).toMatchObject({
    valid: false,
    first_break: { seq: LENGTH + 1, reason: 'unexpected' },
  });
  await expect(append('older')).rejects.toMatchObject({ workspaces: ['older'] });
});

test('heads stay valid with an earlier key and are signed with the new key from the next entry', async () => {
  await begun('rotated');
  const { privateKey, publicKey } = auditKeys();
  const first = new AnchorKeys(createPrivateKey(privateKey));
  const earlier = await openLog(MONGODB_URI, first);
  await appendEntries(earlier.stores, [sampleEntry('rotating')]);
  const next = createPrivateKey(auditKeys().privateKey);
  const both = await openLog(MONGODB_URI, new AnchorKeys(next, [createPublicKey(publicKey)]));
  expect(await verdictOn(both.stores, 'rotating')).toMatchObject({ valid: true });
  await appendEntries(both.stores, [sampleEntry('rotating')]);
  const nextAlone = await openLog(MONGODB_URI, new AnchorKeys(next));
  expect(await verdictOn(nextAlone.stores, 'rotating')).toMatchObject({ valid: true, checked: 2 });
  expect(await verdictOn(earlier.stores, 'rotating')).toMatchObject({ valid: false });
  for (const { close } of [earlier, both, nextAlone]) await close();
});

test('unsigned heads of an earlier version are signed only with AUDIT_SIGN_EXISTING', async () => {
  const uri = freshBacking().MONGODB_URI;
  const before = await openLog(uri);
  for (const workspace of ['a', 'b']) await appendEntries(before.stores, [sampleEntry(workspace)]);
  const old = await mongoose.createConnection(uri).asPromise();
  await old.collection('heads').updateMany({}, { $unset: { signature: 1, signedAt: 1 } });
  expect(await verdictOn(before.stores, 'a')).toMatchObject({ first_break: { reason: 'unsigned_end' } });

  const [lifecycle, silent] = [new Lifecycle(createLog('test', 'fatal')), createLog('test', 'fatal')];
  const db = new Database(uri, { log: silent, lifecycle });
  const { privateKey } = auditKeys();
  const keys = new AnchorKeys(createPrivateKey(privateKey));
  const signed = new HeadStore(db, keys, { log: silent });
  await db.start();
  expect([await signed.headOf('a'), await signed.headOf('b')]).toMatchObject([{ isSigned: true }, { isSigned: true }]);
  await lifecycle.stop();
  await old.close();
  await before.close();
});

describe('compared with the ends that were logged', () => {
  async function* lines(...heads: Record<string, unknown>[]) {
    for (const each of heads) yield await Promise.resolve(JSON.stringify({ level: 30, heads: each, msg: 'appended' }));
    yield 'no JSON of "appended"';
  }
  const logged = async (...workspaces: string[]) => {
    const ends = await Promise.all(workspaces.map(async (workspace) => [workspace, await head(workspace)] as const));
    return Object.fromEntries(ends) as Record<string, unknown>;
  };

  test('compare reports a truncated and a deleted log', async () => {
    for (const workspace of ['kept', 'put-back', 'removed']) await begun(workspace);
    const earlier = await head('put-back');
    await append('put-back', 2);
    const ends = await logged('kept', 'put-back', 'removed');
    await append('kept', 2);
    await rows().deleteMany({ workspace: 'put-back', seq: { $gt: LENGTH } });
    await heads().replaceOne({ _id: 'put-back' }, earlier);
    await rows().deleteMany({ workspace: 'removed' });
    await heads().deleteOne({ _id: 'removed' });
    for (const workspace of ['kept', 'put-back', 'removed'])
      expect(await verdictOn(log.stores, workspace)).toMatchObject({ valid: true });

    const result = await compareLoggedHeads(log.stores.entries, TEST_KEYS, lines(ends, ends));
    expect(result).toMatchObject({ workspaces: 3, unsigned: 0, differing: 2 });
    expect(new Set(result.differences)).toEqual(
      new Set([
        { workspace: 'put-back', seq: LENGTH + 2 },
        { workspace: 'removed', seq: LENGTH },
      ]),
    );
  });

  test('compare reports a logged head without a valid signature', async () => {
    await begun('forged-line');
    const { forged } = { forged: { ...(await head('forged-line')), seq: 3 } };
    const result = await compareLoggedHeads(log.stores.entries, TEST_KEYS, lines({ 'forged-line': forged }));
    expect(result).toEqual({ workspaces: 0, unsigned: 1, differing: 0, differences: [] });
  });
});
