import { qrSummary } from '@waymark/contract/analytics';
import { ROUTES } from '@waymark/contract/routes';
import { addressOf, batchOf, Harness, rawScan } from './harness.js';

const harness = new Harness();
beforeAll(async () => {
  await harness.start({ deployment: 'qr' });
  await harness.publish(
    batchOf([
      rawScan({ link_id: 'qr_1', trigger: 'qr' }),
      rawScan({ link_id: 'qr_1', trigger: 'qr', address: addressOf(2) }),
      rawScan({ link_id: 'qr_2', trigger: 'qr' }),
    ]),
  );
  await harness.settled(3);
});
afterAll(() => harness.stop());

test('scan rows of the QR deployment have a QR code and no trigger', async () => {
  const { status, body } = await harness.get('/scans');
  expect(status).toBe(200);
  expect(ROUTES['analytics.qr_scans'].response.schema.parse(body)).toEqual(body);
  expect(body.data.map((row: { qr_code_id: string }) => row.qr_code_id).sort()).toEqual(['qr_1', 'qr_1', 'qr_2']);
});

test('the summary of the QR deployment counts QR codes and has no conversions', async () => {
  const { body } = await harness.get('/summary');
  expect(qrSummary.strict().parse(body)).toEqual(body);
  expect(body.data.kpis).toEqual({ total_scans: 3, unique_visitors: 2, active_qr_codes: 0, bot_scans: 0 });
  expect(body.data.trend.at(-1)).toEqual({
    date: expect.any(String),
    starts_at: expect.any(String),
    scans: 3,
    unique_visitors: 2,
  });
  const values = [
    'qr_code_id',
    'campaign',
    'country',
    'region',
    'city',
    'device',
    'browser',
    'os',
    'language',
    'referrer',
  ];
  const filters = Object.fromEntries(values.map((name) => [name, 'all']));
  expect(body.meta.filters).toEqual({ ...filters, include_bots: false });
});

test('the QR deployment filters by qr_code_id and ignores link_id and trigger', async () => {
  expect((await harness.get('/summary?qr_code_id=qr_1')).body.data.kpis.total_scans).toBe(2);
  expect((await harness.get('/scans?qr_code_id=qr_1')).body.meta.total).toBe(2);
  const every = 'qr_code_id=all&device=all&campaign=all&start_date=all&end_date=all';
  expect((await harness.get(`/scans?${every}`)).body.meta.total).toBe(3);
  expect((await harness.get(`/summary?${every}`)).body.data.kpis.total_scans).toBe(3);
  const { status, body } = await harness.get('/scans?link_id=qr_1&trigger=link');
  expect([status, Object.keys(body.error.details)]).toEqual([422, ['link_id', 'trigger']]);
});

test('breakdowns of the QR deployment have QR codes, but neither links nor triggers', async () => {
  const { status, body } = await harness.get('/breakdowns?dimensions=qr_code,weekday&limit=1&qr_code_id=!qr_3');
  expect(status).toBe(200);
  expect(ROUTES['analytics.qr_breakdowns'].response.schema.parse(body)).toEqual(body);
  expect(body.data.qr_code).toEqual([
    { value: 'qr_1', scans: 2, unique_visitors: 2, share: 2 / 3, short_code: null, title: null },
  ]);
  expect(body.meta).toMatchObject({ total: 3, truncated: true, truncated_dimensions: ['qr_code'] });
  expect(body.meta.filters).toMatchObject({ qr_code_id: '!qr_3' });
  for (const name of ['link', 'trigger'])
    expect((await harness.get(`/breakdowns?dimensions=${name}`)).status).toBe(422);
});

test('a compared summary of the QR deployment has no conversions', async () => {
  const { body } = await harness.get('/summary?compare=previous_period&interval=week');
  expect(qrSummary.strict().parse(body)).toEqual(body);
  expect(body.data.kpis.previous).toEqual({ total_scans: 0, unique_visitors: 0, bot_scans: 0 });
  expect(Object.keys(body.data.trend[0].previous)).toEqual(['date', 'starts_at', 'scans', 'unique_visitors']);
});

test('the QR deployment has no conversion routes', async () => {
  for (const unversioned of [false, true]) {
    const body = { id: 'qr_1', source: 'web' };
    expect((await harness.caller.call('POST', '/conversions', { body, unversioned })).status).toBe(404);
  }
});

test('the last days of several QR codes come in one answer', async () => {
  const { status, body } = await harness.get('/qr-codes?ids=qr_1,qr_2&days=2');
  expect(status).toBe(200);
  expect(ROUTES['analytics.qr_codes'].response.schema.parse(body)).toEqual(body);
  expect(body.data.qr_1.at(-1).scans).toBe(2);
  expect(body.data.qr_2.at(-1).scans).toBe(1);
  expect((await harness.get('/links?ids=qr_1')).status).toBe(404);
});
