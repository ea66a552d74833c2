import { once } from 'node:events';
import { get as httpGet, type ClientRequest } from 'node:http';
import { parse } from 'csv-parse/sync';
import { scanRow } from '@waymark/contract/analytics';
import type { CallOptions } from '@waymark/testing/service-caller';
import { waitFor } from '@waymark/testing/wait-for';
import { addressOf, batchOf, CHROME, GOOGLEBOT, Harness, IPHONE, rawScan } from './harness.js';

const harness = new Harness();
const qr = new Harness();
const SCANS = 60;
const minuteAt = (minutes: number) => new Date(Date.UTC(2026, 2, 1, 12, minutes)).toISOString();

beforeAll(async () => {
  await Promise.all([harness.start(), qr.start({ deployment: 'qr' })]);
  const scans = Array.from({ length: SCANS }, (_, i) =>
    rawScan({
      at: minuteAt(i),
      link_id: `lnk_${i % 3}`,
      campaign: ['=1+1', '"quoted", and\nmore', null][i % 3],
      user_agent: [CHROME, IPHONE, CHROME, GOOGLEBOT][i % 4]!,
      trigger: i % 5 === 0 ? 'qr' : 'link',
      address: addressOf(i),
    }),
  );
  await harness.publish(batchOf([...scans, rawScan({ at: minuteAt(1), workspace: 'foreign' })]));
  await qr.publish(batchOf([rawScan({ link_id: 'qr_1', trigger: 'qr', at: minuteAt(1) })]));
  await harness.settled(SCANS + 1);
  await qr.settled(1);
});
afterAll(() => Promise.all([harness.stop(), qr.stop()]));

const MARCH = 'start_date=2026-03-01&end_date=2026-03-31';
const get = (query: string, options: CallOptions = {}) =>
  harness.caller.call('GET', `/analytics/export?${query}`, options);
const read = (text: string): Record<string, string>[] => parse(text, { columns: true, record_delimiter: '\r\n' });
const exported = () => harness.emitted.filter(({ type }) => type === 'analytics.exported');

/** Returns the rows of the list for the same selection, formatted as in an export. */
async function listed(query: string): Promise<Record<string, string>[]> {
  const { body } = await harness.caller.call('GET', `/analytics/scans?per_page=100&${query}`);
  return (body.data as Record<string, string | boolean | null>[]).map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, guarded(String(value ?? ''))])),
  );
}
const guarded = (text: string) => (/^[=+\-@]/.test(text) ? `'${text}` : text);

test('an export is a CSV file with the columns of a scan row', async () => {
  const { status, headers, text } = await get(MARCH);
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(headers.get('content-disposition')).toBe('attachment; filename="scans-acme-2026-03-01-2026-03-31.csv"');
  expect(text.slice(0, text.indexOf('\r\n')).replaceAll('"', '').split(',')).toEqual(Object.keys(scanRow.shape));
  expect(new Set(read(text).map(({ campaign }) => campaign))).toEqual(new Set(["'=1+1", '"quoted", and\nmore', '']));
});

test.each([
  MARCH,
  `${MARCH}&include_bots=true`,
  `${MARCH}&link_id=lnk_1`,
  `${MARCH}&link_id=lnk_1&device=mobile&trigger=link`,
  `${MARCH}&campaign==1%2B1&trigger=qr&include_bots=true`,
  `${MARCH}&device=tablet`,
  `${MARCH}&link_id=all&device=all&campaign=all&trigger=all`,
  'start_date=2026-03-02&end_date=2026-03-02&timezone=Pacific/Kiritimati',
])('under %s it holds the rows of the list, in their order', async (query) => {
  const rows = read((await get(query)).text);
  expect(rows).toEqual(await listed(query));
});

test('an export without scans contains only the header', async () => {
  const { status, text } = await get('start_date=2020-01-01&end_date=2020-01-02');
  expect([status, text.split('\r\n').length]).toEqual([200, 2]);
});

test('an export is also served under the older prefix', async () => {
  expect(read((await get(MARCH, { unversioned: true })).text)).toHaveLength(SCANS * 0.75);
});

test('an export emits one audited event with its filters', async () => {
  const before = exported().length;
  const requestId = 'export-request';
  await get(`${MARCH}&link_id=lnk_1&bom=true`, { requestId });
  const event = await waitFor('the event', () => exported().find((each) => each.request_id === requestId));
  expect(event).toMatchObject({ workspace: 'acme', actor: { id: 'usr_1' }, ip_address: '127.0.0.1' });
  const filters = {
    start_date: '2026-03-01',
    end_date: '2026-03-31',
    timezone: 'UTC',
    link_id: 'lnk_1',
    include_bots: false,
  };
  expect(event.data).toEqual({ filters });
  expect(event.audit).toEqual({
    target: { type: 'analytics', id: 'acme', label: null },
    changes: { filters: { from: null, to: filters } },
  });
  expect(exported().length).toBe(before + 1);
});

