import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isbot } from 'isbot';
import { NO_DESCRIPTIONS } from '@waymark/analytics/links/link-descriptions';
import { publishLoggedScans } from '@waymark/analytics/ingest/announce-scans';
import { agentFamily, UserAgents } from '@waymark/visitors/user-agent';
import { ProgressStore } from '@waymark/analytics/ingest/progress-store';
import { reclassifyDays } from '@waymark/analytics/ingest/reclassify';
import type { Scan } from '@waymark/analytics/ledger/scan';
import { storeEvents } from '@waymark/kernel/broker/store-events';
import { waitFor } from '@waymark/testing/wait-for';
import { addressOf, batchOf, GOOGLEBOT, Harness, IPHONE, rawScan } from './harness.js';
import { openStores } from './ledger.js';

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
/** Visitors of earlier days can no longer be identified. */
const DAY = daysAgo(1);
const range = { from: DAY, to: DAY };
const harness = new Harness();
let ledger: Awaited<ReturnType<typeof openStores>>;

beforeAll(async () => {
  await harness.start();
  ledger = await openStores(harness.backing, (db, lifecycle) => {
    new ProgressStore(db);
    storeEvents(db, lifecycle);
  });
  const scan = (workspace: string, visitor: number, user_agent: string, hour: number) =>
    rawScan({
      workspace,
      user_agent,
      address: addressOf(visitor),
      at: `${DAY}T${String(hour).padStart(2, '0')}:00:00.000Z`,
    });
  const scans = ['acme', 'other'].flatMap((workspace) => [
    scan(workspace, 1, IPHONE, 8),
    scan(workspace, 1, IPHONE, 9),
    scan(workspace, 2, GOOGLEBOT, 8),
    scan(workspace, 3, '', 8),
  ]);
  await harness.publish(batchOf([...scans, rawScan({ user_agent: GOOGLEBOT, at: `${daysAgo(2)}T23:59:59.999Z` })]));
  await harness.settled(9);
});
afterAll(async () => {
  await ledger.close();
  await harness.stop();
});

const scans = () => harness.database.collection<Scan>('scans');
const context = () => {
  const { stores } = ledger;
  return { ...stores, progress: new ProgressStore(stores.db), userAgents: new UserAgents() };
};
const kpis = async () => {
  const { body } = await harness.get(`/summary?start_date=${DAY}&end_date=${DAY}`);
  const { total_scans, unique_visitors, bot_scans } = body.data.kpis;
  return [total_scans, unique_visitors, bot_scans];
};

/** Inverts the class of every scan with a user agent, like an earlier version with wrong bot detection. */
async function classifyWrongly(): Promise<void> {
  const { stores } = ledger;
  const all = await scans()
    .find({ agent: { $ne: '' } })
    .toArray();
  const wrong = all.map((scan) => {
    const isBot = !scan.isBot;
    return {
      ...scan,
      isBot,
      botReason: isBot ? ('user_agent' as const) : null,
      isUnique: false,
      version: (scan.version ?? 1) + 1,
    };
  });
  await stores.db.transaction(async ({ session }) => {
    await stores.scans.updateClassification(wrong, session);
    await stores.pending.scans.addRows(wrong, session);
  });
  await harness.counted();
}

test('a dry run changes nothing, and a run corrects the ledger and the figures once', async () => {
  const right = { rows: await ledger.rowsInWarehouse(), kpis: await kpis() };
  expect(right.kpis).toEqual([2, 1, 2]);
  await classifyWrongly();
  expect(await kpis()).toEqual([1, 1, 3]);
  const found = {
    ...range,
    scans: 8,
    without_user_agent: 0,
    changed: 6,
    changes: [
      { from: 'user_agent', to: 'human', scans: 4 },
      { from: 'human', to: 'user_agent', scans: 2 },
    ],
  };
  expect(await reclassifyDays(context(), range, true)).toEqual({ ...found, dry_run: true });
  expect(await kpis()).toEqual([1, 1, 3]);
  expect(await reclassifyDays(context(), range, false)).toEqual({ ...found, dry_run: false });
  await harness.counted();
  await waitFor('the corrected figures', async () => String(await kpis()) === String(right.kpis));
  expect(await scans().countDocuments({ workspace: 'acme', isUnique: true })).toBeLessThanOrEqual(1);
  expect(await reclassifyDays(context(), range, false)).toMatchObject({ scans: 8, changed: 0, changes: [] });
});

