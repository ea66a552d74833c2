import fc from 'fast-check';
import { dimension } from '@waymark/contract/analytics';
import { linkCreated, type RawScan } from '@waymark/contract/events';
import { formatList } from '@waymark/contract/filter-list';
import { waitFor } from '@waymark/testing/wait-for';
import { batchOf, CHROME, Harness, IPHONE, linkSnapshot, rawScan } from './harness.js';

/** The filter of each dimension that has one. */
const FILTERS = {
  ...Object.fromEntries(dimension.options.map((name) => [name, name])),
  ...{ link: 'link_id', domain: 'domain_id', tag: 'tag_id', folder: 'folder_id' },
  ...{ continent: undefined, hour: undefined, weekday: undefined },
} as Record<string, string | undefined>;
const WORKSPACE = 'acme';
const LINKS = [
  linkSnapshot({ id: 'lnk_a', tag_ids: ['tag_a', 'tag_b'], folder_id: 'fld_a' }),
  linkSnapshot({ id: 'lnk_b', short_code: 'b', tag_ids: ['tag_b'], domain_id: 'dom_a', hostname: 'go.example' }),
];

const harness = new Harness();
beforeAll(async () => {
  await harness.start({ geoip: true });
  for (const link of LINKS) await harness.publish(linkCreated.create({ workspace: WORKSPACE }, { link }));
  const known = () => harness.database.collection('links').countDocuments({ workspace: WORKSPACE });
  await waitFor('the links', async () => (await known()) === LINKS.length);
});
afterAll(() => harness.stop());

const letters = (min: number, max: number) =>
  fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'), minLength: min, maxLength: max });
/** Their canonical tags have a script or a region. */
const TAGS = ['sh', 'hbs', 'prs', 'cnr', 'swc', 'iw', 'no', 'cmn', 'de'];
const HOSTS = ['all', 'none', 'direct', 'unknown', 'a_b.example', 'xn--bcher-kva.example', 'com.google.android.gm'];
const CAMPAIGNS = [
  null,
  'none',
  'all',
  'All',
  'unknown',
  '!not',
  'a,b',
  'back\\slash',
  '\\all',
  'été',
  '%20',
  ' x'.trim(),
];
const SYSTEMS = ['X11; FreeBSD amd64', 'X11; Linux x86_64', 'Mobile; Nokia_8110_4G', 'PlayStation; PlayStation 5/6.50'];
const agents = fc.oneof(
  fc.constantFrom(CHROME, IPHONE, 'MyApp/12 CFNetwork/1494.0.7 Darwin/23.4.0', `${IPHONE} OPT/4.7.0`),
  fc.constantFrom(...SYSTEMS).map((system) => `Mozilla/5.0 (${system}; rv:127.0) Gecko/20100101 Firefox/127.0`),
);
const scans: fc.Arbitrary<Partial<RawScan>> = fc.record({
  link_id: fc.constantFrom('lnk_a', 'lnk_b', 'lnk_unheard_of'),
  trigger: fc.constantFrom('link' as const, 'qr' as const),
  campaign: fc.constantFrom(...CAMPAIGNS),
  address: fc.oneof(fc.ipV4(), fc.constant('127.0.0.1')),
  user_agent: agents,
  accept_language: fc.oneof(letters(2, 3), fc.constantFrom(...TAGS)),
  referrer: fc.oneof(fc.constantFrom(...HOSTS), letters(1, 9)).map((host) => `https://${host}/`),
});

async function breakdowns(query: URLSearchParams) {
  const { status, body } = await harness.get(`/breakdowns?${query.toString()}`, { workspace: WORKSPACE });
  expect({ status, body }).toMatchObject({ status: 200 });
  return body as { data: Record<string, { value: string; scans: number }[]> };
}

async function countOf(filter: string, value: string): Promise<number> {
  const query = new URLSearchParams({ [filter]: formatList({ values: [value], isNegated: false }) });
  const { data } = await breakdowns(new URLSearchParams([...query, ['dimensions', 'trigger']]));
  return data['trigger']!.reduce((sum, row) => sum + row.scans, 0);
}

test('each value that a breakdown shows is accepted by its filter, which gives the same count', async () => {
  const sample = fc.sample(scans, { numRuns: 400, seed: Number(process.env.VALUES_SEED ?? Date.now()) });
  await harness.publish(batchOf(sample.map((scan) => rawScan(scan))));
  await harness.settled(sample.length);
  const dimensions = Object.keys(FILTERS).filter((name) => FILTERS[name] !== undefined);
  const { data } = await breakdowns(new URLSearchParams({ dimensions: dimensions.join(','), limit: '100' }));
  const differences: unknown[] = [];
  for (const [name, rows] of Object.entries(data)) {
    expect(rows.length).toBeGreaterThan(1);
    for (const { value, scans: shown } of rows) {
      const filtered = await countOf(FILTERS[name]!, value);
      if (filtered !== shown) differences.push({ name, value, shown, filtered });
    }
  }
  expect(differences).toEqual([]);
});
