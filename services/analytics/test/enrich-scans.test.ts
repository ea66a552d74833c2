import { setImmediate as turn } from 'node:timers/promises';
import { Database } from '@waymark/kernel/mongo/database';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';
import { runWithShortTurns } from '@waymark/testing/event-loop';
import { Languages } from '@waymark/visitors/language';
import { Locations } from '@waymark/analytics/enrichment/locations';
import { Referrers } from '@waymark/analytics/enrichment/referrer';
import { UserAgents } from '@waymark/visitors/user-agent';
import { enrichScans } from '@waymark/analytics/ingest/enrich-scans';
import { Salts } from '@waymark/analytics/ledger/salts';
import { batchOf, rawScan } from './harness.js';

const log = createLog('test', 'silent');
const lifecycle = new Lifecycle(log);
const db = new Database(freshBacking().MONGODB_URI, { log, lifecycle });
const ctx = {
  db,
  userAgents: new UserAgents(),
  referrers: new Referrers(),
  languages: new Languages(),
  locations: new Locations({ v4: '/none', v6: '/none' }, log),
  salts: new Salts(db),
};

beforeAll(() => db.start());
afterAll(() => lifecycle.stop());

/** A full message, in which each visitor has another user agent that names no browser. */
function fullMessage(mark: string) {
  const filler = 'zq/1 '.repeat(100);
  return batchOf(Array.from({ length: 500 }, (_, index) => rawScan({ user_agent: `${mark} ${index} ${filler}` })));
}

test('user agents that take long to parse leave turns of the event loop to other work', async () => {
  const enrich = (run: number) => enrichScans(ctx, [fullMessage(`run ${run}`)]);
  const enriched = await runWithShortTurns(enrich, { runs: 4, limitMs: (cpuMs) => cpuMs / 2 });
  expect(enriched).toHaveLength(500);
});

test('no more than ten scans are enriched in one turn of the event loop', async () => {
  let isDone = false;
  const enriching = enrichScans(ctx, [fullMessage('turns')]).finally(() => (isDone = true));
  let turnCount = 0;
  while (!isDone) {
    await turn();
    turnCount += 1;
  }
  const scans = await enriching;
  expect(turnCount).toBeGreaterThanOrEqual(scans.length / 10);
});
