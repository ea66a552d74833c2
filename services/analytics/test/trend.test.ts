import { linkCreated } from '@waymark/contract/events';
import { summary } from '@waymark/contract/analytics';
import { waitFor } from '@waymark/testing/wait-for';
import { comparedRange } from '@waymark/analytics/reports/summary/compare';
import { localDays } from '@waymark/analytics/time/local-days';
import { QUERY_LIMITS } from '@waymark/analytics/warehouse/query/reader';
import { addressOf, batchOf, Harness, linkSnapshot, rawScan } from './harness.js';

const harness = new Harness();
const scanAt = (time: string, given = {}) => rawScan({ at: `${time}:00.000Z`, ...given });
const SCANS = [
  scanAt('2024-02-28T10:00'),
  scanAt('2024-02-29T10:00'),
  scanAt('2024-02-29T11:00', { address: addressOf(2) }),
  scanAt('2025-02-28T10:00', { link_id: 'lnk_2' }),
  // Around the end of daylight saving time in Berlin: 01:30, 02:30, 02:30 again and 03:30.
  scanAt('2025-10-25T23:30'),
  scanAt('2025-10-26T00:30'),
  scanAt('2025-10-26T01:30', { address: addressOf(2) }),
  scanAt('2025-10-26T02:30'),
  // Around its half-hour start on Lord Howe Island: 01:45 and 02:45.
  scanAt('2025-10-04T15:15'),
  scanAt('2025-10-04T15:45'),
  // Around its end on the Chatham Islands, at 03:45: 03:30, then 02:50 and 02:55 of the repeated hour.
  scanAt('2023-04-01T13:45'),
  scanAt('2023-04-01T14:05'),
  scanAt('2023-04-01T14:10'),
];
/** An hour ago. */
const RECENT = rawScan({ workspace: 'recent', at: new Date(Date.now() - 3_600_000).toISOString() });

beforeAll(async () => {
  await harness.start();
  await harness.publish(batchOf([...SCANS, RECENT]));
  await harness.publish(
    linkCreated.create({ workspace: 'acme' }, { link: linkSnapshot({ id: 'lnk_2', title: 'Two' }) }),
  );
  await harness.settled(SCANS.length + 1);
  await waitFor('the link', () =>
    harness.database.collection('links').findOne({ _id: 'lnk_2' as never, title: 'Two' }),
  );
});
afterAll(() => harness.stop());

