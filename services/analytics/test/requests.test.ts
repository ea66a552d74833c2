import {
  analyticsFilters,
  summary,
  qrSummary,
  breakdown,
  filterValues,
  qrFilterValues,
} from '@waymark/contract/analytics';
import type { Deployment } from '@waymark/contract/deployments';
import { LENIENT } from '@waymark/testing/service-caller';
import { Harness } from './harness.js';

/** Every route that reads figures, with a valid query for each. */
const ROUTES: Record<Deployment, string[]> = {
  links: ['/summary?', '/scans?', '/breakdown?dimension=city', '/filters?'],
  qr: ['/summary?', '/scans?', '/filters?'],
};
/** One value more than a filter accepts. */
const MANY = Array.from({ length: 51 }, (_, index) => `v${index}`).join(',');

/** Newer versions of Node accept an offset as a time zone; the API must refuse it on any version. */
test.each(['+05:30', '-00:01', '+0530', '\u221205:00'])(
  'the offset %s is not a time zone in any version of Node',
  (timezone) => {
    const format = jest.spyOn(Intl, 'DateTimeFormat').mockReturnValue({} as Intl.DateTimeFormat);
    try {
      expect(analyticsFilters.safeParse({ timezone: 'Europe/Berlin' }).success).toBe(true);
      expect(analyticsFilters.safeParse({ timezone }).success).toBe(false);
    } finally {
      format.mockRestore();
    }
  },
);

const FILTERED = ROUTES.links.slice(0, 3);

