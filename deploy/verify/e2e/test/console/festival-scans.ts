import { scanRecorded, type RawScan } from '@waymark/contract/events';
import { newId } from '@waymark/contract/ids';
import { Broker } from '@waymark/kernel/broker/connection';
import { openPublisher } from '@waymark/kernel/broker/publisher';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { backing } from '@waymark/launcher/process-table';
import type { System } from '@waymark/launcher/system';
import { publishEvent } from '@waymark/testing/publish-event';

const DAYS = 60;
const SCANS_PER_MESSAGE = 200;
const HOUR_MS = 3600_000;
/** Addresses of providers, by the share of the visitors; the last part is made up. */
const NETWORKS = [
  ...Array<string>(12).fill('91.64.0'),
  ...Array<string>(3).fill('84.24.0'),
  '80.62.116',
  '80.62.116',
  '83.0.0',
  '81.2.69',
  '81.224.0',
];
const AGENTS = [
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 16; Pixel 10) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
];
const REFERRERS = [
  ...Array<string>(6).fill(''),
  'https://www.instagram.com/',
  'https://harbourlights.example/programme',
  'https://www.google.com/',
  'https://cityguide.example/weekend',
];
const LANGUAGES = ['de-DE,de;q=0.9', 'de-DE,de;q=0.9', 'nl-NL,nl;q=0.9', 'da-DK,da;q=0.9', 'en-GB,en;q=0.9'];

export interface ScannedLink {
  id: string;
  short_code: string;
  campaign_tag: string | null;
  /** Of all scans, in percent. */
  share: number;
}

/** Sends the scans of two months before a festival, whose last week is the busiest, as the redirect would. */
export async function sendFestivalScans(system: System, workspace: string, links: ScannedLink[]): Promise<number> {
  const log = createLog('console-pictures', 'silent');
  const lifecycle = new Lifecycle(log);
  const { amqpUrl: url, namespace } = system.settings;
  const broker = new Broker({ url, namespace, name: 'console-pictures' }, { log, lifecycle });
  const publisher = openPublisher(broker);
  broker.start();
  const scans = festivalScans(workspace, links);
  try {
    for (let sent = 0; sent < scans.length; sent += SCANS_PER_MESSAGE) {
      const event = scanRecorded.create({ workspace: null }, { scans: scans.slice(sent, sent + SCANS_PER_MESSAGE) });
      await publishEvent(publisher, event);
    }
  } finally {
    await lifecycle.stop();
  }
  return scans.length;
}

/** Gives visitors to the scans of earlier days: a late scan has none, because the salt of its day is destroyed. */
export async function addVisitors(system: System): Promise<void> {
  const url = new URL(backing(system.settings, 'analytics')['CLICKHOUSE_URL']!);
  const database = decodeURIComponent(url.pathname.slice(1));
  const visit = 'cityHash64(toDate(at), cityHash64(id) % 250)';
  const query = `ALTER TABLE "${database}".scans UPDATE visit = ${visit} WHERE visit = 0 SETTINGS mutations_sync = 1`;
  const { status } = await fetch(url.origin, { method: 'POST', body: query });
  if (status !== 200) throw new Error(`ClickHouse answered ${status}.`);
}

function festivalScans(workspace: string, links: ScannedLink[]): RawScan[] {
  const shares = links.flatMap((link) => Array<ScannedLink>(link.share).fill(link));
  const random = randomNumbers();
  const pick = <T>(choices: T[]): T => choices[Math.floor(random() * choices.length)]!;
  const now = Date.now();
  const scans: RawScan[] = [];
  for (let day = DAYS; day >= 0; day -= 1) {
    for (let count = scansOf(day); count > 0; count -= 1) {
      const scannedAt = now - day * 24 * HOUR_MS - Math.floor(random() * 20 * HOUR_MS);
      const link = pick(shares);
      scans.push({
        id: newId('scn'),
        at: new Date(scannedAt).toISOString(),
        workspace,
        link_id: link.id,
        short_code: link.short_code,
        hostname: null,
        title: null,
        campaign: link.campaign_tag,
        trigger: 'link',
        address: `${pick(NETWORKS)}.${1 + Math.floor(random() * 250)}`,
        user_agent: pick(AGENTS),
        accept_language: pick(LANGUAGES),
        referrer: pick(REFERRERS),
        prefetch: false,
      });
    }
  }
  return scans;
}

/** More at the weekends (of days that count back from today), and many more in the last days. */
const scansOf = (daysAgo: number): number =>
  Math.round(
    (70 + 25 * Math.sin((daysAgo / 7) * 2 * Math.PI)) * (1 + 6 * Math.exp(-daysAgo / 4)) * (daysAgo ? 1 : 0.4),
  );

/** The same numbers in each run: a linear congruential generator (Numerical Recipes, 2nd edition, 7.1). */
function randomNumbers(): () => number {
  let state = 42;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