test('a run reports the changed scan count of each link', async () => {
  const published = () => harness.emitted.filter(({ type }) => type === 'scan.reclassified');
  const links = [{ id: 'lnk_1', scans_difference: 1, last_scanned_at: `${DAY}T09:00:00.000Z` }];
  const expected = ['acme', 'other'].map((workspace) => ({ workspace, data: { links } }));
  await waitFor('both events', () => published().length === 2);
  expect(published().toSorted((a, b) => (a.workspace! < b.workspace! ? -1 : 1))).toMatchObject(expected);
});

test('a run resumes an interrupted one', async () => {
  await classifyWrongly();
  const { stores } = ledger;
  const last = (
    await scans()
      .find({ workspace: 'acme', scannedAt: new Date(`${DAY}T09:00:00.000Z`) })
      .toArray()
  )[0]!;
  await stores.db.transaction(({ session }) =>
    context().progress.savePosition(range, { workspace: 'acme', scannedAt: last.scannedAt, id: last._id }, session),
  );
  expect(await reclassifyDays(context(), range, false)).toMatchObject({ scans: 4, changed: 3 });
  // The run has finished: the next one checks all scans again.
  expect(await reclassifyDays(context(), range, false)).toMatchObject({ scans: 8, changed: 3 });
});

test('a run leaves scans without a user agent unchanged', async () => {
  await scans().updateMany({ workspace: 'other' }, { $unset: { agent: true } });
  expect(await reclassifyDays(context(), range, true)).toMatchObject({ scans: 8, without_user_agent: 4, changed: 0 });
});

test('a message that is delivered again reports the first classification of its scans in scan.logged', async () => {
  const noon = `${DAY}T12:00:00.000Z`;
  const [human, bot] = [
    rawScan({ link_id: 'lnk_human', address: addressOf(8), user_agent: IPHONE, at: noon }),
    rawScan({ link_id: 'lnk_bot', address: addressOf(9), user_agent: GOOGLEBOT, at: noon }),
  ];
  const batch = batchOf([human, bot]);
  await harness.publish(batch);
  await harness.settled(11);
  const logged = () => harness.logged.filter(({ id }) => id === `${batch.id}-logged`);
  await waitFor('the event', () => logged().length > 0);
  // As an earlier version with wrong bot detection has stored them.
  await scans().updateOne({ _id: human.id }, { $set: { isBot: true, botReason: 'user_agent', isUnique: false } });
  await scans().updateOne({ _id: bot.id }, { $set: { isBot: false, botReason: null, isUnique: true } });
  await reclassifyDays(context(), range, false);
  const before = logged().length;

  // A process that is killed before the publication leaves the message to another, which reads the stored rows.
  const rows = await scans().find({ batch: batch.id }).toArray();
  const { publisher } = harness;
  const ctx = { publisher, shortBaseUrl: 'https://go.test', descriptions: NO_DESCRIPTIONS };
  await publishLoggedScans(ctx, [batch], new Map(rows.map((row) => [row._id, row])));

  await waitFor('the event again', () => logged().length > before);
  const [event] = logged().slice(-1);
  expect(event!.data.scans.map(({ scan }) => scan)).toMatchObject([{ id: bot.id, is_bot: false, is_unique: true }]);
  const differences = () =>
    harness.emitted
      .filter(({ type }) => type === 'scan.reclassified')
      .flatMap(({ data }) => data.links as { id: string; scans_difference: number }[]);
  await waitFor('both differences', () => differences().filter(({ id }) => /human|bot/.test(id)).length === 2);
  // With the logged scan, one for the person's link and none for the bot's.
  expect(differences()).toContainEqual(expect.objectContaining({ id: 'lnk_human', scans_difference: 1 }));
  expect(differences()).toContainEqual(expect.objectContaining({ id: 'lnk_bot', scans_difference: -1 }));
});

test('the agent family keeps the signs of bots and no number', () => {
  const file = join(__dirname, '../../../deploy/verify/e2e/fixtures/user-agents.json');
  const agents = (JSON.parse(readFileSync(file, 'utf8')) as { user_agent: string }[]).map((row) => row.user_agent);
  for (const agent of agents) expect([agent, isbot(agentFamily(agent))]).toEqual([agent, isbot(agent)]);
  expect(agentFamily('curl/8.5 198.51.100.12 2001:db8::8a2e')).toBe('curl/0 0 0');
});
