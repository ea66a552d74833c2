import type { KeyObject } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Event } from '@waymark/contract/event';
import type { RawScan } from '@waymark/contract/events';
import type { Database } from '@waymark/kernel/mongo/database';
import type { Scan } from '../ledger/scan.js';
import { visitorPseudonym, type Salts } from '../ledger/salts.js';
import { DAY_MS, utcDay } from '../time/utc-day.js';
import { botReason } from '@waymark/visitors/bot-reason';
import type { Languages } from '@waymark/visitors/language';
import type { Locations } from '../enrichment/locations.js';
import type { Referrers } from '../enrichment/referrer.js';
import type { UserAgents } from '@waymark/visitors/user-agent';

export interface EnrichmentContext {
  db: Pick<Database, 'now'>;
  userAgents: UserAgents;
  locations: Locations;
  referrers: Referrers;
  languages: Languages;
  salts: Salts;
}

/** A raw scan with its plausible time and the id of its message. */
type TimedScan = RawScan & { scannedAt: Date; batch: string };
/**
 * How far a redirect's clock may be ahead of the database's; a day's salt is available this long before the day begins.
 */
const AHEAD_MAX_MS = 3600 * 1000;
/** Scans from a spool may be as old as the longest range of a figure. */
const LATE_MAX_MS = 5 * 366 * DAY_MS;
/** One takes up to 1.3 milliseconds if its user agent, languages and referrer were not seen before. */
const SCANS_AT_ONCE = 10;

type SaltsByDay = ReadonlyMap<string, KeyObject | null>;

/**
 * Derives all fields of a scan from the raw scan and drops the address. `isUnique` is set when the scan is stored.
 * Yields to the event loop every few scans, because a batch takes a while, and visitors can send user agents that take
 * long to parse.
 */
export async function enrichScans(ctx: EnrichmentContext, events: Event<{ scans: RawScan[] }>[]): Promise<Scan[]> {
  await ctx.locations.loaded;
  const now = await ctx.db.now();
  const timed = events.flatMap(({ id, data }) =>
    data.scans.map((raw): TimedScan => ({ ...raw, batch: id, scannedAt: scanTime(raw.at, now) })),
  );
  const salts = await loadSalts(ctx, timed);
  const scans: Scan[] = [];
  for (const raw of timed) {
    if (scans.length % SCANS_AT_ONCE === 0) await yieldToEventLoop();
    scans.push(enrichScan(ctx, raw, salts));
  }
  return scans;
}

async function loadSalts(ctx: EnrichmentContext, scans: readonly TimedScan[]): Promise<SaltsByDay> {
  const salts = new Map<string, KeyObject | null>();
  for (const day of new Set(scans.map(dayOf))) salts.set(day, await ctx.salts.saltOfDay(day));
  return salts;
}

const dayOf = ({ scannedAt }: TimedScan): string => utcDay(scannedAt);

function enrichScan(ctx: EnrichmentContext, raw: TimedScan, salts: SaltsByDay): Scan {
  const userAgent = ctx.userAgents.parseUserAgent(raw.user_agent);
  const { country, region, city } = ctx.locations.locationOf(raw.address);
  const reason = botReason({ userAgent: raw.user_agent, isPrefetch: raw.prefetch, isBot: userAgent.isBot });
  return {
    _id: raw.id,
    batch: raw.batch,
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
    language: ctx.languages.preferredLanguage(raw.accept_language ?? ''),
    referrer: ctx.referrers.referrerHost(raw.referrer),
    campaign: raw.campaign,
    visitor: visitorPseudonym(salts.get(dayOf(raw)) ?? null, raw.address, raw.user_agent),
    isUnique: false,
    isBot: reason !== null,
    botReason: reason,
    agent: userAgent.family,
    ...(raw.prefetch && { prefetch: true }),
  };
}

/**
 * Returns the time of a scan by the redirect's clock, if plausible: a wrong clock must neither create figures in the
 * future nor rows that retention deletes at once. Otherwise returns the time of arrival.
 */
function scanTime(at: string, now: Date): Date {
  const time = new Date(at);
  const aheadMs = time.getTime() - now.getTime();
  return aheadMs > AHEAD_MAX_MS || -aheadMs > LATE_MAX_MS ? now : time;
}