const WORKSPACE = { slug: 'acme', plan: { name: 'enterprise' } } as never;
/** A zone in which it is between 12:00 and 13:00 now. Zones of `Etc` have the opposite sign. */
const zoneAtNoon = (): string => {
  const ahead = 12 - new Date().getUTCHours();
  return `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
};

const summaryOf = async (query: string) => {
  const { status, body } = await harness.get(`/summary?${query}`);
  expect([status, body.error]).toEqual([200, undefined]);
  expect(summary.strict().parse(body)).toEqual(body);
  return body;
};
const scansOf = (trend: { scans: number }[]) => trend.map(({ scans }) => scans);

describe('a trend by the hour', () => {
  const berlin = 'timezone=Europe/Berlin&interval=hour';

  test.each([
    ['2025-10-26', 25],
    ['2025-03-30', 23],
    ['2025-10-27', 24],
  ])('an hourly trend of %s in Berlin has %i hours', async (date, hours) => {
    const { data } = await summaryOf(`${berlin}&start_date=${date}&end_date=${date}`);
    expect(data.trend).toHaveLength(hours);
    expect(new Set(data.trend.map((point: { starts_at: string }) => point.starts_at)).size).toBe(hours);
    expect(data.trend.every((point: { date: string }) => point.date === date)).toBe(true);
  });

  test('an hourly trend separates the two hours of the same name', async () => {
    const { data } = await summaryOf(`${berlin}&start_date=2025-10-26&end_date=2025-10-26`);
    expect(scansOf(data.trend).slice(0, 6)).toEqual([0, 1, 1, 1, 1, 0]);
    expect(data.trend[2]).toMatchObject({ starts_at: '2025-10-26T00:00:00.000Z', scans: 1 });
    expect(data.trend[3]).toMatchObject({ starts_at: '2025-10-26T01:00:00.000Z', scans: 1 });
  });

  test('an hourly trend handles clock changes of half an hour', async () => {
    const query = 'timezone=Australia/Lord_Howe&interval=hour&start_date=2025-10-05&end_date=2025-10-05';
    const { data } = await summaryOf(query);
    expect(scansOf(data.trend).slice(0, 4)).toEqual([0, 1, 1, 0]);
    expect(data.trend[2].starts_at).toBe('2025-10-04T15:30:00.000Z');
  });

  test('an hourly trend separates a partial hour from the repeated hour', async () => {
    const query = 'timezone=Pacific/Chatham&interval=hour&start_date=2023-04-02&end_date=2023-04-02';
    const { data } = await summaryOf(query);
    expect(scansOf(data.trend).slice(2, 6)).toEqual([0, 1, 2, 0]);
    const starts = data.trend.slice(3, 5).map((point: { starts_at: string }) => point.starts_at);
    expect(starts).toEqual(['2023-04-01T13:15:00.000Z', '2023-04-01T14:00:00.000Z']);
  });

  test('an hourly trend works in the zone farthest ahead of UTC', async () => {
    const query = 'timezone=Pacific/Kiritimati&interval=hour&start_date=2024-02-29&end_date=2024-02-29';
    const { data } = await summaryOf(query);
    expect(data.trend.filter(({ scans }: { scans: number }) => scans > 0)).toMatchObject([
      { starts_at: '2024-02-28T10:00:00.000Z', scans: 1 },
    ]);
  });

  // The rules of these zones have changed since 2025, or the name is not spelled as in IANA's list.
  test.each(['America/Coyhaique', 'America/Vancouver', 'America/Edmonton', 'Africa/Casablanca', 'europe/berlin'])(
    'an hourly trend of %s has the latest scans in their hour, also if the warehouse does not know the zone',
    async (zone) => {
      const date = new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(new Date(RECENT.at));
      const { status, body } = await harness.get(
        `/summary?interval=hour&start_date=${date}&end_date=${date}&timezone=${zone}`,
        { workspace: 'recent' },
      );
      expect(status).toBe(200);
      const points = body.data.trend.filter(({ scans }: { scans: number }) => scans > 0);
      expect(points).toMatchObject([{ date, scans: 1 }]);
      const start = Date.parse(points[0].starts_at);
      expect(Date.parse(RECENT.at) - start).toBeGreaterThanOrEqual(0);
      expect(Date.parse(RECENT.at) - start).toBeLessThan(3_600_000);
    },
  );

  test('an hourly trend is limited to 14 days', async () => {
    const days = (end: string) => harness.get(`/summary?interval=hour&start_date=2025-10-01&end_date=${end}`);
    expect((await days('2025-10-14')).body.data.trend).toHaveLength(14 * 24);
    const { status, body } = await days('2025-10-15');
    expect([status, body.error.details]).toEqual([422, { interval: ['The interval hour is for at most 14 days.'] }]);
    expect((await harness.get('/summary?interval=hour')).status).toBe(422);
  });
});

test('weeks begin on Mondays and months on their first day, even before the range', async () => {
  const range = 'start_date=2024-02-28&end_date=2024-03-05';
  const week = await summaryOf(`${range}&interval=week`);
  expect(week.data.trend.map(({ date, scans }: { date: string; scans: number }) => [date, scans])).toEqual([
    ['2024-02-26', 3],
    ['2024-03-04', 0],
  ]);
  const month = await summaryOf(`${range}&interval=month&timezone=Asia/Kathmandu`);
  expect(month.data.trend[0]).toMatchObject({ date: '2024-02-01', starts_at: '2024-01-31T18:15:00.000Z', scans: 3 });
  expect(month.meta).toMatchObject({ interval: 'month', start_date: '2024-02-28' });
});

describe('a comparison', () => {
  test('a comparison with the previous period pairs points by position', async () => {
    const { data, meta } = await summaryOf('start_date=2024-02-29&end_date=2024-03-01&compare=previous_period');
    const compared = { compare: 'previous_period', start_date: '2024-02-27', end_date: '2024-02-28' };
    expect(meta.compared_with).toEqual(compared);
    const before = await summaryOf('start_date=2024-02-27&end_date=2024-02-28');
    const { active_links: _, ...kpis } = before.data.kpis;
    expect(data.kpis).toMatchObject({ total_scans: 2, previous: kpis });
    expect(data.kpis.previous).toEqual(kpis);
    expect(data.trend.map(({ previous }: { previous: object }) => previous)).toEqual(before.data.trend);
  });

  test('a comparison with the previous year pairs points by date, and 29 February with the 28th', async () => {
    const { data, meta } = await summaryOf('start_date=2024-02-28&end_date=2024-03-01&compare=previous_year');
    expect(meta.compared_with).toMatchObject({ start_date: '2023-02-28', end_date: '2023-03-01' });
    expect(data.trend.map(({ previous }: { previous: { date: string } | null }) => previous?.date ?? null)).toEqual([
      '2023-02-28',
      null,
      '2023-03-01',
    ]);
    const after = await summaryOf('start_date=2025-02-28&end_date=2025-03-01&compare=previous_year');
    expect(after.data.kpis).toMatchObject({ total_scans: 1, previous: { total_scans: 3 } });
    expect(after.data.trend[0].previous).toMatchObject({ date: '2024-02-28', scans: 3 });
    const leapDay = await summaryOf('start_date=2024-02-29&end_date=2024-02-29&compare=previous_year');
    expect(leapDay.meta.compared_with).toMatchObject({ start_date: '2023-02-28', end_date: '2023-02-28' });
    expect(leapDay.data.trend[0].previous).toMatchObject({ date: '2023-02-28' });
  });

  test.each([
    // Two weeks, but the period before is in three.
    ['interval=week&start_date=2024-03-04&end_date=2024-03-12&compare=previous_period', ['2024-02-24', '2024-03-02']],
    ['interval=week&start_date=2025-02-26&end_date=2025-03-05&compare=previous_year', ['2024-02-26', '2024-03-03']],
    // A month, but the period before is in two.
    ['interval=month&start_date=2024-03-01&end_date=2024-03-31&compare=previous_period', ['2024-01-30']],
    ['interval=month&start_date=2025-02-10&end_date=2025-03-09&compare=previous_year', ['2024-02-10', '2024-03-01']],
    ['interval=day&start_date=2025-02-28&end_date=2025-03-01&compare=previous_year', ['2024-02-28', '2024-03-01']],
    ['interval=month&start_date=2025-02-01&end_date=2025-02-28&compare=previous_year', ['2024-02-01']],
    ['interval=hour&start_date=2024-03-02&end_date=2024-03-05&compare=previous_period', undefined],
    ['interval=hour&start_date=2025-02-28&end_date=2025-03-01&compare=previous_year', undefined],
  ])('every scan of the earlier range of %s is in a point', async (query, dates) => {
    const { data, meta } = await summaryOf(query);
    const previous: { date: string; scans: number }[] = data.trend.map((point: { previous: object }) => point.previous);
    expect(data.kpis.previous.total_scans).toBe(3);
    expect(scansOf(previous).reduce((sum, scans) => sum + scans, 0)).toBe(3);
    if (dates) expect(previous.map(({ date }) => date)).toEqual(dates);
    expect(previous[0]!.date).toBe(meta.compared_with.start_date);
  });

  test.each([
    // 30 and 31 March 2025 around the start of daylight saving time in Berlin: the earlier day has no 02:30.
    ['2025-03-31', '2025-03-31', '2025-03-31T00:30Z', 'previous_period', '2025-03-30T01:00Z'],
    ['2025-03-31', '2025-03-31', '2025-03-31T12:00Z', 'previous_period', '2025-03-30T12:00Z'],
    ['2025-03-30', '2025-03-30', '2025-03-30T12:00Z', 'previous_period', '2025-03-29T13:00Z'],
    ['2025-03-01', '2025-03-10', '2025-03-04T12:00Z', 'previous_period', '2025-02-22T12:00Z'],
    ['2024-02-29', '2024-03-02', '2024-02-29T12:00Z', 'previous_year', '2023-02-28T12:00Z'],
    ['2025-03-01', '2025-03-10', '2025-02-20T12:00Z', 'previous_period', '2025-02-18T23:00Z'],
    ['2025-03-01', '2025-03-10', '2025-03-10T23:00Z', 'previous_period', undefined],
  ] as const)('a comparison of %s to %s as of %s with the %s ends at %4$s', (first, last, asOf, compare, before) => {
    const days = localDays('Europe/Berlin', first, last);
    const selection = { ...{ days, timeZone: 'Europe/Berlin', filters: [], includeBots: false }, workspace: WORKSPACE };
    const range = comparedRange(selection, compare, new Date(asOf));
    expect(range.before).toEqual(before === undefined ? undefined : new Date(before));
  });

  test('a comparison of a day that is not over ends at the same time of day, and later hours have no figures', async () => {
    const noon = zoneAtNoon();
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
    const scans = [1, 20, 25].map((hours) => rawScan({ workspace: 'noon', at: hoursAgo(hours) }));
    await harness.publish(batchOf(scans));
    await harness.settled(SCANS.length + 1 + scans.length);
    const today = new Intl.DateTimeFormat('en-CA', { timeZone: noon }).format(new Date());
    const query = `interval=hour&compare=previous_period&timezone=${encodeURIComponent(noon)}&start_date=${today}&end_date=${today}`;
    const { body } = await harness.get(`/summary?${query}`, { workspace: 'noon' });
    expect(summary.strict().parse(body)).toEqual(body);
    // Twenty hours ago is yesterday, but later than this time of the day.
    expect(body.data.kpis).toMatchObject({ total_scans: 1, previous: { total_scans: 1 } });
    const asOf = Date.parse(body.meta.data_as_of as string);
    for (const { starts_at: start, scans: count, previous } of body.data.trend) {
      const isOver = Date.parse(start as string) > asOf;
      expect([start, count === null, previous === null]).toEqual([start, isOver, isOver]);
    }
  });

  test('a comparison applies the filters and the interval', async () => {
    const range = 'timezone=Europe/Berlin&interval=hour&start_date=2025-10-27&end_date=2025-10-27';
    const { data } = await summaryOf(`${range}&compare=previous_period&link_id=!lnk_2`);
    expect(data.trend).toHaveLength(24);
    expect(scansOf(data.trend.map(({ previous }: { previous: { scans: number } }) => previous)).slice(0, 5)).toEqual([
      // The hour that the clocks repeat is one.
      0, 1, 2, 1, 0,
    ]);
    const before = await summaryOf(range.replaceAll('2025-10-27', '2025-10-26') + '&compare=previous_period');
    const repeated = before.data.trend
      .slice(2, 4)
      .map(({ previous }: { previous: { date: string } | null }) => previous);
    expect(repeated).toEqual([expect.objectContaining({ date: '2025-10-25' }), null]);
    expect((await harness.get(`/summary?compare=last_week`)).status).toBe(422);
    expect((await harness.get(`/scans?compare=previous_year`)).status).toBe(422);
  });
});

describe('breakdowns', () => {
  const range = 'start_date=2024-01-01&end_date=2025-12-31';

  test('breakdowns return several dimensions, and the names of links', async () => {
    const { status, body } = await harness.get(`/breakdowns?dimensions=weekday,link,hour&limit=2&${range}`);
    expect(status).toBe(200);
    expect(Object.keys(body.data)).toEqual(['weekday', 'link', 'hour']);
    expect(body.data.link).toEqual([
      { value: 'lnk_1', scans: 9, unique_visitors: 0, share: 0.9, short_code: null, title: null },
      { value: 'lnk_2', scans: 1, unique_visitors: 0, share: 0.1, short_code: 'a', title: 'Two' },
    ]);
    expect(body.meta).toMatchObject({
      total: 10,
      limit: 2,
      truncated: true,
      truncated_dimensions: ['weekday', 'hour'],
      start_date: '2024-01-01',
      rows_kept_from: null,
      data_as_of: expect.any(String),
    });
    expect((await harness.get(`/breakdown?dimension=link&limit=2&${range}`)).body.data).toEqual(body.data.link);
  });

  test.each([
    ['', 'The dimensions are required.'],
    ['dimensions=country&dimensions=city', 'The dimensions must be given once.'],
    ['dimensions=country,colour', expect.stringMatching(/^The dimensions must be one or more of country, .*trigger/)],
  ])('breakdowns with "%s" return 422 on dimensions', async (query, message) => {
    const { status, body } = await harness.get(`/breakdowns?${query}`);
    expect([status, body.error.details]).toEqual([422, { dimensions: [message] }]);
  });

  test('breakdowns exist only under the versioned prefix', async () => {
    const path = '/analytics/breakdowns?dimensions=country';
    expect((await harness.caller.call('GET', path, { unversioned: true })).status).toBe(404);
  });

  test('thousands of forged referrers of one visitor cost only rows', async () => {
    const made = Array.from({ length: 10_000 }, (_, index) =>
      rawScan({ workspace: 'tail', referrer: `https://r${index}.example/`, at: '2025-06-01T00:00:00.000Z' }),
    );
    const real = Array.from({ length: 50 }, () => rawScan({ workspace: 'tail', at: '2025-06-01T00:00:00.000Z' }));
    const before = await harness.countScans();
    for (let from = 0; from < made.length; from += 500) await harness.publish(batchOf(made.slice(from, from + 500)));
    await harness.publish(batchOf(real));
    await harness.settled(before + made.length + real.length);
    const query = `dimensions=referrer,country&limit=3&${range}`;
    const { body } = await harness.get(`/breakdowns?${query}`, { workspace: 'tail' });
    expect(body.data.referrer).toEqual([
      { value: 'direct', scans: 50, unique_visitors: 0, share: 50 / 10_050 },
      { value: 'r0.example', scans: 1, unique_visitors: 0, share: 1 / 10_050 },
      { value: 'r1.example', scans: 1, unique_visitors: 0, share: 1 / 10_050 },
    ]);
    expect(body.data.country).toEqual([{ value: 'unknown', scans: 10_050, unique_visitors: 0, share: 1 }]);
    expect(body.meta).toMatchObject({ total: 10_050, truncated_dimensions: ['referrer'] });
  });
});

test.each([
  'summary?',
  'scans?',
  'export?',
  'breakdown?dimension=city&',
  'breakdowns?dimensions=city,link&',
  'summary?compare=previous_year&',
])('%s that reads more than it may is a 422 that says how to narrow it', async (path) => {
  const { max_rows_to_read: rowsMax } = QUERY_LIMITS;
  QUERY_LIMITS.max_rows_to_read = '1';
  const { status, body } = await harness.get(`/${path}start_date=2024-01-01&end_date=2025-12-31`);
  QUERY_LIMITS.max_rows_to_read = rowsMax;
  expect([status, body.error.code]).toEqual([422, 'validation_failed']);
  expect(body.error.details).toEqual({ narrow: [expect.stringContaining('fewer days')] });
});
