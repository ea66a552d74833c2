import type { ScanRow } from '@waymark/contract/analytics';
import type { Event } from '@waymark/contract/event';
import { scanLogged, type LoggedScan, type RawScan } from '@waymark/contract/events';
import type { EventPublisher } from '@waymark/kernel/broker/publisher';
import { UNKNOWN_LANGUAGE } from '@waymark/visitors/language';
import type { Scan } from '../ledger/scan.js';
import type { LinkDescription, LinkDescriptions } from '../links/link-descriptions.js';

export interface LoggedScanContext {
  publisher: EventPublisher;
  descriptions: Pick<LinkDescriptions, 'describeLinks'>;
  shortBaseUrl: string;
}

/**
 * Publishes one `scan.logged` per message, with the counted scans that were first stored from this message. A
 * redelivery publishes the same event, with the same id and scans, even if bots were classified again in between.
 * Resolves when the broker has confirmed it, or the outbox has stored it.
 */
export async function publishLoggedScans(
  ctx: LoggedScanContext,
  events: Event<{ scans: RawScan[] }>[],
  rows: ReadonlyMap<string, Scan>,
): Promise<void> {
  const descriptions = await ctx.descriptions.describeLinks([...rows.values()].filter(isLogged));
  const announcements = events.map((event) => loggedScanEvent(event, rows, { ...ctx, descriptions }));
  await Promise.all(
    announcements
      .filter((event) => event.data.scans.length > 0)
      .map((event) => ctx.publisher.publish(event.type, event.id, JSON.stringify(event))),
  );
}

interface Described {
  descriptions: ReadonlyMap<string, LinkDescription>;
  shortBaseUrl: string;
}

function loggedScanEvent(
  event: Event<{ scans: RawScan[] }>,
  rows: ReadonlyMap<string, Scan>,
  described: Described,
): Event<{ scans: LoggedScan[] }> {
  const logged = new Map<string, LoggedScan>();
  for (const raw of event.data.scans) {
    const stored = rows.get(raw.id);
    if (stored?.batch !== event.id || logged.has(raw.id)) continue;
    if (isLogged(stored)) logged.set(raw.id, loggedScan(asFirstStored(stored), raw, described));
  }
  const context = { id: `${event.id}-logged`, workspace: null, traceparent: event.traceparent };
  return { ...scanLogged.create(context, { scans: [...logged.values()] }), occurred_at: event.occurred_at };
}

/** Returns the scan as it was before bots were classified again. */
const asFirstStored = (scan: Scan): Scan => ({ ...scan, ...scan.announced });
const isLogged = (scan: Scan): boolean => !asFirstStored(scan).isBot;

function loggedScan(row: Scan, raw: RawScan, { descriptions, shortBaseUrl }: Described): LoggedScan {
  const base = raw.hostname === null ? shortBaseUrl : `https://${raw.hostname}`;
  return {
    workspace: row.workspace,
    scan: presentScan(row),
    link: {
      id: row.linkId,
      short_code: row.shortCode,
      short_url: `${base}/${row.shortCode}`,
      title: raw.title,
      campaign_tag: row.campaign,
      ...descriptions.get(row.linkId),
    },
  };
}

function presentScan(scan: Scan): ScanRow {
  return {
    id: scan._id,
    link_id: scan.linkId,
    short_code: scan.shortCode,
    scanned_at: scan.scannedAt.toISOString(),
    trigger: scan.trigger,
    country: scan.country,
    region: scan.region,
    city: scan.city,
    device: scan.device,
    browser: scan.browser,
    os: scan.os,
    language: scan.language ?? UNKNOWN_LANGUAGE,
    referrer: scan.referrer,
    campaign: scan.campaign,
    is_unique: scan.isUnique,
    is_bot: scan.isBot,
  };
}
