import type { ClickHouseClient } from '@clickhouse/client';
import type { AnalyticsInstallation } from '../analytics-installation.js';

export const FIRST_DAY = '2026-03-01';
export const DAYS = 30;
const LINKS = 2000;
const INSERTED_AT_ONCE = 1_000_000;
const CAMPAIGNS = 60;
const CITIES = 800;
const HOSTS = 200;
export const COUNTRIES = [
  'US',
  'GB',
  'DE',
  'FR',
  'IN',
  'BR',
  'JP',
  'ES',
  'IT',
  'NL',
  'PL',
  'SE',
  'CA',
  'AU',
  'MX',
  'unknown',
];
const BROWSERS = ['Chrome', 'Safari', 'Instagram', 'Firefox', 'Microsoft Edge', 'Samsung Internet', 'Facebook'];
const SYSTEMS = ['iOS', 'Android', 'Windows', 'macOS', 'Linux'];

/** Small numbers far more often than large ones: the first tenth of them gets nearly half. */
const skewed = (seed: number, max: number) => `toUInt32(pow(rand(${seed}) / 4294967296, 3) * ${max})`;
const below = (seed: number, max: number | string) => `(rand(${seed}) % ${max})`;
const among = (values: readonly string[], index: string) =>
  `[${values.map((value) => `'${value}'`).join(', ')}][${index} + 1]`;

/** The values on which the other columns of a scan depend. A visitor comes about three times, with the same system. */
const FACTS = {
  link: skewed(1, LINKS),
  place: skewed(2, CITIES),
  person: below(3, 'greatest(1, intDiv({scans:UInt64} * 3, 10))'),
  system: `(person % ${SYSTEMS.length})`,
};

/** The columns of a scan, by its number in the workspace. */
const COLUMNS = {
  workspace: '{workspace:String}',
  at: `addMilliseconds(toDateTime64('${FIRST_DAY} 00:00:00', 3, 'UTC'), ${below(4, DAYS * 86_400)} * 1000)`,
  link_id: `concat('lnk_', {workspace:String}, leftPad(toString(link), 6, '0'))`,
  id: `concat('scn_', {workspace:String}, leftPad(toString(number), 12, '0'))`,
  short_code: `concat('c', toString(link))`,
  trigger: `if(${below(5, 10)} < 3, 'qr', 'link')`,
  country: among(COUNTRIES, `(place % ${COUNTRIES.length})`),
  region: `concat('Region ', toString(place % 200))`,
  city: `concat('City ', toString(place))`,
  device: `if(system < 2, 'mobile', 'desktop')`,
  browser: among(BROWSERS, below(6, BROWSERS.length)),
  os: among(SYSTEMS, 'system'),
  language: among(['en', 'de', 'fr', 'es', 'ja'], below(10, 5)),
  referrer: `if(${below(7, 10)} < 4, 'direct', concat('host', toString(${skewed(8, HOSTS)}), '.example'))`,
  campaign: `if(link % 4 = 0, NULL, concat('campaign ', toString(link % ${CAMPAIGNS})))`,
  visitor_hex: `hex(sipHash128(person))`,
  is_unique: `false`,
  is_bot: `${below(9, 20)} = 0`,
  version: `1`,
};

/** A link's present values, by its number. */
const LINK_COLUMNS = {
  workspace: '{workspace:String}',
  id: `concat('lnk_', {workspace:String}, leftPad(toString(number), 6, '0'))`,
  domain: `if(number % 3 = 0, 'none', concat('dom_', toString(number % 3)))`,
  folder: `concat('fld_', toString(number % 20))`,
  tags: `[concat('tag_', toString(number % 30)), concat('tag_', toString(30 + number % 7))]`,
  version: '1',
};

/** Fills a workspace with `scans` scans over 30 days, of 2,000 links and 60 campaigns, inside the warehouse. */
export async function fill(
  { database }: Pick<AnalyticsInstallation, 'database'>,
  warehouse: ClickHouseClient,
  { workspace, scans }: { workspace: string; scans: number },
): Promise<void> {
  console.error(`${workspace}: inserting ${scans} scans`);
  const links = Array.from({ length: LINKS }, (_, number) => linkRow(workspace, number));
  await database.collection('links').insertMany(links as never[]);
  const query_params = { workspace, scans };
  await warehouse.command({ query: insertFrom('links', LINK_COLUMNS, `numbers(${LINKS})`), query_params });
  const facts = Object.entries(FACTS).map(([name, value]) => `${value} AS ${name}`);
  for (let from = 0; from < scans; from += INSERTED_AT_ONCE) {
    const source = `numbers(${from}, ${Math.min(INSERTED_AT_ONCE, scans - from)})`;
    const query = insertFrom('scans', COLUMNS, source, `WITH ${facts.join(', ')}`);
    await warehouse.command({ query, query_params });
  }
  // As after a day of a real installation: rows that were loaded long ago are in few parts.
  await warehouse.command({ query: 'OPTIMIZE TABLE scans FINAL' });
}

function insertFrom(table: string, columns: Record<string, string>, source: string, facts = ''): string {
  const [names, values] = [Object.keys(columns).join(', '), Object.values(columns).join(', ')];
  return `INSERT INTO ${table} (${names}) ${facts} SELECT ${values} FROM ${source}`;
}

function linkRow(workspace: string, number: number) {
  const _id = `lnk_${workspace}${String(number).padStart(6, '0')}`;
  return { _id, workspace, shortCode: `c${number}`, status: 'active', revision: 1 };
}
