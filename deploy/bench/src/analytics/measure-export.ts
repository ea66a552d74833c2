import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { newId } from '@waymark/shared/contract/ids';
import { IDENTITY_HEADER, signIdentity } from '@waymark/shared/kernel/identity';
import { installAnalytics, type AnalyticsInstallation } from '../analytics-installation.js';

const WORKSPACE = 'bench';
const INSERTED_AT_ONCE = 2000;
const MEGABYTE = 1024 * 1024;
const GROWTH_MAX_MB = 100;
const WARM_UP = '2026-03-02';
const ALL = '2026-03-01';

/** A million scans as CSV, from the service to a client: how much memory the service takes for it. */
export async function benchExport(args: string[]): Promise<boolean> {
  const { values } = parseArgs({ args, options: { rows: { type: 'string', default: '1000000' } } });
  const rows = Number(values.rows);
  const installation = await installAnalytics();
  try {
    console.error(`inserting ${rows} rows`);
    await insertScans(installation, Math.ceil(rows / 50), WARM_UP);
    await insertScans(installation, rows, ALL);
    await exportDay(installation, WARM_UP);
    const watch = watchMemory(installation);
    const startedAt = performance.now();
    const file = await exportDay(installation, ALL);
    const seconds = (performance.now() - startedAt) / 1000;
    const memory = await watch.stop();
    const report = {
      benchmark: 'export',
      rows: file.lines - 1,
      megabytes: Math.round(file.bytes / MEGABYTE),
      rows_per_second: Math.round(rows / seconds),
      rss_before_mb: memory.before,
      rss_peak_mb: memory.peak,
      targets: { rss_growth_mb: GROWTH_MAX_MB },
      passed: file.lines - 1 === rows && memory.peak - memory.before <= GROWTH_MAX_MB,
    };
    console.log(JSON.stringify(report, null, 2));
    return report.passed;
  } finally {
    await installation.stop();
  }
}

async function insertScans({ database }: AnalyticsInstallation, count: number, day: string): Promise<void> {
  const start = Date.parse(`${day}T00:00:00Z`);
  for (let at = 0; at < count; at += INSERTED_AT_ONCE) {
    const size = Math.min(INSERTED_AT_ONCE, count - at);
    const rows = Array.from({ length: size }, (_, i) => scanAt(new Date(start + (at + i) * 80)));
    await database.collection('scans').insertMany(rows as never[]);
  }
}

function scanAt(scannedAt: Date) {
  return {
    _id: newId('scn'),
    batch: 'evt_bench',
    workspace: WORKSPACE,
    linkId: 'lnk_01K00000000000000000000000',
    shortCode: 'spring',
    scannedAt,
    trigger: 'link',
    country: 'GB',
    region: 'England',
    city: 'London',
    device: 'mobile',
    browser: 'Safari',
    os: 'iOS',
    referrer: 'l.instagram.com',
    campaign: 'spring-26',
    visitor: 'AbCdEfGhIjKlMnOpQrStUv',
    isUnique: false,
    isBot: false,
    botReason: null,
  };
}

async function exportDay({ analytics, secrets }: AnalyticsInstallation, day: string) {
  const path = `/api/v1/workspaces/${WORKSPACE}/analytics/export?start_date=${day}&end_date=${day}`;
  const response = await fetch(analytics.url + path, { headers: { [IDENTITY_HEADER]: identity(secrets.privateKey) } });
  if (!response.ok) throw new Error(`the export answered ${response.status}`);
  const file = { lines: 0, bytes: 0 };
  for await (const chunk of response.body! as AsyncIterable<Uint8Array>) {
    file.bytes += chunk.length;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) file.lines += 1;
  }
  return file;
}

function identity(privateKey: string): string {
  return signIdentity(privateKey, 'analytics', {
    actor: { type: 'user', id: 'usr_1', name: 'Bench', email: 'bench@example.com', token_id: null },
    workspace: {
      slug: WORKSPACE,
      role: 'owner',
      abilities: ['read'],
      plan: { name: 'enterprise', activeLinks: null, customDomains: null, entitlements: [] },
    },
    session_id: null,
    request_id: 'bench',
    ip_address: '127.0.0.1',
  });
}

function watchMemory({ metric }: AnalyticsInstallation) {
  const megabytes = async () => Math.round((await metric('process_resident_memory_bytes')) / MEGABYTE);
  const memory = { before: 0, peak: 0 };
  let stopped = false;
  const watching = (async () => {
    memory.before = await megabytes();
    while (!stopped) {
      memory.peak = Math.max(memory.peak, await megabytes());
      await sleep(100);
    }
  })();
  return {
    stop: async () => {
      stopped = true;
      await watching;
      return memory;
    },
  };
}
