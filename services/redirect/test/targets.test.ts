import type { Database } from '@waymark/kernel/mongo/database';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import type { LinkSnapshot } from '@waymark/contract/events';
import { targetKey, toTargetRecord, type TargetRecord } from '../src/targets/target-record.js';
import { RecordCache } from '../src/read-model/record-cache.js';
import type { RecordStore } from '../src/read-model/record-store.js';
import { toRedirectTarget, type RedirectTarget } from '../src/targets/target.js';
import { sampleLink, startTargetStore, WORKSPACE } from './support.js';

/** Recent, since the database can remove long-deleted rows at any moment. */
const BEGINNING = Date.now() - 60_000;

/** A link's state, one second later for each revision unless `second` is given. */
function record(link: LinkSnapshot, over: Partial<LinkSnapshot> = {}, isDeleted = false, second?: number) {
  const snapshot = { ...link, ...over };
  const changedAt = new Date(BEGINNING + (second ?? snapshot.revision) * 1000);
  return toTargetRecord(WORKSPACE, snapshot, { changedAt, isGone: isDeleted });
}

/** The cache and the database, which must agree for any order of records. */
interface Kept {
  tell(...records: TargetRecord[]): Promise<void>;
  /** The link that visitors of this code get. */
  linkAt(code: string): Promise<string | undefined>;
}

let lifecycle: Lifecycle;
let db: Database;
let store: RecordStore<TargetRecord>;
const newCache = () => new RecordCache<TargetRecord, RedirectTarget>(2 ** 20, toRedirectTarget);

beforeAll(async () => {
  ({ lifecycle, db, store } = await startTargetStore());
});
afterAll(() => lifecycle.stop());

const keptInDatabase = (): Kept => ({
  tell: async (...records) => {
    for (const one of records) await store.save([one]);
  },
  linkAt: async (code) => {
    const found = await store.find(targetKey(null, code));
    return found?.id;
  },
});

function keptInMemory(): Kept {
  const cache = newCache();
  return {
    tell: (...records) => Promise.resolve(records.forEach((one) => cache.apply(one))),
    linkAt: (code) => {
      const known = cache.known(targetKey(null, code));
      return Promise.resolve(typeof known === 'object' ? known.id : undefined);
    },
  };
}

