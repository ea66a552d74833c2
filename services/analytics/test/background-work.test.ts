import { newId } from '@waymark/contract/ids';
import { BrokerUnavailable } from '@waymark/kernel/broker/publisher';
import { NoAnswer, type Requester } from '@waymark/kernel/broker/requests';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { Metrics } from '@waymark/kernel/process/metrics';
import { freshBacking } from '@waymark/testing/backing';
import { waitFor } from '@waymark/testing/wait-for';
import { startLinkCompletion } from '@waymark/analytics/links/complete-links';
import { startDetachmentWorker } from '@waymark/analytics/links/follow-links';
import { receivedLink } from '@waymark/analytics/links/link';
import { LinkCopies } from '@waymark/analytics/links/link-copies';
import { startScanExpiry } from '@waymark/analytics/retention/expiry-worker';
import { linkSnapshot } from './harness.js';
import { openStores, type Stores } from './ledger.js';

/** Only failures that are no outage are counted for the operator. */
const FAILURES = [
  ['without an answer', new NoAnswer('the service failed to answer'), false],
  ['with a malformed answer', new TypeError('the answer is malformed'), true],
] as const;
const RETENTION_DAYS = { free: 30, pro: 365, business: 730, enterprise: null };
const EARLY = new Date('2020-01-01');
const DAY_MS = 86_400_000;
const log = createLog('test', 'silent');

let stores: Stores;
let copies: LinkCopies;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ stores, close } = await openStores(freshBacking(), (db) => (copies = new LinkCopies(db))));
});
afterAll(() => close());

const collection = (name: string) => stores.db.connection.collection<{ _id: string; workspace: string }>(name);

/** Answers for every workspace but the first. */
function requesterOf(failure: Error, answer: object): Requester {
  const ask = (_request: unknown, { workspace }: { workspace: string }) =>
    workspace === 'first' ? Promise.reject(failure) : Promise.resolve(answer);
  return { ask } as unknown as Requester;
}

/** Runs a worker until its work is done. @returns the names of the work that has failed */
async function runUntil(isDone: () => Promise<boolean>, start: (lifecycle: Lifecycle) => void): Promise<string[]> {
  const lifecycle = new Lifecycle(log);
  const failed: string[] = [];
  lifecycle.onWorkFailed((work) => failed.push(work));
  start(lifecycle);
  try {
    await waitFor('the work', isDone, 30_000);
  } finally {
    await lifecycle.stop();
    await collection('leases').deleteMany({});
  }
  return failed;
}

test.each(FAILURES)('scans expire in the workspaces after one %s about its plan', async (_, failure, isCounted) => {
  const scans = ['first', 'second'].map((workspace) => ({ _id: newId('scn'), workspace, scannedAt: EARLY }));
  await collection('scans').insertMany(scans);
  const scansOf = (workspace: string) => collection('scans').countDocuments({ workspace });
  const ctx = {
    ...stores,
    requester: requesterOf(failure, { plan: 'free' }),
    retentionDays: RETENTION_DAYS,
    ledgerDays: null,
  };
  const failed = await runUntil(
    async () => (await scansOf('second')) === 0,
    (lifecycle) => startScanExpiry({ log, lifecycle, metrics: new Metrics('test') }, ctx),
  );
  expect(await scansOf('first')).toBeGreaterThan(0);
  expect(failed.includes('expiring')).toBe(isCounted);
});

test('scans expire in every workspace after an outage of the broker', async () => {
  await collection('scans').deleteMany({});
  const scan = { _id: newId('scn'), workspace: 'only', scannedAt: EARLY };
  await collection('scans').insertOne(scan);
  const outages: Error[] = [new BrokerUnavailable('the broker is not connected')];
  const ask = () => {
    const outage = outages.pop();
    return outage ? Promise.reject(outage) : Promise.resolve({ plan: 'free' });
  };
  const requester = { ask } as unknown as Requester;
  const ctx = { ...stores, requester, retentionDays: RETENTION_DAYS, ledgerDays: null };
  const failed = await runUntil(
    async () => (await collection('scans').countDocuments({})) === 0,
    (lifecycle) => startScanExpiry({ log, lifecycle, metrics: new Metrics('test') }, ctx),
  );
  expect([failed, outages]).toEqual([[], []]);
});

