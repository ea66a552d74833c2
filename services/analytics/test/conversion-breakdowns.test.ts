import { CURRENCIES_MAX } from '@waymark/contract/analytics';
import { linkCreated, linkDeleted } from '@waymark/contract/events';
import type { RecordConversionBody } from '@waymark/contract/conversions';
import { ROUTES } from '@waymark/contract/routes';
import { waitFor } from '@waymark/testing/wait-for';
import type { Conversion } from '@waymark/analytics/conversions/conversion';
import { Harness, linkSnapshot } from './harness.js';
import { openStores, type Stores } from './ledger.js';
import { conversionOf } from './naive-conversions.js';

const harness = new Harness();
let stores: Stores;
let close: () => Promise<void>;

const LINKS = [
  { id: 'lnk_a', short_code: 'a', title: 'Spring', campaign_tag: 'spring', tag_ids: ['tag_a'], folder_id: 'fld_a' },
  { id: 'lnk_b', short_code: 'b', title: null, campaign_tag: null, domain_id: 'dom_b', hostname: 'b.test' },
  { id: 'lnk_gone', short_code: 'gone', title: 'Gone', campaign_tag: 'spring' },
].map((link) => linkSnapshot(link));

const DAY = '2026-03-10';
const RANGE = `start_date=${DAY}&end_date=${DAY}`;
const eur = (value: number) => ({ value, currency: 'EUR' });
const usd = (value: number) => ({ value, currency: 'USD' });
/** Nine conversions of one day, and one of the day before. */
const CONVERSIONS: Partial<RecordConversionBody>[] = [
  { id: 'lnk_a', source: 'shop', ...eur(0.1) },
  { id: 'lnk_a', source: 'shop', ...eur(0.2) },
  { id: 'lnk_a', source: 'app', ...usd(19.99) },
  { id: 'lnk_a', source: 'app' },
  { id: 'lnk_b', source: 'shop', ...eur(0.7) },
  { id: 'lnk_b', source: 'all', ...usd(0.01) },
  { id: 'lnk_b', source: 'all', currency: 'JPY' },
  { id: 'lnk_gone', source: 'a,b', ...usd(1e-7) },
  { id: 'lnk_gone', source: 'shop', ...eur(0) },
  { id: 'lnk_a', source: 'shop', ...eur(5), occurred_at: '2026-03-09T23:30:00Z' },
];

beforeAll(async () => {
  await harness.start();
  ({ stores, close } = await openStores(harness.backing));
  harness.owned.push(...LINKS.map((link) => ({ workspace: 'acme', link })));
  for (const link of LINKS) await harness.publish(linkCreated.create({ workspace: 'acme' }, { link }));
  for (const body of CONVERSIONS) {
    const conversion = { occurred_at: `${DAY}T12:00:00Z`, ...body };
    expect((await harness.caller.call('POST', '/conversions', { body: conversion })).status).toBe(201);
  }
  await harness.publish(linkDeleted.create({ workspace: 'acme' }, { link: { ...LINKS[2]!, revision: 2 } }));
  const links = harness.database.collection('links');
  // They have no `next` once the warehouse has their latest version.
  await waitFor('the links', async () => (await links.countDocuments({ next: { $exists: false } })) === LINKS.length);
  await waitFor('the deletion', async () => (await links.countDocuments({ status: 'deleted' })) === 1);
  await harness.counted();
});
afterAll(async () => {
  await close();
  await harness.stop();
});

/** Records conversions as the service does, also such as it no longer accepts. */
const insertAll = (recorded: Conversion[]): Promise<void> =>
  stores.db.transaction(async ({ session }) => {
    for (const conversion of recorded) await stores.conversions.insertConversion(conversion, session);
    await stores.pending.conversions.addRows(recorded, session);
  });

const breakdowns = (query: string, workspace = 'acme') =>
  harness.get(`/conversions/breakdowns?${query}`, { workspace });
const summaryOf = async (query: string, workspace = 'acme') =>
  (await harness.get(`/summary?${query}`, { workspace })).body;

