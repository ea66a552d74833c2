import fc from 'fast-check';
import mongoose, { type Connection } from 'mongoose';
import type { AuditVerdict } from '@waymark/contract/audit-logs';
import { freshBacking } from '@waymark/testing/backing';
import { appendEntries } from '@waymark/audit/collecting/append-entries';
import { entryHash } from '@waymark/audit/chain/chain';
import type { StoredEntry } from '@waymark/audit/entries/entry-store';
import { facetsOfEntry } from '@waymark/audit/entries/facets';
import { BOT, openLog, sampleEntry, verdictOn } from './open-log.js';

const CASES = 1000;
const LENGTH = 6;
const { MONGODB_URI } = freshBacking();
let log: Awaited<ReturnType<typeof openLog>>;
let database: Connection;
let prepared = 0;

/** The attacker has all rights on the database and drops the indexes that reject forged rows. */
beforeAll(async () => {
  log = await openLog(MONGODB_URI);
  database = await mongoose.createConnection(MONGODB_URI).asPromise();
  const unique = { workspace: 1, seq: 1 } as const;
  await rows().dropIndex('workspace_1_seq_1');
  await rows().createIndex(unique, { name: 'not unique' });
});
afterAll(async () => {
  await database.close();
  await log.close();
});

const rows = () => database.collection<StoredEntry>('log_entries');
const heads = () => database.collection<{ _id: string }>('heads');

/** Returns an untouched chain; chains are prepared in batches. */
async function untouched(): Promise<StoredEntry[]> {
  const AT_ONCE = 50;
  if (prepared % AT_ONCE === 0) {
    const names = Array.from({ length: AT_ONCE }, (_, index) => `w${prepared + index}`);
    await appendEntries(
      log.stores,
      names.flatMap((name) => Array.from({ length: LENGTH }, (_, i) => sampleEntry(name, i % 2 ? {} : { actor: BOT }))),
    );
  }
  const chain = await rows()
    .find({ workspace: `w${prepared}` })
    .sort({ seq: 1 })
    .toArray();
  prepared += 1;
  return chain;
}

type Break = NonNullable<AuditVerdict['first_break']>;
interface Case {
  tamper: (chain: StoredEntry[]) => Promise<unknown>;
  /** The break that the verification must report. */
  named: (chain: StoredEntry[]) => Partial<Break>;
}

const set = (row: StoredEntry, change: object) => rows().updateOne({ _id: row._id }, { $set: change });
const missing = (seq: number): Partial<Break> => ({ seq, id: null, reason: 'missing' });
const changed = ({ seq, _id }: StoredEntry): Partial<Break> => ({ seq, id: _id, reason: 'changed' });

const place = fc.integer({ min: 0, max: LENGTH - 1 });
const twoPlaces = fc.uniqueArray(place, { minLength: 2, maxLength: 2 }).map((pair) => pair.sort());
const text = fc.string({ minLength: 1, maxLength: 20 }).map((value) => `forged ${value}`);

/** Replaces the value of each field of an entry. */
const change: fc.Arbitrary<Case> = fc
  .tuple(
    place,
    fc.oneof(
      fc.tuple(fc.constantFrom('action', 'changes', 'ipAddress', 'requestId', 'previousHash', 'hash'), text),
      fc.tuple(
        fc.constantFrom('actor.id', 'actor.name', 'actor.email', 'actor.token_id', 'actor.token.name', 'actor.type'),
        text,
      ),
      fc.tuple(fc.constantFrom('target.id', 'target.type', 'target.label'), text),
      fc.tuple(fc.constantFrom('ipAddress', 'requestId', 'target', 'actor', 'target.label', 'hash'), fc.constant(null)),
      fc.tuple(fc.constant('createdAt'), fc.date({ min: new Date(0), max: new Date(1e12), noInvalidDate: true })),
      fc.tuple(fc.constant('createdAt'), text),
      fc.tuple(fc.constant('facets'), fc.array(text)),
    ),
  )
  .map(([at, [field, value]]) => ({
    tamper: (chain) => set(chain[at]!, { [field]: value }),
    named: (chain) => changed(chain[at]!),
  }));

/** The same with a recomputed hash: the next entry, or the signed head for the last entry, reveals it. */
const changeWithItsHash: fc.Arbitrary<Case> = fc.tuple(place, text).map(([at, requestId]) => ({
  tamper: (chain) => set(chain[at]!, { requestId, hash: entryHash({ ...chain[at]!, requestId }) }),
  named: (chain) =>
    at === LENGTH - 1 ? changed(chain[at]!) : { seq: at + 2, id: chain[at + 1]!._id, reason: 'unlinked' },
}));

const rewriteFromThereOn: fc.Arbitrary<Case> = fc.tuple(place, text).map(([at, requestId]) => ({
  tamper: async (chain) => {
    let previousHash = chain[at]!.previousHash;
    for (const row of chain.slice(at)) {
      const forged = { ...row, requestId, previousHash };
      previousHash = entryHash(forged);
      await set(row, { requestId, previousHash: forged.previousHash, hash: previousHash });
    }
  },
  named: (chain) => changed(chain.at(-1)!),
}));

