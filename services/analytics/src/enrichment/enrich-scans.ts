import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Event } from '@waymark/contract/event';
import type { RawScan } from '@waymark/contract/events';
import type { Database } from '@waymark/kernel/mongo/database';
import { scanTime } from '../ingest/scan-time.js';
import type { Scan } from '../scans/scan.js';
import type { Salts } from '../visitors/salts.js';
import { utcDay } from '../time/utc-day.js';
import { visitorOf } from '../visitors/visitor.js';
import { botReason } from './bot.js';
import type { Languages } from './language.js';
import type { Locations } from './locations.js';
import type { Referrers } from './referrer.js';
import type { UserAgents } from './user-agent.js';

export interface EnrichmentContext {
  db: Pick<Database, 'now'>;
  userAgents: UserAgents;
  locations: Locations;
  referrers: Referrers;
  languages: Languages;
  salts: Salts;
}

type TimedScan = RawScan & { scannedAt: Date };
type SaltOfDay = ReadonlyMap<string, Buffer | null>;

/**
 * Derives all fields of a scan from the raw scan and drops the address. `isUnique` is set when the scan is stored.
 * Yields to the event loop between messages, because a batch takes a while.
 */
export async function enrichScans(ctx: EnrichmentContext, events: Event<{ scans: RawScan[] }>[]): Promise<Scan[]> {
  await ctx.locations.loaded;
  const now = await ctx.db.now();
  const timed = (raw: RawScan): TimedScan => ({ ...raw, scannedAt: scanTime(raw.at, now) });
  const batches = events.map(({ id, data }) => ({ id, scans: data.scans.map(timed) }));
  const salts = await saltsFor(
    ctx,
    batches.flatMap(({ scans }) => scans),
  );
  const scans: Scan[] = [];
  for (const batch of batches) {
    await nextTurn();
    for (const scan of batch.scans) scans.push(enrichScan(ctx, scan, batch.id, salts));
  }
  return scans;
}

async function saltsFor(ctx: EnrichmentContext, scans: readonly TimedScan[]): Promise<SaltOfDay> {
  const salts = new Map<string, Buffer | null>();
  for (const day of new Set(scans.map(dayOf))) salts.set(day, await ctx.salts.of(day));
  return salts;
}

const dayOf = ({ scannedAt }: TimedScan): string => utcDay(scannedAt);

function enrichScan(ctx: EnrichmentContext, raw: TimedScan, batch: string, salts: SaltOfDay): Scan {
  const userAgent = ctx.userAgents.parse(raw.user_agent);
  const { country, region, city } = ctx.locations.of(raw.address);
  const reason = botReason(raw, userAgent);
  return {
    _id: raw.id,
    batch,
    workspace: raw.workspace,
    linkId: raw.link_id,
    shortCode: raw.short_code,
    scannedAt: raw.scannedAt,
    trigger: raw.trigger,
    country,
    region,
    city,
    device: userAgent.device,
    browser: userAgent.browser,
    os: userAgent.os,
    language: ctx.languages.preferred(raw.accept_language ?? ''),
    referrer: ctx.referrers.hostOf(raw.referrer),
    campaign: raw.campaign,
    visitor: visitorOf(salts.get(dayOf(raw)) ?? null, raw.address, raw.user_agent),
    isUnique: false,
    isBot: reason !== null,
    botReason: reason,
    agent: userAgent.family,
    ...(raw.prefetch && { prefetch: true }),
  };
}