test('conversions are ranked by link, campaign and source, each with the sums of their values', async () => {
  const { status, body } = await breakdowns(`dimensions=link,campaign,source&${RANGE}`);
  expect(status).toBe(200);
  expect(ROUTES['analytics.conversion_breakdowns'].response.schema.strict().parse(body)).toEqual(body);
  const sums = (...values: { currency: string; value: number }[]) => ({ conversion_values: values });
  expect(body.data).toEqual({
    link: [
      { value: 'lnk_a', conversions: 4, share: 4 / 9, ...sums(eur(0.3), usd(19.99)), short_code: 'a', title: 'Spring' },
      { value: 'lnk_b', conversions: 3, share: 3 / 9, ...sums(eur(0.7), usd(0.01)), short_code: 'b', title: null },
      {
        value: 'lnk_gone',
        conversions: 2,
        share: 2 / 9,
        ...sums(eur(0), usd(1e-7)),
        short_code: 'gone',
        title: 'Gone',
      },
    ],
    campaign: [
      { value: 'spring', conversions: 6, share: 6 / 9, ...sums(eur(0.3), usd(19.9900001)) },
      { value: 'none', conversions: 3, share: 3 / 9, ...sums(eur(0.7), usd(0.01)) },
    ],
    source: [
      { value: 'shop', conversions: 4, share: 4 / 9, ...sums(eur(1)) },
      { value: 'all', conversions: 2, share: 2 / 9, ...sums(usd(0.01)) },
      { value: 'app', conversions: 2, share: 2 / 9, ...sums(usd(19.99)) },
      { value: 'a,b', conversions: 1, share: 1 / 9, ...sums(usd(1e-7)) },
    ],
  });
  expect(body.meta).toEqual({
    start_date: DAY,
    end_date: DAY,
    timezone: 'UTC',
    filters: { link_id: 'all', campaign: 'all', source: 'all', domain_id: 'all', tag_id: 'all', folder_id: 'all' },
    data_as_of: expect.stringMatching(/^\d{4}-.*Z$/),
    total: 9,
    limit: 25,
    truncated: false,
    truncated_dimensions: [],
    currencies_truncated: false,
  });
  const { kpis } = (await summaryOf(RANGE)).data;
  expect(kpis).toMatchObject({ conversions: 9, ...sums(eur(1), usd(20.0000001)) });
});

test('a limit truncates the rows and keeps the total and the shares', async () => {
  const { body } = await breakdowns(`dimensions=source,campaign&limit=2&${RANGE}`);
  expect(body.data.source.map(({ value, share }: any) => [value, share])).toEqual([
    ['shop', 4 / 9],
    ['all', 2 / 9],
  ]);
  expect(body.data.link).toBeUndefined();
  expect(body.meta).toMatchObject({ total: 9, limit: 2, truncated: true, truncated_dimensions: ['source'] });
});

test.each([
  ['link_id=lnk_a', 4],
  ['link_id=!lnk_a', 5],
  ['link_id=lnk_a,lnk_b', 7],
  ['link_id=lnk_foreign', 0],
  ['campaign=spring', 6],
  ['campaign=none', 3],
  ['campaign=!none', 6],
  ['tag_id=tag_a', 4],
  ['tag_id=none', 5],
  ['folder_id=!fld_a', 5],
  ['domain_id=dom_b', 3],
  ['campaign=spring&tag_id=!tag_a', 2],
  ['start_date=2026-03-09', 10],
  ['end_date=2026-03-09&start_date=2026-03-09', 1],
  ['timezone=Europe/Berlin', 10],
  ['timezone=Asia/Kolkata', 10],
  ['link_id=all&campaign=all&domain_id=all&tag_id=all&folder_id=all', 9],
])('the breakdown and the summary of the selection %s both count %i conversions', async (query, count) => {
  const selection = new URLSearchParams({ start_date: DAY, end_date: DAY, ...Object.fromEntries(new URLSearchParams(query)) }); // prettier-ignore
  const { body } = await breakdowns(`dimensions=source&${selection.toString()}`);
  const counts: number[] = body.data.source.map((row: { conversions: number }) => row.conversions);
  expect(counts.reduce((sum, each) => sum + each, 0)).toBe(count);
  expect(body.meta.total).toBe(count);
  expect((await summaryOf(selection.toString())).data.kpis.conversions).toBe(count);
});

test.each([
  ['source=shop', ['shop'], 'shop'],
  ['source=!shop,app', ['all', 'a,b'], '!shop,app'],
  [String.raw`source=\all`, ['all'], String.raw`\all`],
  [String.raw`source=a\,b,\all`, ['all', 'a,b'], String.raw`a\,b,\all`],
  ['source=all', ['shop', 'all', 'app', 'a,b'], 'all'],
  ['source=unheard', [], 'unheard'],
])('a breakdown filtered by %s has the sources %j', async (query, sources, applied) => {
  const { body } = await breakdowns(`dimensions=source&${RANGE}&${query}`);
  expect(body.data.source.map(({ value }: any) => value)).toEqual(sources);
  expect(body.meta.filters.source).toBe(applied);
});

test.each([
  ['', 'dimensions'],
  ['dimensions=', 'dimensions'],
  ['dimensions=link,country', 'dimensions'],
  ['dimensions=link&limit=0', 'limit'],
  ['dimensions=link&limit=101', 'limit'],
  ['dimensions=link&start_date=2026-03-10&end_date=2026-03-09', 'end_date'],
  ['dimensions=link&timezone=IST', 'timezone'],
  ['dimensions=link&country=DE', 'country'],
  ['dimensions=link&device=mobile', 'device'],
  ['dimensions=link&trigger=qr', 'trigger'],
  ['dimensions=link&referrer=direct', 'referrer'],
  ['dimensions=link&include_bots=true', 'include_bots'],
])('a breakdown with the query %j is a 422 that names %s', async (query, field) => {
  const { status, body } = await breakdowns(query);
  expect([status, Object.keys(body.error.details)]).toEqual([422, [field]]);
});

