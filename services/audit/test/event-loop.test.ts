import { appendEntries } from '@waymark/audit/collecting/append-entries';
import { freshBacking } from '@waymark/testing/backing';
import { measureCpu, runWithShortTurns } from '@waymark/testing/event-loop';
import { userUpdated } from '@waymark/contract/events';
import { waitFor } from '@waymark/testing/wait-for';
import { ADA, openLog, redactUser, sampleEntry, TEST_KEYS, verdictOn } from './open-log.js';
import { AuditService } from './service.js';

/** More entries than the service reads at a time, each longer than any that a request can cause. */
const LENGTH = 600;
const CHANGES = JSON.stringify({ filters: { from: null, to: { search: 'x'.repeat(40_000) } } });
const AT_ONCE = 60;
const RUNS = 3;
/** Each has as many of the entries. */
const users = Array.from({ length: RUNS }, (_, index) => ({
  ...ADA,
  id: `usr_${index}`,
  email: `${index}@example.com`,
}));

let log: Awaited<ReturnType<typeof openLog>>;
beforeAll(async () => {
  log = await openLog(freshBacking().MONGODB_URI);
  for (let start = 0; start < LENGTH; start += AT_ONCE) {
    const some = Array.from({ length: AT_ONCE }, (_, index) =>
      sampleEntry('long', { changes: CHANGES, actor: users[index % RUNS]! }),
    );
    await appendEntries(log.stores, some);
  }
});
afterAll(() => log.close());

const verify = () => verdictOn(log.stores, 'long');

test('the verification of long entries lets other work run before all of them are hashed', async () => {
  const verdict = await runWithShortTurns(verify, { runs: RUNS, limitMs: (cpuMs) => cpuMs / 4 });
  expect(verdict).toMatchObject({ valid: true, checked: LENGTH });
});

test('a page of entries with many changes lets other work run before all of them are presented', async () => {
  const service = await AuditService.start();
  const { stores, close } = await openLog(service.mongoUri);
  const names = Array.from({ length: 1000 }, (_, index) => `utm.custom_parameter_${index}`);
  const changes = JSON.stringify(Object.fromEntries(names.map((name) => [name, { from: null, to: 'new' }])));
  for (const _ of [1, 2]) {
    const some = Array.from({ length: 50 }, () => sampleEntry('varied', { changes }));
    await appendEntries(stores, some);
  }
  const list = () => service.get('?per_page=100', { workspace: 'varied' });
  const { body } = await runWithShortTurns(list, { runs: RUNS, limitMs: (cpuMs) => cpuMs / 3 });
  await close();
  await service.stop();
  expect(body.data).toHaveLength(100);
  expect(body.data[0].changes).toEqual(JSON.parse(changes));
});

test('the redaction of many entries, and the verification after it, let other work run before all are signed', async () => {
  const redactAll = (run: number) =>
    redactUser(log.stores, { userId: users[run]!.id, email: users[run]!.email }, 2 * LENGTH);
  const redacted = await runWithShortTurns(redactAll, { runs: RUNS, limitMs: (cpuMs) => cpuMs / 2 });
  expect(redacted).toBe(LENGTH / RUNS);
  const verdict = await runWithShortTurns(verify, { runs: RUNS, limitMs: (cpuMs) => cpuMs / 4 });
  expect(verdict).toMatchObject({ valid: true, checked: LENGTH });
});

test('the events of a user with very many workspaces are stored in parts, between which other work runs', async () => {
  const service = await AuditService.start();
  const workspaces = Array.from({ length: 600 }, (_, index) => `of-ada-${index}`);
  const target = { type: 'user', id: ADA.id!, label: ADA.email };
  const rename = () =>
    userUpdated.create(
      { workspace: null, actor: ADA },
      { user_id: ADA.id!, email: ADA.email!, workspaces },
      { target, changes: { name: { from: 'A', to: 'Ada' } } },
    );
  const stored = () => service.database.collection('log_entries').countDocuments({ action: userUpdated.type });
  const appendOnce = async (count: number) => {
    await service.publish(rename());
    await waitFor('the entries', async () => (await stored()) === count * workspaces.length, 120_000);
  };
  // Creates the logs, so that later appends verify their ends, and compiles the code.
  await appendOnce(1);
  await appendOnce(2);
  const head = TEST_KEYS.signHead('of-ada-0', { seq: 1, hash: '0'.repeat(64) });
  const verifyingMs = measureCpu(() => workspaces.forEach(() => TEST_KEYS.isSigned('of-ada-0', head)));
  // All at a time would be verified and signed in one turn.
  await runWithShortTurns((run) => appendOnce(3 + run), { runs: RUNS, limitMs: () => verifyingMs });
  await service.stop();
});
