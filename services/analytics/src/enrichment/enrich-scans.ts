import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Event } from '@waymark/shared/contract/event';
import type { RawScan } from '@waymark/shared/contract/events';
import type { Scan } from '../scans/scan.js';
import type { Salts } from '../visitors/salts.js';
import { visitorOf } from '../visitors/visitor.js';
import { botReason } from './bot.js';
import type { Locations } from './locations.js';
import type { Referrers } from './referrer.js';
import type { UserAgents } from './user-agent.js';

export interface EnrichmentContext {
  userAgents: UserAgents;
  locations: Locations;
  referrers: Referrers;
  salts: Salts;
}

type SaltOfDay = ReadonlyMap<string, Buffer | null>;

/**
 * Derives all that a raw scan tells, and leaves its address behind. Whether it is unique is decided when it is stored.
 * Between two messages others get their turn: a batch takes a while.
 */
export async function enrichScans(ctx: EnrichmentContext, events: Event<{ scans: RawScan[] }>[]): Promise<Scan[]> {
  await ctx.locations.loaded;
  const salts = await saltsFor(ctx, events);
  const scans: Scan[] = [];
  for (const { id, data } of events) {
    await nextTurn();
    for (const raw of data.scans) scans.push(enrichScan(ctx, raw, id, salts));
  }
  return scans;
}

async function saltsFor(ctx: EnrichmentContext, events: Event<{ scans: RawScan[] }>[]): Promise<SaltOfDay> {
  const days = new Set(events.flatMap(({ data }) => data.scans.map(utcDayOf)));
  const salts = new Map<string, Buffer | null>();
  for (const day of days) salts.set(day, await ctx.salts.of(day));
  return salts;
}

/** A raw scan's time is written in UTC. */
function utcDayOf(raw: RawScan): string {
  return raw.at.slice(0, 10);
}

function enrichScan(ctx: EnrichmentContext, raw: RawScan, batch: string, salts: SaltOfDay): Scan {
  const userAgent = ctx.userAgents.parse(raw.user_agent);
  const { country, region, city } = ctx.locations.of(raw.address);
  const reason = botReason(raw, userAgent);
  return {
    _id: raw.id,
    batch,
    workspace: raw.workspace,
    linkId: raw.link_id,
    shortCode: raw.short_code,
    scannedAt: new Date(raw.at),
    trigger: raw.trigger,
    country,
    region,
    city,
    device: userAgent.device,
    browser: userAgent.browser,
    os: userAgent.os,
    referrer: ctx.referrers.hostOf(raw.referrer),
    campaign: raw.campaign,
    visitor: visitorOf(salts.get(utcDayOf(raw)) ?? null, raw.address, raw.user_agent),
    isUnique: false,
    isBot: reason !== null,
    botReason: reason,
  };
}
