import { waitFor } from '@waymark/testing/wait-for';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { RecordCache } from '../src/read-model/record-cache.js';
import type { RecordStore } from '../src/read-model/record-store.js';
import { Revalidator } from '../src/read-model/revalidator.js';
import { toRedirectTarget, type RedirectTarget } from '../src/targets/target.js';
import { targetKey, toTargetRecord, type TargetRecord } from '../src/targets/target-record.js';
import { log, sampleLink, startTargetStore, WORKSPACE } from './support.js';

const RECORDS_AT_ONCE_MAX = 50;

let lifecycle: Lifecycle;
let store: RecordStore<TargetRecord>;
beforeAll(async () => {
  ({ lifecycle, store } = await startTargetStore());
});
afterAll(() => lifecycle.stop());

const record = (id: string, revision: number) =>
  toTargetRecord(WORKSPACE, sampleLink({ id, short_code: id, revision }), { changedAt: new Date(), isGone: false });

test('the check of the cache reads few records at a time, and reads each record once', async () => {
  const cache = new RecordCache<TargetRecord, RedirectTarget>(2 ** 23, toRedirectTarget);
  const ids = Array.from({ length: 3 * RECORDS_AT_ONCE_MAX + 10 }, (_, index) => `lnk_${index}`);
  for (const id of ids) cache.apply(record(id, 1));
  await store.save(ids.map((id) => record(id, 2)));
  const findByIds = jest.spyOn(store, 'findByIds');

  const revalidator = new Revalidator(cache, store, { log, lifecycle });
  revalidator.scheduleAll();
  revalidator.start();
  const isNew = (id: string) => {
    const known = cache.known(targetKey(null, id));
    return typeof known === 'object' && known.revision === 2;
  };
  await waitFor('the new revisions', () => ids.every(isNew));
  await revalidator.stop();
  const read = findByIds.mock.calls.map(([some]) => some);
  expect(Math.max(...read.map(({ length }) => length))).toBeLessThanOrEqual(RECORDS_AT_ONCE_MAX);
  expect(read.flat().toSorted()).toEqual(ids.toSorted());
});