describe.each([
  ['in the database', keptInDatabase],
  ['in memory', keptInMemory],
])('targets %s', (_where, open) => {
  test('follow a link to its new code', async () => {
    const kept = open();
    const link = sampleLink();
    await kept.tell(record(link), record(link, { revision: 2, short_code: `${link.short_code}x` }));
    expect(await kept.linkAt(link.short_code)).toBeUndefined();
    expect(await kept.linkAt(`${link.short_code}x`)).toBe(link.id);
  });

  test('stay at the newest revision when an older one comes late', async () => {
    const kept = open();
    const link = sampleLink();
    await kept.tell(record(link, { revision: 3, short_code: `${link.short_code}x` }), record(link, { revision: 2 }));
    expect(await kept.linkAt(link.short_code)).toBeUndefined();
    expect(await kept.linkAt(`${link.short_code}x`)).toBe(link.id);
  });

  test('stay deleted when an older revision comes late', async () => {
    const kept = open();
    const link = sampleLink();
    await kept.tell(record(link), record(link, { revision: 3 }, true), record(link, { revision: 2 }));
    expect(await kept.linkAt(link.short_code)).toBeUndefined();
  });

  test('give a released code to the link that took it, in any order of events', async () => {
    const old = sampleLink();
    const freed = record(old, { revision: 2 }, true, 2);
    const taken = record(sampleLink({ short_code: old.short_code }), {}, false, 3);
    for (const order of [
      [record(old), freed, taken],
      [record(old), taken, freed],
      [taken, record(old), freed],
      [taken, freed, record(old)],
    ]) {
      const kept = open();
      await kept.tell(...order);
      expect(await kept.linkAt(old.short_code)).toBe(taken.id);
    }
  });

  test('are found at former codes too, until the link gives them up', async () => {
    const kept = open();
    const link = sampleLink();
    const [first, second] = [link.short_code, `${link.short_code}x`];
    const former_codes = [{ hostname: null, short_code: first }];
    await kept.tell(record(link), record(link, { revision: 2, short_code: second, former_codes }));
    expect([await kept.linkAt(first.toUpperCase()), await kept.linkAt(second)]).toEqual([link.id, link.id]);
    await kept.tell(record(link, { revision: 3, short_code: second, former_codes: [] }));
    expect([await kept.linkAt(first), await kept.linkAt(second)]).toEqual([undefined, link.id]);
    await kept.tell(record(link, { revision: 4, short_code: second, former_codes }, true));
    expect([await kept.linkAt(first), await kept.linkAt(second)]).toEqual([undefined, undefined]);
  });

  test('give a former code to the link that took it, in any order of events', async () => {
    const old = sampleLink();
    const moved = { short_code: `${old.short_code}x`, former_codes: [{ hostname: null, short_code: old.short_code }] };
    const renamed = record(old, { ...moved, revision: 2 });
    const givenUp = record(old, { ...moved, revision: 3, former_codes: [] });
    const taken = record(sampleLink({ short_code: old.short_code }), {}, false, 3);
    for (const order of [
      [record(old), renamed, givenUp, taken],
      [record(old), renamed, taken, givenUp],
      [taken, record(old), renamed, givenUp],
      [taken, renamed],
      [renamed, taken],
    ]) {
      const kept = open();
      await kept.tell(...order);
      expect(await kept.linkAt(old.short_code)).toBe(taken.id);
      if (order.includes(renamed)) expect(await kept.linkAt(moved.short_code)).toBe(old.id);
    }
  });

  test('take the same revision twice', async () => {
    const kept = open();
    const link = sampleLink();
    await kept.tell(record(link), record(link));
    expect(await kept.linkAt(link.short_code)).toBe(link.id);
  });
});