test('a HEAD request returns the headers of an export and emits no event', async () => {
  const requestId = 'head-request';
  const { status, headers } = await harness.caller.call('HEAD', `/analytics/export?${MARCH}`, { requestId });
  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  await get(MARCH, { requestId: 'after it' });
  await waitFor('a later event', () => exported().some((each) => each.request_id === 'after it'));
  expect(exported().some((each) => each.request_id === requestId)).toBe(false);
});

test('an export of the QR deployment has the QR code and no trigger', async () => {
  const { text } = await qr.caller.call('GET', `/analytics/export?${MARCH}&qr_code_id=qr_1`);
  const [row] = read(text);
  expect(Object.keys(row!).slice(0, 3)).toEqual(['id', 'qr_code_id', 'short_code']);
  expect(row).toMatchObject({ qr_code_id: 'qr_1' });
  expect(row).not.toHaveProperty('trigger');
});

describe('a request', () => {
  test.each([
    ['start_date=2026-02-30', 'start_date'],
    ['end_date=x', 'end_date'],
    ['start_date=2026-02-02&end_date=2026-02-01', 'end_date'],
    ['timezone=Mars/Olympus', 'timezone'],
    ['trigger=email', 'trigger'],
    ['include_bots=maybe', 'include_bots'],
    ['device=a&device=b', 'device'],
    ['campaign=a&campaign=b', 'campaign'],
    ['link_id=a&link_id=b', 'link_id'],
  ])('an export with %s returns 422 on %s as JSON', async (query, field) => {
    const { status, body, headers } = await get(query);
    expect([status, Object.keys(body.error.details)]).toEqual([422, [field]]);
    expect(headers.get('content-disposition')).toBeNull();
  });

  test.each(['owner', 'admin', 'analyst'] as const)('an %s can export', async (role) => {
    expect((await get(MARCH, { access: { role, abilities: ['read'] } })).status).toBe(200);
  });

  test.each(['editor', 'viewer'] as const)('an export by a %s returns 403', async (role) => {
    expect((await get(MARCH, { access: { role } })).status).toBe(403);
  });

  test('an export without an identity returns 401, and for another workspace 403', async () => {
    expect((await get(MARCH, { anonymous: true })).status).toBe(401);
    expect((await get(MARCH, { access: { slug: 'other' } })).status).toBe(403);
  });
});

test.each([
  ['on 40 days', 'days', 40, 1],
  ['of one moment', 'moment', 1, 1],
  ['of long rows', 'long', 3, 1000],
])('of more scans than one query answers, %s, each comes once, newest first', async (_, workspace, days, length) => {
  const count = 25_000;
  await harness.warehouse(
    `INSERT INTO scans (workspace, at, link_id, referrer, id, version)
     SELECT '${workspace}', toDateTime64('2026-03-01 12:00:00', 3, 'UTC') + toIntervalDay(number % ${days}), 'lnk_1',
       repeat('x', ${length}), concat('scn_', leftPad(toString(number * 7919 % ${count}), 6, '0')), 1
     FROM numbers(${count})`,
  );
  const rows = read((await get('start_date=2026-03-01&end_date=2026-04-30', { workspace })).text);
  const keys = rows.map(({ scanned_at: time, id }) => `${time} ${id}`);
  expect(new Set(keys).size).toBe(count);
  expect(keys).toEqual(keys.toSorted().reverse());
});

test.each([
  ['of different times', 'times', (i: number) => minuteAt(i % 60)],
  ['of one time', 'time', () => minuteAt(0)],
])('of thousands of scans %s each comes once, newest first', async (_, workspace, timeOf) => {
  const many = Array.from({ length: 2500 }, (_item, i) => rawScan({ workspace, at: timeOf(i) }));
  const before = await harness.countScans();
  for (let from = 0; from < many.length; from += 500) await harness.publish(batchOf(many.slice(from, from + 500)));
  await harness.settled(before + many.length);
  const rows = read((await get(MARCH, { workspace })).text);
  const newestFirst = many.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at) || (a.id < b.id ? 1 : -1));
  expect(rows.map(({ id }) => id)).toEqual(newestFirst.map(({ id }) => id));
});

test('slow readers of one workspace hold no place of another workspace', async () => {
  await harness.warehouse(
    `INSERT INTO scans (workspace, at, link_id, referrer, id, version)
     SELECT 'slow', toDateTime64('2026-03-01 12:00:00', 3, 'UTC'), 'lnk_1', repeat('x', 60000), concat('scn_slow_', toString(number)), 1
     FROM numbers(120)`,
  );
  const readers: ClientRequest[] = [];
  for (let reader = 0; reader < 12; reader += 1) {
    const { url, headers } = harness.caller.addressed(`/analytics/export?${MARCH}`, { workspace: 'slow' });
    const request = httpGet(url, { headers, agent: false }, (response) =>
      response.on('error', () => undefined).pause(),
    );
    readers.push(request.on('error', () => undefined));
    if (reader < 8) await once(request, 'response');
  }
  expect(read((await get(MARCH)).text)).toHaveLength(SCANS * 0.75);
  for (const reader of readers) reader.destroy();
});
