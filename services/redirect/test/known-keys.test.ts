import { waitFor } from '@waymark/testing/wait-for';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { KeyFilter } from '../src/read-model/key-filter.js';
import { KnownKeys } from '../src/read-model/known-keys.js';
import type { RecordStore } from '../src/read-model/record-store.js';
import { LookupPermits } from '../src/read-model/lookup-permits.js';
import { toTargetRecord, type TargetRecord } from '../src/targets/target-record.js';
import { log, sampleLink, startTargetStore, WORKSPACE } from './support.js';

describe('a filter of keys', () => {
  test('knows every key that was added, and few others, as it says', () => {
    const filter = new KeyFilter(16 * 1024);
    const keys = (name: string) => Array.from({ length: 10_000 }, (_, n) => `go.acme.com/${name}${n}`);
    for (const key of keys('code')) filter.add(key);
    expect(keys('code').every((key) => filter.has(key))).toBe(true);
    const wrong = keys('other').filter((key) => filter.has(key)).length / 10_000;
    expect(wrong).toBeLessThan(0.03);
    expect(Math.abs(wrong - filter.falsePositiveRatio)).toBeLessThan(0.02);
  });

  test('that is too small takes every key for one that was added', () => {
    const filter = new KeyFilter(4);
    for (let n = 0; n < 1000; n += 1) filter.add(`code${n}`);
    expect([filter.has('other'), filter.falsePositiveRatio]).toEqual([true, 1]);
  });
});

describe('the keys of a collection', () => {
  let lifecycle: Lifecycle;
  let store: RecordStore<TargetRecord>;
  beforeAll(async () => {
    ({ lifecycle, store } = await startTargetStore());
  });
  afterAll(() => lifecycle.stop());

  const record = (code: string, isGone = false) =>
    toTargetRecord(
      WORKSPACE,
      sampleLink({ short_code: code, former_codes: [{ hostname: null, short_code: `${code}-old` }] }),
      { changedAt: new Date(), isGone },
    );

  test('are known once all were read, by rounds, and may all exist before that and while changes are missed', async () => {
    const broker = { isUp: true };
    const keys = new KnownKeys({ store, broker, log, filterBytes: 64 * 1024, lagMaxMs: 0 });
    await store.save(Array.from({ length: 600 }, (_, n) => record(`stored${n}`)));
    await store.save([record('gone', true)]);
    expect(keys.mayExist('/nothing')).toBe(true);
    expect(keys.isKnown('/stored0')).toBe(false);
    keys.onFollowing();
    keys.add(record('told'));
    await waitFor('the keys', () => !keys.mayExist('/nothing'));
    for (const code of ['stored0', 'stored599', 'stored300-old', 'told', 'told-old'])
      expect([code, keys.mayExist(`/${code}`)]).toEqual([code, true]);
    expect(keys.mayExist('/gone')).toBe(false);
    expect(['/told', '/gone'].map((key) => keys.isKnown(key))).toEqual([true, false]);

    broker.isUp = false;
    expect(keys.mayExist('/nothing')).toBe(true);
    expect(['/told', '/nothing'].map((key) => keys.isKnown(key))).toEqual([true, false]);
    await store.save([record('missed')]);
    broker.isUp = true;
    keys.onFollowing();
    expect(keys.mayExist('/missed')).toBe(true);
    expect(['/stored0', '/nothing'].map((key) => keys.isKnown(key))).toEqual([true, false]);
    await waitFor('the keys again', () => !keys.mayExist('/nothing'));
    expect(keys.mayExist('/missed')).toBe(true);
    await keys.stop();
  });
});

describe('lookup permits', () => {
  test('are never all held by one visitor', () => {
    const permits = new LookupPermits(10);
    const acquire = (holder: string | null, visitor = 3) => permits.acquire(holder, { visitor, network: 10 });
    const acquiredBy = (holder: string | null, count: number) =>
      Array.from({ length: count }, () => acquire(holder)).filter((outcome) => outcome === 'acquired').length;
    expect([acquiredBy('a', 5), acquiredBy('b', 2), acquiredBy(null, 9)]).toEqual([3, 2, 5]);
    expect(acquiredBy('c', 1)).toBe(0);
    expect([acquire('a'), acquire('b')]).toEqual(['visitor_full', 'full']);
    permits.release('a');
    expect(acquire('a', 2)).toBe('visitor_full');
    expect([acquiredBy('c', 2), acquiredBy('a', 1)]).toEqual([1, 0]);
  });

  test.each([
    ['203.0.113.1', '203.0.113.2', '203.0.114.1'],
    ['2001:db8:0:1', '2001:db8:0:2', '2001:db8:1:1'],
  ])('of %s are not more with the help of its neighbour %s, while %s has its own', (one, neighbour, stranger) => {
    const permits = new LookupPermits(10);
    const acquire = (visitor: string) => permits.acquire(visitor, { visitor: 3, network: 4 });
    const acquiredBy = (visitor: string) =>
      Array.from({ length: 5 }, () => acquire(visitor)).filter((outcome) => outcome === 'acquired').length;
    expect([acquiredBy(one), acquiredBy(neighbour), acquiredBy(stranger)]).toEqual([3, 1, 3]);
    permits.release(one);
    expect([acquiredBy(neighbour), acquiredBy(one)]).toEqual([1, 0]);
  });
});
