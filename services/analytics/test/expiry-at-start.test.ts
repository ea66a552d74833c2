import { waitFor } from '@waymark/testing/wait-for';
import { Harness } from './harness.js';

const harness = new Harness();
beforeAll(() => harness.start());
afterAll(() => harness.stop());

test('a process deletes expired data from its start', async () => {
  const has = async (collection: string, filter: object) =>
    (await harness.database.collection(collection).countDocuments(filter)) > 0;
  const insert = (collection: string, row: object) => harness.database.collection(collection).insertOne(row);
  harness.plans['expired'] = 'free';
  await insert('sightings', { _id: '2020-01-01:lnk_1:visitor' as never });
  await insert('scans', { _id: 'scn_expired' as never, workspace: 'expired', scannedAt: new Date(0) });
  await insert('retentions', { _id: 'expired' as never, keptFrom: new Date(1) });
  // Those of the first process last for a minute.
  await harness.database.collection('leases').deleteMany({});
  await harness.restart();
  await waitFor('the deletion of first visits', async () => !(await has('sightings', {})));
  await waitFor('the deletion of scans', async () => !(await has('scans', { _id: 'scn_expired' })));
  await waitFor('the deletion from the warehouse', () => has('retentions', { expiredUntil: { $type: 'date' } }));
});
