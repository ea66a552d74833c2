import type { StoredEntry } from '@waymark/audit/entries/entry-store';
import { appendEntries } from '@waymark/audit/collecting/append-entries';
import { entryHash } from '@waymark/audit/chain/chain';
import { redactEntries } from '@waymark/audit/redacting/redact-entries';
import { freshBacking } from '@waymark/testing/backing';
import { measureCpu, measureLongestTurn } from '@waymark/testing/event-loop';
import { ADA, openLog, sampleEntry, TEST_KEYS, verdictOn } from './open-log.js';

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