describe('targets in the database', () => {
  test('keep of a batch the newest revision of each link', async () => {
    const [a, b] = [sampleLink(), sampleLink()];
    await store.save([record(a, { revision: 2, title: 'new' }), record(b), record(a, { title: 'old' })]);
    await store.save([record(b, { revision: 2, title: 'b2' }), record(a, { title: 'older' })]);
    const found = await store.findByIds([a.id, b.id]);
    expect(new Map(found.map(({ id, title }) => [id, title]))).toEqual(
      new Map([
        [a.id, 'new'],
        [b.id, 'b2'],
      ]),
    );
  });

  test('are found at a code that hundreds of deleted links of the workspace had', async () => {
    const live = sampleLink();
    const deleted = Array.from({ length: 300 }, () => sampleLink({ short_code: live.short_code }));
    await store.save(deleted.map((link) => record(link, { revision: 2 }, true)));
    expect(await store.find(targetKey(null, live.short_code))).toBeUndefined();
    await store.save([record(live, {}, false, 1)]);
    expect((await store.find(targetKey(null, live.short_code)))?.id).toBe(live.id);
  });

  test('that are looked up together share queries, and each is found', async () => {
    const links = Array.from({ length: 500 }, () => sampleLink());
    const deleted = sampleLink();
    const renamed = sampleLink();
    const former_codes = [{ hostname: null, short_code: renamed.short_code }];
    const moved = record(renamed, { revision: 2, short_code: `${renamed.short_code}x`, former_codes });
    await store.save([...links.map((link) => record(link)), record(deleted, {}, true), moved]);
    const find = ({ short_code }: LinkSnapshot) => store.find(targetKey(null, short_code));
    let queries = 0;
    db.connection.base.set('debug', () => (queries += 1));
    const found = await Promise.all([...links, renamed, deleted, sampleLink()].map(find));
    db.connection.base.set('debug', false);
    expect(found.map((one) => one?.id)).toEqual([...[...links, renamed].map(({ id }) => id), undefined, undefined]);
    expect(queries).toBeLessThan(50);
  });

  test('that an earlier version stored redirect as they did, and keep their count of scans when they get a limit', async () => {
    const link = sampleLink();
    const stored = {
      _id: link.id as never,
      key: targetKey(null, link.short_code),
      aliases: [],
      revision: 1,
      workspace: WORKSPACE,
      hostname: null,
      shortCode: link.short_code,
      title: link.title,
      campaignTag: link.campaign_tag,
      destinationUrl: link.destination_url,
      utmDefaults: link.utm_defaults,
      queryPolicy: 'append',
      isArchived: false,
      changedAt: new Date(BEGINNING),
      deletedAt: null,
    };
    await db.connection.collection('targets').insertOne(stored);
    const found = (await store.find(stored.key))!;
    expect(toRedirectTarget(found)).toMatchObject({
      opening: null,
      status: 302,
      forwardsPath: false,
      isArchived: false,
    });
    await store.raiseCounts(new Map([[link.id, 2]]));
    await store.save([record(link, { revision: 2, max_scans: 5, scans_count: 1 })]);
    const limited = (await store.find(stored.key))!;
    expect(toRedirectTarget(limited).opening).toMatchObject({ scansMax: 5, scansCount: 2 });
    await store.save([record(link, { revision: 3, max_scans: 5, scans_count: 4 })]);
    expect(await store.findCounts([link.id, 'lnk_unknown'])).toEqual(new Map([[link.id, 4]]));
  });

  test('come back as they were kept', async () => {
    const one = record(sampleLink({ hostname: 'go.example.com', status: 'archived' }));
    await store.save([one]);
    expect(await store.find(one.key)).toEqual(one);
  });
});

describe('targets in memory', () => {
  test('have the policy append where they were stored before links had a policy', () => {
    const { queryPolicy: _later, ...stored } = record(sampleLink());
    expect(toRedirectTarget(stored).destination!.policy).toBe('append');
  });

  test('are forgotten with all their places where there is no room for all, those first that were not visited', () => {
    const room = Math.floor(toRedirectTarget(record(sampleLink())).bytes * 2.5);
    const cache = new RecordCache<TargetRecord, RedirectTarget>(room, toRedirectTarget);
    const links = [sampleLink(), sampleLink(), sampleLink()] as const;
    const codes = () => links.map((link) => cache.known(targetKey(null, link.short_code)) !== undefined);
    cache.apply(record(links[0]));
    cache.apply(record(links[1]));
    expect(codes()).toEqual([true, true, false]);
    cache.known(targetKey(null, links[0].short_code));
    cache.apply(record(links[2]));
    expect(codes()).toEqual([true, false, true]);
    const former_codes = ['a', 'b'].map((short_code) => ({ hostname: null, short_code }));
    cache.apply(record(links[1], { former_codes }));
    expect(['a', 'b'].map((code) => cache.known(targetKey(null, code)) !== undefined)).toEqual([true, true]);
    expect(cache.bytes).toBeLessThanOrEqual(room);
    for (const link of [links[0], links[2]]) cache.apply(record(link));
    expect(['a', 'b'].map((code) => cache.known(targetKey(null, code)))).toEqual([undefined, undefined]);
    expect([...cache.ids()].sort()).toEqual([links[0].id, links[2].id].sort());
  });

  test('forget a miss when the code appears', () => {
    const cache = newCache();
    const link = sampleLink();
    cache.rememberMiss(targetKey(null, link.short_code), 'absent');
    expect(cache.known(targetKey(null, link.short_code))).toBe('absent');
    cache.apply(record(link));
    expect(cache.known(targetKey(null, link.short_code))).toMatchObject({ id: link.id });
  });
});
