import { scansByDay } from '@waymark/contract/analytics';
import { addressOf, batchOf, CHROME, GOOGLEBOT, Harness, rawScan } from './harness.js';

const harness = new Harness();
const DAY_MS = 86_400_000;
const dateBefore = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
/** Noon of a UTC day, or a moment ago if that is later than now. */
const daysAgo = (days: number) =>
  new Date(Math.min(Date.parse(`${dateBefore(days)}T12:00:00Z`), Date.now() - 1000)).toISOString();

beforeAll(async () => {
  await harness.start();
  const scans = [
    { link_id: 'lnk_a', at: daysAgo(0) },
    { link_id: 'lnk_a', at: daysAgo(0), address: addressOf(2) },
    { link_id: 'lnk_a', at: daysAgo(6) },
    { link_id: 'lnk_a', at: daysAgo(7) },
    { link_id: 'lnk_b', at: daysAgo(3) },
    { link_id: 'lnk_b', at: daysAgo(3), user_agent: GOOGLEBOT },
    { link_id: 'lnk_c', at: daysAgo(1) },
    { link_id: 'lnk_a', at: daysAgo(1), workspace: 'foreign' },
    { link_id: 'lnk_z', at: '2026-01-10T18:29:00.000Z' },
  ].map((scan) => rawScan({ user_agent: CHROME, ...scan }));
  await harness.publish(batchOf(scans));
  await harness.settled(scans.length);
});
afterAll(() => harness.stop());

const scansOf = (days: { scans: number }[]) => days.map(({ scans }) => scans);

test('the last seven days of several links come in one answer, with a day for each, also without scans', async () => {
  const { status, body } = await harness.get('/links?ids=lnk_a,lnk_b,lnk_none');
  expect(status).toBe(200);
  expect(scansByDay.strict().parse(body)).toEqual(body);
  expect(Object.keys(body.data)).toEqual(['lnk_a', 'lnk_b', 'lnk_none']);
  const dates = Array.from({ length: 7 }, (_, index) => dateBefore(6 - index));
  expect(body.data.lnk_a.map(({ date }: { date: string }) => date)).toEqual(dates);
  expect(scansOf(body.data.lnk_a)).toEqual([1, 0, 0, 0, 0, 0, 2]);
  expect(scansOf(body.data.lnk_b)).toEqual([0, 0, 0, 1, 0, 0, 0]);
  expect(scansOf(body.data.lnk_none)).toEqual([0, 0, 0, 0, 0, 0, 0]);
  expect(body.meta).toEqual({
    start_date: dates[0],
    end_date: dates[6],
    timezone: 'UTC',
    data_as_of: expect.any(String),
    rows_kept_from: null,
  });
});

test('the days, the bots and the time zone can be chosen', async () => {
  const { body } = await harness.get('/links?ids=lnk_a,lnk_b&days=8&include_bots=true');
  expect(scansOf(body.data.lnk_a)).toEqual([1, 1, 0, 0, 0, 0, 0, 2]);
  expect(scansOf(body.data.lnk_b)).toEqual([0, 0, 0, 0, 2, 0, 0, 0]);
  const zone = 'Pacific/Kiritimati';
  const zoned = (await harness.get(`/links?ids=lnk_a&days=1&timezone=${zone}`)).body;
  const today = new Intl.DateTimeFormat('sv-SE', { timeZone: zone }).format(new Date());
  expect(zoned.meta).toMatchObject({ start_date: today, end_date: today, timezone: zone });
});

test('the days of a link add up to its scans in the summary of the same days', async () => {
  for (const timezone of ['UTC', 'Asia/Kolkata', 'America/St_Johns']) {
    const { body } = await harness.get(`/links?ids=lnk_a&days=9&timezone=${timezone}`);
    const range = `start_date=${body.meta.start_date}&end_date=${body.meta.end_date}&timezone=${timezone}`;
    const summary = (await harness.get(`/summary?link_id=lnk_a&${range}`)).body;
    expect(body.data.lnk_a).toEqual(
      summary.data.trend.map(({ date, scans }: { date: string; scans: number }) => ({ date, scans })),
    );
  }
});

test('the scans of another workspace are not counted', async () => {
  expect(scansOf((await harness.get('/links?ids=lnk_a', { workspace: 'foreign' })).body.data.lnk_a)).toEqual([
    0, 0, 0, 0, 0, 1, 0,
  ]);
  expect(scansOf((await harness.get('/links?ids=lnk_a', { workspace: 'empty' })).body.data.lnk_a)).toEqual(
    Array(7).fill(0),
  );
});

test.each([
  ['', ['ids']],
  ['ids=', ['ids']],
  ['ids=,%20,', ['ids']],
  ["ids=lnk_a,it's", ['ids']],
  [`ids=${Array.from({ length: 101 }, (_, index) => `lnk_${index}`).join(',')}`, ['ids']],
  ['ids=lnk_a&days=0', ['days']],
  ['ids=lnk_a&days=91&timezone=Mars', ['days', 'timezone']],
  ['ids=lnk_a&link_id=lnk_b', ['link_id']],
])('the query %j is a 422 that names its fields', async (query, fields) => {
  const { status, body } = await harness.get(`/links?${query}`);
  expect([status, Object.keys(body.error.details).sort()]).toEqual([422, fields]);
});

test('a hundred ids of ninety days are answered, each id once', async () => {
  const ids = Array.from({ length: 100 }, (_, index) => `lnk_${index}`);
  const { status, body } = await harness.get(`/links?days=90&ids=${[...ids, 'lnk_1'].join(',')}`);
  expect(status).toBe(200);
  expect(Object.keys(body.data)).toEqual(ids);
  expect(body.data.lnk_99).toHaveLength(90);
});