describe('with a clock of the process that is a year ahead', () => {
  const TIMERS = [
    'setTimeout',
    'clearTimeout',
    'setInterval',
    'clearInterval',
    'setImmediate',
    'clearImmediate',
  ] as const;
  const OTHERS = ['nextTick', 'queueMicrotask', 'performance', 'hrtime'] as const;
  const realNow = Date.now();
  beforeAll(() => jest.useFakeTimers({ now: realNow + 366 * DAY_MS, doNotFake: [...TIMERS, ...OTHERS] }));
  afterAll(() => jest.useRealTimers());

  test('no scan expires that its plan still keeps by the clock of the database', async () => {
    await collection('scans').deleteMany({});
    const scanOf = (workspace: string, scannedAt: Date) => ({ _id: newId('scn'), workspace, scannedAt });
    // The worker takes the workspaces by name.
    const scans = [scanOf('a-current', new Date(realNow - DAY_MS)), scanOf('b-expired', EARLY)];
    await collection('scans').insertMany(scans);
    const requester = requesterOf(new Error('none'), { plan: 'free' });
    const ctx = { ...stores, requester, retentionDays: RETENTION_DAYS, ledgerDays: 30 };
    const failed = await runUntil(
      async () => (await collection('scans').countDocuments({ workspace: 'b-expired' })) === 0,
      (lifecycle) => startScanExpiry({ log, lifecycle, metrics: new Metrics('test') }, ctx),
    );
    expect(failed).toEqual([]);
    expect(await collection('scans').countDocuments({ workspace: 'a-current' })).toBe(1);
    for (const from of [await stores.retention.keptFrom('a-current'), await stores.retention.ledgerFrom('a-current')])
      expect(from!.getTime()).toBeLessThan(realNow);
  });
});

test.each(FAILURES)(
  'links are completed in the workspaces after one %s about its links',
  async (_, failure, isCounted) => {
    const { tag_ids: _tags, folder_id: _folder, domain_id: _domain, ...former } = linkSnapshot();
    await copies.putLinks(
      ['first', 'second'].map((workspace) => ({ ...receivedLink(workspace, former as never), _id: newId('lnk') })),
    );
    const linksToAsk = (workspace: string) => collection('links').countDocuments({ workspace, next: 'ask' });
    expect(await linksToAsk('second')).toBe(1);
    const ctx = { db: stores.db, copies, requester: requesterOf(failure, { links: [] }) };
    const failed = await runUntil(
      async () => (await linksToAsk('second')) === 0,
      (lifecycle) => startLinkCompletion({ log, lifecycle }, ctx),
    );
    expect(await linksToAsk('first')).toBeGreaterThan(0);
    expect(failed.includes('completing links')).toBe(isCounted);
  },
);

test('links are detached from a deleted tag after another tag whose detachment fails', async () => {
  const linkOf = (tag: string) => linkSnapshot({ id: `lnk_of_${tag}`, tag_ids: [tag] });
  const tags = ['tag_first', 'tag_second'];
  await copies.putLinks(tags.map((tag) => receivedLink('detached', linkOf(tag))));
  for (const id of tags) await copies.deleted.addDeletion({ workspace: 'detached', field: 'tagIds', id });
  const notes = stores.db.connection.collection<{ _id: string }>('deleted_holders');
  // The worker claims first what has waited longest.
  const setFirst = (workspace: unknown) =>
    notes.updateOne({ _id: tags[0]! }, { $set: { 'detachment.dueAt': EARLY, 'detachment.workspace': workspace } });
  await setFirst({ unsearchable: true });
  const tagged = (tag: string) => stores.db.connection.collection('links').countDocuments({ tagIds: tag });
  const isFinished = async (tag: string) =>
    (await notes.countDocuments({ _id: tag, detachment: { $exists: false } })) === 1;
  const start = (lifecycle: Lifecycle) => void startDetachmentWorker({ log, lifecycle }, { db: stores.db, copies });

  expect(await runUntil(() => isFinished(tags[1]!), start)).toEqual(['detaching links']);
  expect([await tagged(tags[0]!), await tagged(tags[1]!), await isFinished(tags[0]!)]).toEqual([1, 0, false]);

  await setFirst('detached');
  expect(await runUntil(() => isFinished(tags[0]!), start)).toEqual([]);
  expect(await tagged(tags[0]!)).toBe(0);
});