const removal: fc.Arbitrary<Case> = fc.tuple(place, fc.integer({ min: 1, max: LENGTH })).map(([at, count]) => ({
  tamper: (chain) => rows().deleteMany({ _id: { $in: chain.slice(at, at + count).map(({ _id }) => _id) } }),
  named: () => missing(at + 1),
}));

const removalOfTheLast: fc.Arbitrary<Case> = fc.integer({ min: 1, max: LENGTH }).map((count) => ({
  tamper: (chain) => rows().deleteMany({ _id: { $in: chain.slice(-count).map(({ _id }) => _id) } }),
  named: () => missing(LENGTH - count + 1),
}));

/** Swaps two entries: only their numbers, or everything except content and id. */
const swap: fc.Arbitrary<Case> = fc.tuple(twoPlaces, fc.boolean()).map(([[a, b], wholly]) => ({
  tamper: async (chain) => {
    const [first, second] = [chain[a!]!, chain[b!]!];
    const takenBy = ({ seq, previousHash, hash }: StoredEntry) => (wholly ? { seq, previousHash, hash } : { seq });
    await set(first, takenBy(second));
    await set(second, takenBy(first));
  },
  named: (chain) => ({ seq: a! + 1, id: chain[b!]!._id, reason: 'changed' }),
}));

const duplicate: fc.Arbitrary<Case> = fc.tuple(place, fc.constantFrom('~', '!')).map(([at, mark]) => ({
  // One duplicate sorts after the original, and one before it.
  tamper: (chain) => rows().insertOne({ ...chain[at]!, _id: `${mark}${chain[at]!._id}` }),
  named: (chain) =>
    mark === '~' ? { seq: at + 1, id: `~${chain[at]!._id}`, reason: 'unexpected' } : { seq: at + 1, reason: 'changed' },
}));

/** Correctly linked to the last entry, or with an invalid number. */
const insertion: fc.Arbitrary<Case> = fc
  .constantFrom<unknown>(LENGTH + 1, LENGTH + 7, 0, -1, 2.5, null, '3', 'x')
  .map((seq) => ({
    tamper: (chain) => {
      const entry = sampleEntry(chain[0]!.workspace, { _id: 'aud_forged' });
      const forged = { ...entry, seq: seq as number, previousHash: chain.at(-1)!.hash, facets: facetsOfEntry(entry) };
      return rows().insertOne({ ...forged, _id: `aud_${chain[0]!.workspace}`, hash: entryHash(forged) });
    },
    named: (chain) => ({ id: `aud_${chain[0]!.workspace}`, reason: 'unexpected' }),
  }));

const otherWorkspace: fc.Arbitrary<Case> = place.map((at) => ({
  tamper: (chain) => set(chain[at]!, { workspace: 'elsewhere' }),
  named: () => missing(at + 1),
}));

const otherEnd: fc.Arbitrary<Case> = fc
  .oneof(
    fc.record({ seq: fc.integer({ min: 0, max: LENGTH + 3 }).filter((seq) => seq !== LENGTH) }),
    fc.record({ hash: text }),
    fc.constant(null),
  )
  .map((head) => ({
    tamper: ([first]: StoredEntry[]) =>
      head
        ? heads().updateOne({ _id: first!.workspace }, { $set: head })
        : heads().deleteOne({ _id: first!.workspace }),
    named: () => ({}),
  }));

test.each<[string, fc.Arbitrary<Case>, number]>([
  ['a changed value', change, 0.25],
  ['a change with a new hash', changeWithItsHash, 0.1],
  ['a chain rewritten from an entry on', rewriteFromThereOn, 0.1],
  ['entries that are gone', removal, 0.1],
  ['last entries that are gone', removalOfTheLast, 0.1],
  ['swapped entries', swap, 0.1],
  ['an entry that is there twice', duplicate, 0.05],
  ['an entry that was not appended', insertion, 0.1],
  ['an entry that was moved to another workspace', otherWorkspace, 0.05],
  ['an end that was moved', otherEnd, 0.05],
])('verify finds %s and reports the first break', async (_what, cases, share) => {
  await fc.assert(
    fc.asyncProperty(cases, async ({ tamper, named }) => {
      const chain = await untouched();
      await tamper(chain);
      const verdict = await verdictOn(log.stores, chain[0]!.workspace);
      expect(verdict).toMatchObject({ valid: false, first_break: named(chain) });
    }),
    { numRuns: CASES * share, endOnFailure: true },
  );
});

test('untouched logs stay valid beside damaged ones', async () => {
  const chain = await untouched();
  expect(await verdictOn(log.stores, chain[0]!.workspace)).toEqual({ valid: true, checked: LENGTH, first_break: null });
});
