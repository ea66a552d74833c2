import type { RawScan } from '@waymark/contract/events';
import { derivedId } from '@waymark/contract/ids';
import { Audience } from './audience.js';
import type { LinkPlan } from './festival.js';
import { RandomNumbers } from './random.js';

/** Eight weeks, and what it takes to compare thirty days with the thirty before. */
const DAYS = 59;
const HOUR_MS = 3600_000;
const DAY_MS = 24 * HOUR_MS;

/** By the day of the week, from Sunday on. */
const WEEKDAYS = [0.95, 0.7, 0.8, 0.9, 1.1, 1.4, 1.25];
/** How many scans come in each hour of a day, in UTC, compared with the others. */
const HOURS = [2, 1, 1, 1, 2, 4, 8, 12, 14, 15, 16, 18, 18, 16, 15, 16, 18, 22, 24, 22, 18, 13, 8, 4];
const HOURS_WEIGHTED = HOURS.map((weight, hour) => [weight, hour] as const);
/** From the first day to the last one. */
const GROWTH = { from: 0.6, by: 0.9 };
/** How many times more scans than usual the first day of a campaign has, and the days after which little is left of that. */
const LAUNCH = { peak: 4, fadesInDays: 4, before: 0.3 };

export type ExampleLink = LinkPlan & { id: string };

interface ExampleTime {
  workspace: string;
  /** The last moment of the eight weeks. */
  end: Date;
  isQr: boolean;
}

/**
 * Returns the scans of eight weeks and of the last day until its end, as the redirect records them. The same links and
 * the same end give the same ids: analytics counts scans that are sent again only once.
 */
export function exampleScans(links: readonly ExampleLink[], time: ExampleTime): RawScan[] {
  const audience = new Audience();
  return links
    .flatMap((link) => scansOfLink(link, audience, time))
    .filter(({ at }) => at <= time.end.toISOString())
    .sort((a, b) => (a.at < b.at ? -1 : 1));
}

function scansOfLink(link: ExampleLink, audience: Audience, { workspace, end, isQr }: ExampleTime): RawScan[] {
  const random = new RandomNumbers(link.short_code);
  const lastDay = Math.floor(end.getTime() / DAY_MS) * DAY_MS;
  const scans: RawScan[] = [];
  for (let daysAgo = DAYS; daysAgo >= (link.endedDaysAgo ?? 0); daysAgo -= 1) {
    const day = lastDay - daysAgo * DAY_MS;
    const count = Math.floor(expectedScans(link, daysAgo, day) * (0.8 + 0.4 * random.next()) + random.next());
    for (let number = 1; number <= count; number += 1) {
      const scannedAt = new Date(day + (random.pick(HOURS_WEIGHTED) + random.next()) * HOUR_MS);
      const isPrinted = isQr || random.next() < link.printed;
      scans.push({
        id: derivedId('scn', link.id, `${day}`, `${number}`),
        at: scannedAt.toISOString(),
        workspace,
        link_id: link.id,
        short_code: link.short_code,
        hostname: null,
        title: link.title,
        campaign: link.campaign_tag,
        trigger: isPrinted ? 'qr' : 'link',
        ...audience.pickVisit(random, isPrinted),
        prefetch: false,
      });
    }
  }
  return scans;
}

function expectedScans({ scansPerDay, launchedDaysAgo }: LinkPlan, daysAgo: number, day: number): number {
  const growth = GROWTH.from + (GROWTH.by * (DAYS - daysAgo)) / DAYS;
  return scansPerDay * WEEKDAYS[new Date(day).getUTCDay()]! * growth * launchFactor(launchedDaysAgo, daysAgo);
}

function launchFactor(launchedDaysAgo: number | undefined, daysAgo: number): number {
  if (launchedDaysAgo === undefined) return 1;
  const since = launchedDaysAgo - daysAgo;
  return since < 0 ? LAUNCH.before : 1 + LAUNCH.peak * Math.exp(-since / LAUNCH.fadesInDays);
}
