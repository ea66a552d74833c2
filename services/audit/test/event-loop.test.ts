import type { StoredEntry } from '@waymark/audit/entries/entry-store';
import { appendEntries } from '@waymark/audit/collecting/append-entries';
import { entryHash } from '@waymark/audit/chain/chain';
import { redactEntries } from '@waymark/audit/redacting/redact-entries';
import { freshBacking } from '@waymark/testing/backing';
import { measureCpu, measureLongestTurn } from '@waymark/testing/event-loop';
import { userUpdated } from '@waymark/contract/events';
import { waitFor } from '@waymark/testing/wait-for';
import { ADA, openLog, sampleEntry, TEST_KEYS, verdictOn } from './open-log.js';
import { AuditService } from './service.js';

/** More entries than the service reads at a time, each longer than any that a request can cause. */
const LENGTH = 500;
const CHANGES = JSON.stringify({ filters: { from: null, to: { search: 'x'.repeat(40_000) } } });
const AT_ONCE = 50;

let log: Awaited<ReturnType<typeof openLog>>;
let entries: StoredEntry[];
beforeAll(async () => {
  log = await openLog(freshBacking().MONGODB_URI);
  for (let start = 0; start < LENGTH; start += AT_ONCE) {
    const some = Array.from({ length: AT_ONCE }, () => sampleEntry('long', { changes: CHANGES }));
    await appendEntries(log.stores, some);
  }
  entries = await log.stores.entries.chainSlice('long', 0, LENGTH);
});
afterAll(async () => {
  await log.stores.db.connection.db!.dropDatabase();
  await log.close();
});

test('the verification of long entries lets other work run before all of them are hashed', async () => {
  // Code that has not been compiled yet would take several times as long.
  await verdictOn(log.stores, 'long');
  const { result, longestTurnMs } = await measureLongestTurn(() => verdictOn(log.stores, 'long'));
  expect(result).toMatchObject({ valid: true, checked: LENGTH });
  expect(longestTurnMs).toBeLessThan(measureCpu(() => entries.forEach(entryHash)));
});

test('the redaction of many entries, and the verification after it, let other work run before all are signed', async () => {
  const signingMs = measureCpu(() => entries.forEach((entry) => TEST_KEYS.signRedaction(entry)));
  const redactAll = async () => {
    let count = 0;
    const user = { userId: ADA.id!, email: ADA.email! };
    for (let some = 1; some > 0; count += some) some = await redactEntries(log.stores, user, 2 * LENGTH);
    return count;
  };
  const redacted = await measureLongestTurn(redactAll);
  expect(redacted.result).toBe(LENGTH);
  expect(redacted.longestTurnMs).toBeLessThan(signingMs);
  const verified = await measureLongestTurn(() => verdictOn(log.stores, 'long'));
  expect(verified.result).toMatchObject({ valid: true, checked: LENGTH });
  expect(verified.longestTurnMs).toBeLessThan(signingMs);
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
  // Creates the logs, whose ends are verified from then on, and compiles the code.
  await appendOnce(1);
  await appendOnce(2);
  const { longestTurnMs } = await measureLongestTurn(() => appendOnce(3));
  const head = TEST_KEYS.signHead('of-ada-0', { seq: 1, hash: '0'.repeat(64) });
  const verifyingMs = measureCpu(() => workspaces.forEach(() => TEST_KEYS.isSigned('of-ada-0', head)));
  // All at a time would be verified and signed in one turn.
  expect(longestTurnMs).toBeLessThan(verifyingMs);
  await service.stop();
});