test('a compared summary has the sums of both ranges', async () => {
  const { kpis } = (await summaryOf(`${RANGE}&compare=previous_period`)).data;
  expect(kpis).toMatchObject({ conversions: 9, conversion_values: [eur(1), usd(20.0000001)] });
  expect(kpis.previous).toMatchObject({ conversions: 1, conversion_values: [eur(5)] });
});

test('a selection without conversions has no sums, and one that conversions cannot have has none to give', async () => {
  expect((await summaryOf('', 'empty')).data.kpis).toMatchObject({ conversions: 0, conversion_values: [] });
  expect((await summaryOf('device=mobile')).data.kpis).toMatchObject({ conversions: null, conversion_values: null });
  const { body } = await breakdowns('dimensions=link,source', 'empty');
  expect(body).toMatchObject({ data: { link: [], source: [] }, meta: { total: 0, truncated: false } });
});

test('sums are exact in decimal, in every order, for the largest values and for those that 0.1.0 accepted', async () => {
  const occurredAt = new Date(`${DAY}T12:00:00Z`);
  const converted = (given: Partial<Conversion>) => conversionOf({ workspace: 'sums', occurredAt, ...given });
  const largest = Number.MAX_SAFE_INTEGER;
  await insertAll([
    ...Array.from({ length: 1000 }, () => converted(eur(0.1))),
    converted({ value: largest, currency: 'XAU' }),
    converted({ value: 0.5, currency: 'XAU' }),
    converted({ value: largest - 1, currency: 'XAU', source: 'app' }),
    converted({ value: -12.5, currency: 'USD' }),
    converted({ value: 2.5, currency: 'USD' }),
    // Without a currency, or beyond what a decimal can hold, a value is in no sum.
    converted({ value: 7, currency: null }),
    converted({ value: 1e300, currency: 'USD' }),
  ]);
  await harness.counted();
  const values = [eur(100), { currency: 'XAU', value: 18_014_398_509_481_982 }, usd(-10)];
  const { kpis } = (await summaryOf(RANGE, 'sums')).data;
  expect(kpis).toMatchObject({ conversions: 1007, conversion_values: values });
  const { body } = await breakdowns(`dimensions=link,source&${RANGE}`, 'sums');
  expect(body.data.link).toMatchObject([{ conversions: 1007, conversion_values: values }]);
  expect(body.data.source[1].conversion_values).toEqual([{ currency: 'XAU', value: largest - 1 }]);
});

test(`more than ${CURRENCIES_MAX} currencies are cut off after those of the most conversions, and the answer says so`, async () => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const codes = letters.flatMap((first) => letters.map((second) => `Q${first}${second}`));
  const occurredAt = new Date(`${DAY}T12:00:00Z`);
  const converted = (currency: string) => conversionOf({ workspace: 'codes', occurredAt, value: 1, currency });
  const last = codes[CURRENCIES_MAX - 1]!;
  await insertAll(codes.slice(0, CURRENCIES_MAX).map(converted));
  await harness.counted();
  const listed = async () => {
    const { data, meta } = await summaryOf(RANGE, 'codes');
    const { body } = await breakdowns(`dimensions=link&${RANGE}`, 'codes');
    expect(body.data.link[0].conversion_values).toEqual(data.kpis.conversion_values);
    expect(body.meta.currencies_truncated).toBe(meta.currencies_truncated);
    const currencies: string[] = data.kpis.conversion_values.map((sum: { currency: string }) => sum.currency);
    return { currencies, isTruncated: meta.currencies_truncated };
  };
  expect(await listed()).toEqual({ currencies: codes.slice(0, CURRENCIES_MAX), isTruncated: false });
  await insertAll([converted(codes[CURRENCIES_MAX]!), converted(last)]);
  await harness.counted();
  const shown = [last, ...codes.slice(0, CURRENCIES_MAX - 1)];
  expect(await listed()).toEqual({ currencies: shown, isTruncated: true });
});

test('the breakdown of conversions needs access to analytics, and is served under /api/v1 only', async () => {
  const path = '/analytics/conversions/breakdowns?dimensions=link';
  const status = async (options: object) => (await harness.caller.call('GET', path, options)).status;
  for (const role of ['editor', 'viewer'] as const) expect(await status({ access: { role } })).toBe(403);
  expect(await status({ access: { role: 'analyst', abilities: ['read'] } })).toBe(200);
  expect(await status({ access: { slug: 'other' } })).toBe(403);
  expect(await status({ unversioned: true })).toBe(404);
});
