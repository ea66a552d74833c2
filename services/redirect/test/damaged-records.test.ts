import { waitFor } from '@waymark/testing/wait-for';
import type { Database } from '@waymark/kernel/mongo/database';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { RecordCache } from '../src/read-model/record-cache.js';
import type { RecordStore } from '../src/read-model/record-store.js';
import { Revalidator } from '../src/read-model/revalidator.js';
import { toRedirectTarget, type RedirectTarget } from '../src/targets/target.js';
import { targetKey, toTargetRecord, type TargetRecord } from '../src/targets/target-record.js';
import { log, sampleLink, startTargetStore, WORKSPACE } from './support.js';

let lifecycle: Lifecycle;
let db: Database;
let store: RecordStore<TargetRecord>;
beforeAll(async () => {
  ({ lifecycle, db, store } = await startTargetStore());
});
beforeEach(() => db.connection.db!.collection('targets').deleteMany({}));
afterEach(() => jest.restoreAllMocks());
afterAll(() => lifecycle.stop());

const record = (id: string, revision = 1) =>
  toTargetRecord(WORKSPACE, sampleLink({ id, short_code: id, revision }), { changedAt: new Date(), isGone: false });

const damage = async (ids: string[], field: string) => {
  const rows = db.connection.db!.collection<{ _id: string }>('targets');
  const { modifiedCount } = await rows.updateMany({ _id: { $in: ids } }, { $unset: { [field]: true } });
  expect(modifiedCount).toBe(ids.length);
};

test.each(['key', 'changedAt'])('the check of the cache skips a stored record without its %s', async (field) => {
  const warn = jest.spyOn(log, 'warn').mockImplementation();
  const findByIds = jest.spyOn(store, 'findByIds');
  const cache = new RecordCache<TargetRecord, RedirectTarget>(2 ** 20, toRedirectTarget);
  const damaged = ['lnk_1', 'lnk_2', 'lnk_3'];
  const ids = [...damaged, 'lnk_4'];
  for (const id of ids) cache.apply(record(id));
  await store.save(ids.map((id) => record(id, 2)));
  await damage(damaged, field);

  const revalidator = new Revalidator(cache, store, { log, lifecycle });
  revalidator.scheduleAll();
  revalidator.start();
  await waitFor('its new revision', () => {
    const known = cache.known(targetKey(null, 'lnk_4'));
    return typeof known === 'object' && known.revision === 2;
  });
  await revalidator.stop();
  expect(findByIds).toHaveBeenCalledTimes(1);
  const warned = warn.mock.calls as unknown as [{ id: string }, string][];
  expect(warned.map(([{ id }]) => id).sort()).toEqual(damaged);
});
