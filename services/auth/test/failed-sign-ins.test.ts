import { COMMANDS } from '@waymark/auth/admin/commands';
import { adminTargets } from '@waymark/auth/admin/context';
import { FailedSignInStore } from '@waymark/auth/sessions/failed-sign-in-store';
import { startFailureReporter } from '@waymark/auth/sessions/report-failures';
import { UserStore } from '@waymark/auth/users/user-store';
import { WorkspaceStore } from '@waymark/auth/workspaces/workspace-store';
import { Database } from '@waymark/kernel/mongo/database';
import { storeEvents } from '@waymark/kernel/mongo/store-events';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { Metrics } from '@waymark/kernel/process/metrics';
import { waitFor } from '@waymark/testing/wait-for';
import { AccountSystem, newAddress } from './account-system.js';
import { usualSteps } from './steps.js';

const REPORTED = 10;
const log = createLog('test', 'fatal');
let system: AccountSystem;
beforeAll(async () => (system = await AccountSystem.start()));
afterAll(() => system.stop());

const counted = () => system.database.collection<{ _id: string }>('failed_sign_ins');
const passAnHour = () => counted().updateMany({}, { $set: { dueAt: new Date(0) } });
const failuresOf = async (userId: string) => {
  const events = await system.eventsOf('session.failed', userId);
  return events.map(({ audit, data, actor, ip_address }) => ({ audit, data, actor, ip_address }));
};

async function fail(email: string, times: number, headers: Record<string, string> = {}): Promise<void> {
  for (let tried = 0; tried < times; tried += 1) {
    const { status } = await system.trySignIn(
      { email, password: 'wrong' },
      { headers: { ...newAddress(), ...headers } },
    );
    expect(status).toBe(401);
  }
}

async function startReporter() {
  const lifecycle = new Lifecycle(log);
  const failed: string[] = [];
  lifecycle.onWorkFailed((work) => failed.push(work));
  const db = new Database(system.backing.MONGODB_URI, { log, lifecycle });
  storeEvents(db, lifecycle);
  const stores = {
    failedSignIns: new FailedSignInStore(db),
    users: new UserStore(db),
    workspaces: new WorkspaceStore(db),
  };
  await db.start();
  const metrics = new Metrics('auth');
  startFailureReporter({ db, log, lifecycle, metrics, ...stores });
  return { lifecycle, failed, metrics };
}

test('the first failed sign-ins of a user have an event each, and one event an hour later counts the others', async () => {
  const { id, email } = await system.newUser();
  const workspace = { slug: 'attacked', name: 'Attacked', owner: email };
  await COMMANDS['workspace create']!.run(adminTargets(system.env), workspace);

  await fail(email, REPORTED + 3);
  await fail(email, 1, { 'x-forwarded-for': '203.0.113.99' });

  const single = await failuresOf(id);
  expect(single).toHaveLength(REPORTED);
  expect(single.map(({ audit }) => audit.changes)).toEqual(Array.from({ length: REPORTED }, () => ({})));
  const early = await startReporter();
  await early.lifecycle.stop();
  expect(await failuresOf(id)).toHaveLength(REPORTED);

  await passAnHour();
  const reporters = [await startReporter(), await startReporter()];
  await waitFor('the event', async () => (await counted().countDocuments()) === 0);
  for (const { lifecycle } of reporters) await lifecycle.stop();

  const all = await failuresOf(id);
  expect(all).toHaveLength(REPORTED + 1);
  expect(all.find(({ audit }) => 'count' in audit.changes)).toEqual({
    audit: { target: { type: 'user', id, label: email }, changes: { count: { from: null, to: 4 } } },
    data: { user_id: id, email, workspaces: ['attacked'] },
    actor: { type: 'user', id: null, name: null, email: null, token_id: null },
    ip_address: '203.0.113.99',
  });
});

test('beyond the limit an unknown e-mail takes the same steps, and its count is dropped', async () => {
  const { id, email } = await system.newUser();
  const unknown = 'nobody-here@example.org';
  const steps = async (address: string) => {
    await fail(address, REPORTED);
    return usualSteps((headers) => fail(address, 1, headers));
  };

  const [known, other] = [await steps(email), await steps(unknown)];

  expect(known).toContain('failed_sign_ins.updateOne');
  expect(other).toEqual(known);
  expect(await counted().countDocuments()).toBe(2);
  await passAnHour();
  const { lifecycle } = await startReporter();
  await waitFor('the counts', async () => (await counted().countDocuments()) === 0);
  await lifecycle.stop();
  expect(await failuresOf(id)).toHaveLength(REPORTED + 1);
  expect(
    JSON.stringify(
      await system.database
        .collection('outbox')
        .find({ body: /nobody-here/ })
        .toArray(),
    ),
  ).not.toMatch(/"count"/);
});

test('many damaged counts do not keep the others from being reported', async () => {
  const { id } = await system.newUser();
  const damaged = Array.from({ length: 150 }, (_, index) => ({
    _id: `damaged ${index}`,
    userId: { not: 'text' },
    count: 1,
    dueAt: new Date(0),
  }));
  await counted().insertMany([...damaged, { _id: id, userId: id, count: 7, dueAt: new Date(0) }] as never[]);

  const { lifecycle, failed } = await startReporter();
  await waitFor('a try of each damaged count', () => failed.length >= damaged.length);
  await waitFor('the event', async () => (await failuresOf(id)).length > 0);
  await lifecycle.stop();

  expect((await failuresOf(id)).map(({ audit }) => audit.changes)).toEqual([{ count: { from: null, to: 7 } }]);
  expect(failed).toHaveLength(damaged.length);
});

test('a failed sign-in gets 401 and is counted when the count of its account is damaged', async () => {
  const { id, email } = await system.newUser();
  await fail(email, REPORTED);
  for (const count of ['many', { not: 'a number' }]) {
    await counted().deleteMany({});
    await counted().insertOne({ _id: id, userId: id, count, dueAt: new Date(Date.now() + 3600_000) } as never);

    await fail(email, 2);

    expect(await counted().find().toArray()).toMatchObject([{ _id: id, userId: id, count: 2 }]);
  }
});

test('counts that cannot be reported are shown as damaged', async () => {
  await counted().deleteMany({});
  const row = { userId: null, count: 1, dueAt: new Date(Date.now() + 3600_000) };
  const damages = [{ count: 'many' }, { dueAt: 'soon' }, { dueAt: null }, { _id: 7 }, { _id: { not: 'text' } }];
  const damaged = damages.map((damage, index) => ({ _id: `damaged ${index}`, ...row, ...damage }));
  await counted().insertMany([{ _id: 'intact', ...row }, ...damaged] as never[]);

  const { lifecycle, metrics } = await startReporter();
  const shown = await metrics.registry.getSingleMetricAsString('waymark_damaged_rows');
  await lifecycle.stop();

  expect(shown).toMatch(/\{collection="failed_sign_ins"\S*\} 5$/m);
});