describe.each(['links', 'qr'] as const)('in the %s deployment', (deployment) => {
  const harness = new Harness();
  beforeAll(() => harness.start({ deployment }));
  afterAll(() => harness.stop());

  const call = (path: string, options = {}) => harness.caller.call('GET', `/analytics${path}`, options);

  test.each(ROUTES[deployment])('%s returns the same under both prefixes', async (path) => {
    const [versioned, unversioned] = [await call(path), await call(path, { unversioned: true })];
    expect(versioned.status).toBe(200);
    expect(unversioned.status).toBe(200);
    // Except for the URLs, and for the time of the request.
    const comparable = ({ text }: { text: string }) =>
      text.replaceAll('/api/v1/', '/api/').replace(/"data_as_of":"[^"]*"/, '"data_as_of":"now"');
    expect(comparable(unversioned)).toBe(comparable(versioned));
  });

  test.each(ROUTES[deployment])('%s without an identity returns 401', async (path) => {
    const { status, body } = await call(path, { anonymous: true });
    expect([status, body.error.code]).toEqual([401, 'unauthenticated']);
  });

  test.each(ROUTES[deployment])('%s is only for owners, admins and analysts with the read ability', async (path) => {
    const statusFor = async (access: object) => (await call(path, { access })).status;
    for (const role of ['owner', 'admin', 'analyst']) expect(await statusFor({ role })).toBe(200);
    for (const role of ['editor', 'viewer']) expect(await statusFor({ role })).toBe(403);
    expect(await statusFor({ abilities: [] })).toBe(403);
    expect(await statusFor({ abilities: ['write'] })).toBe(200);
    expect(await statusFor({ slug: 'other' })).toBe(403);
  });

  test.each([
    '$where=1',
    '__proto__=1',
    'constructor=1',
    'a.b=1&a[b]=2&a[]=3',
    'campaign=%00&link_id=%00&qr_code_id=%00&search=%00',
    `campaign=${'x'.repeat(200)}&link_id=${'x'.repeat(200)}&qr_code_id=${'x'.repeat(200)}`,
    'campaign=%F0%9F%90%84&link_id=%7C&qr_code_id=%7C',
    'search=(a%2B)%2B%24%5B%5C',
    'campaign={"$ne":1}&link_id={"$ne":1}&qr_code_id={"$ne":1}',
    'link_id=%E0%A4%A&qr_code_id=%E0%A4%A',
    'device=&campaign=&link_id=&qr_code_id=&trigger=&search=&start_date=&end_date=&timezone=&include_bots=&page=',
    'device=all&campaign=all&link_id=all&qr_code_id=all&trigger=all&start_date=all&end_date=all',
  ])('every route ignores the neutral query %s', async (query) => {
    for (const path of ROUTES[deployment]) {
      expect((await call(`${path}&${query}`, { headers: LENIENT })).status).toBe(200);
      expect((await call(`${path}&${query}`, { unversioned: true })).status).toBe(200);
    }
  });

  test.each(['device=a&device=b&search=a&search=b', 'device[$ne]=1&search[$regex]=.*', 'device[]=a&search[0]=a'])(
    'every route reports the known field of %s',
    async (query) => {
      for (const path of ROUTES[deployment]) {
        const { status, body } = await call(`${path}&${query}`, { headers: LENIENT });
        expect([status, Object.keys(body.error.details)]).toEqual([422, [path === '/filters?' ? 'search' : 'device']]);
      }
    },
  );

  if (deployment === 'qr') {
    test('responses match the contract', async () => {
      expect((await call('/breakdown?dimension=city')).status).toBe(404);
      const [figures, filters] = [await call('/summary'), await call('/filters')];
      expect(qrSummary.strict().parse(figures.body)).toEqual(figures.body);
      expect(qrFilterValues.strict().parse(filters.body)).toEqual(filters.body);
    });
    return;
  }

  test('responses match the contract', async () => {
    const [figures, by, filters] = [
      await call('/summary'),
      await call('/breakdown?dimension=os'),
      await call('/filters'),
    ];
    expect(summary.strict().parse(figures.body)).toEqual(figures.body);
    expect(breakdown.strict().parse(by.body)).toEqual(by.body);
    expect(filterValues.strict().parse(filters.body)).toEqual(filters.body);
  });

  test.each([
    ['start_date=2026-02-30', 'start_date'],
    ['start_date=yesterday', 'start_date'],
    ['start_date=1969-12-31&end_date=1970-01-02', 'start_date'],
    ['end_date=2026-1-1', 'end_date'],
    ['start_date=2026-02-02&end_date=2026-02-01', 'end_date'],
    ['start_date=2020-01-01&end_date=2026-01-01', 'end_date'],
    ['timezone=Mars/Olympus', 'timezone'],
    ['timezone=IST', 'timezone'],
    ['timezone=SystemV/PST8', 'timezone'],
    ['trigger=email', 'trigger'],
    ['include_bots=maybe', 'include_bots'],
    ['device=a&device=b', 'device'],
    ['device=phone', 'device'],
    ['device=mobile,phone', 'device'],
    [`country=${MANY}`, 'country'],
    ['trigger=QR', 'trigger'],
    ['country=zz', 'country'],
    ['country=ZZ', 'country'],
    ['country=!DE,us', 'country'],
    ['country=__proto__', 'country'],
    ['language=german', 'language'],
    ['language=de-AT', 'language'],
    ['language=DE', 'language'],
    ['start_date=2999-01-01', 'start_date'],
    ['start_date=2001-01-01', 'start_date'],
    ['timezone=%2B05:07', 'timezone'],
    ['timezone=-00:01', 'timezone'],
    ['timezone=UTC&timezone=UTC', 'timezone'],
  ])('the query %s returns 422 on %s', async (query, field) => {
    for (const path of FILTERED) {
      const { status, body } = await call(`${path}&${query}`);
      expect([status, body.error.code]).toEqual([422, 'validation_failed']);
      expect(Object.keys(body.error.details)).toEqual([field]);
    }
  });

  test.each([
    'country=all',
    'country=unknown',
    'country=!DE,GB,XK',
    'language=unknown,de,yue',
    'language=!en',
    'timezone=europe/berlin',
    'timezone=EST5EDT',
    'timezone=Etc/GMT-14',
  ])('the query %s returns 200', async (query) => {
    for (const path of FILTERED) expect((await call(`${path}&${query}`)).status).toBe(200);
  });

  test.each([
    ['/summary?start_date=x', 'start_date', 'The start_date must be YYYY-MM-DD.'],
    ['/summary?device=a&device=b', 'device', 'The device must be given once.'],
    ['/summary?device=!mobile,phone', 'device', 'The device must be all, desktop, mobile, tablet or other.'],
    [`/scans?city=${'x,'.repeat(60)}${MANY}`, 'city', 'The city must have at most 50 values.'],
    [
      `/export?referrer=a,${'x'.repeat(256)}`,
      'referrer',
      'The referrer must have at most 255 characters in each value.',
    ],
    ['/summary?device=phone', 'device', 'The device must be all, desktop, mobile, tablet or other.'],
    ['/summary?trigger=QR', 'trigger', 'The trigger must be all, link or qr.'],
    [
      '/breakdowns?dimensions=city&country=!unknown,us',
      'country',
      'The country "us" must be unknown or an ISO 3166 code in capital letters, such as DE.',
    ],
    [
      '/export?language=x',
      'language',
      'The language "x" must be unknown or an ISO 639 code in small letters, such as de.',
    ],
    ['/breakdown?dimension=', 'dimension', 'The dimension is required.'],
    ['/summary?timezone=UTC&timezone=UTC', 'timezone', 'The timezone must be given once.'],
    [
      '/summary?start_date=2999-01-01',
      'start_date',
      'The start_date must not be after today, unless an end_date is given.',
    ],
    ['/filters?search=a&search=b', 'search', 'The search must be given once.'],
  ])('the query %s reports one problem on %s', async (path, field, message) => {
    expect((await call(path)).body.error.details).toEqual({ [field]: [message] });
  });

  test.each([
    ['/scans?page=0', 'page'],
    ['/scans?page=x', 'page'],
    ['/scans?per_page=0', 'per_page'],
    ['/scans?per_page=101', 'per_page'],
    ['/breakdown', 'dimension'],
    ['/breakdown?dimension=', 'dimension'],
    ['/breakdown?dimension=colour', 'dimension'],
    ['/breakdown?dimension=all', 'dimension'],
    ['/breakdown?dimension=city&dimension=os', 'dimension'],
    ['/breakdown?dimension=city&limit=0', 'limit'],
    ['/breakdown?dimension=city&limit=101', 'limit'],
    ['/breakdown?dimension=city&limit=1;2', 'limit'],
    [`/filters?search=${'x'.repeat(256)}`, 'search'],
  ])('the range %s returns 422 on %s', async (path, field) => {
    const { status, body } = await call(path);
    expect([status, Object.keys(body.error.details)]).toEqual([422, [field]]);
  });

  test('a response names every wrong field', async () => {
    const { body } = await call('/breakdown?trigger=x&timezone=x&limit=x&start_date=x');
    expect(Object.keys(body.error.details).sort()).toEqual(['dimension', 'limit', 'start_date', 'timezone', 'trigger']);
  });

  test('a range may span five years and reach into the future', async () => {
    for (const path of FILTERED) {
      for (const zone of ['UTC', 'Asia/Kathmandu']) {
        const range = `start_date=2021-01-01&end_date=2025-12-31&timezone=${zone}`;
        expect((await call(`${path}&${range}`)).status).toBe(200);
      }
      expect((await call(`${path}&start_date=9999-12-30&end_date=9999-12-31`)).status).toBe(200);
    }
  });
});
