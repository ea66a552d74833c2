import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { newId } from '@waymark/shared/contract/ids';
import { entryOf } from '@waymark/local/system/process-table';
import type { AnalyticsInstallation } from '../analytics-installation.js';
import { until } from '../until.js';

export const FIRST_DAY = '2026-03-01';
export const DAYS = 30;
const DAY_MS = 86_400_000;
const LINKS = 2000;
const CAMPAIGNS = 60;
const CITIES = 800;
const HOSTS = 200;
const COUNTRIES = ['US', 'GB', 'DE', 'FR', 'IN', 'BR', 'JP', 'ES', 'IT', 'NL', 'PL', 'SE', 'CA', 'AU', 'MX', 'unknown'];
const BROWSERS = ['Chrome', 'Safari', 'Instagram', 'Firefox', 'Microsoft Edge', 'Samsung Internet', 'Facebook'];
const SYSTEMS = ['iOS', 'Android', 'Windows', 'macOS', 'Linux'];
const INSERTED_AT_ONCE = 2000;
const TOLD_EVERY = 100_000;
const LOADED_TIMEOUT_MS = 120_000;

/**
 * Fills a workspace with so many scans over 30 days, of 2,000 links and 60 campaigns, some far busier than others, and
 * has the operator's commands make the rollups of them and load them into the warehouse.
 */
export async function fill({ database, env }: AnalyticsInstallation, workspace: string, scans: number): Promise<void> {
  await database
    .collection('links')
    .insertMany(Array.from({ length: LINKS }, (_, n) => linkRow(workspace, n)) as never[]);
  for (let at = 0; at < scans; at += INSERTED_AT_ONCE) {
    const size = Math.min(INSERTED_AT_ONCE, scans - at);
    const rows = Array.from({ length: size }, () => scanRow(workspace, scans));
    await database.collection('scans').insertMany(rows as never[]);
    if ((at + size) % TOLD_EVERY === 0 || at + size === scans) console.error(`${workspace}: ${at + size} rows`);
  }
  for (const command of [['rebuild'], ['warehouse', 'repair']]) {
    console.error(`${workspace}: ${command.join(' ')}`);
    const args = [entryOf('analytics', 'admin/main.js'), ...command, '--workspace', workspace];
    await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...env } });
  }
  const pending = database.collection('pending_scans');
  await until('the warehouse to have them', async () => (await pending.countDocuments()) === 0, {
    timeoutMs: LOADED_TIMEOUT_MS,
  });
}

const linkId = (workspace: string, n: number) => `lnk_${workspace}${String(n).padStart(6, '0')}`;
/** Small numbers far more often than large ones: the first tenth of them gets nearly half. */
const skewed = (max: number) => Math.floor(max * Math.random() ** 3);
const one = <T>(of: readonly T[]): T => of[skewed(of.length)]!;

function linkRow(workspace: string, n: number) {
  return { _id: linkId(workspace, n), workspace, shortCode: `c${n}`, status: 'active', revision: 1 };
}

function scanRow(workspace: string, scans: number) {
  const link = skewed(LINKS);
  const [city, system] = [skewed(CITIES), skewed(SYSTEMS.length)];
  return {
    _id: newId('scn'),
    batch: 'evt_bench',
    workspace,
    linkId: linkId(workspace, link),
    shortCode: `c${link}`,
    scannedAt: new Date(Date.parse(FIRST_DAY) + Math.floor(Math.random() * DAYS * DAY_MS)),
    trigger: Math.random() < 0.3 ? 'qr' : 'link',
    country: COUNTRIES[city % COUNTRIES.length]!,
    region: `Region ${city % 200}`,
    city: `City ${city}`,
    device: system < 2 ? 'mobile' : 'desktop',
    browser: one(BROWSERS),
    os: SYSTEMS[system]!,
    referrer: Math.random() < 0.4 ? 'direct' : `host${skewed(HOSTS)}.example`,
    campaign: link % 4 === 0 ? null : `campaign ${link % CAMPAIGNS}`,
    // On the same device each time: a visitor is an address and a browser.
    visitor: `visitor-${system}-${Math.floor(Math.random() * (scans / 10))}`,
    isUnique: false,
    isBot: Math.random() < 0.05,
    botReason: null,
  };
}
