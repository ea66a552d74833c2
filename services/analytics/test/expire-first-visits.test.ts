import { FirstVisitStore, startFirstVisitExpiry } from '@waymark/analytics/ledger/first-visits';
import { Database } from '@waymark/kernel/mongo/database';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';
import { failCommand } from '@waymark/testing/fail-command';
import { waitFor } from '@waymark/testing/wait-for';

const COLLECTION = 'sightings';

const log = createLog('test', 'silent');
let lifecycle: Lifecycle;
let db: Database;
let firstVisits: FirstVisitStore;
beforeEach(async () => {
  lifecycle = new Lifecycle(log);
  db = new Database(freshBacking().MONGODB_URI, { log, lifecycle });
  firstVisits = new FirstVisitStore(db);
  await db.start();
  const rows = ['2020-01-01 old', '9999-01-01 new'].map((_id) => ({ _id: _id as never }));
  await db.connection.collection(COLLECTION).insertMany(rows);
});
afterEach(() => lifecycle.stop());

test('first visits of days whose salt is destroyed are deleted from the start of the process', async () => {
  startFirstVisitExpiry({ log, lifecycle }, { db, firstVisits });
  await waitFor('the deletion', async () => (await db.connection.collection(COLLECTION).countDocuments()) === 1);
});

test('a failed deletion of first visits is reported as failing work', async () => {
  const failed: string[] = [];
  lifecycle.onWorkFailed((work) => failed.push(work));
  const visits = db.connection.collection(COLLECTION);
  await failCommand(visits, { times: 1 }, { failCommands: ['delete'], errorCode: 2 });
  startFirstVisitExpiry({ log, lifecycle }, { db, firstVisits });
  await waitFor('the report', () => failed.length > 0);
  expect(failed).toEqual(['expiring first visits']);
  await waitFor('the deletion', async () => (await db.connection.collection(COLLECTION).countDocuments()) === 1);
});
