import type { z } from 'zod';
import type {
  conversionRecorded,
  DomainSnapshot,
  LinkSnapshot,
  linkImportCompleted,
  LoggedScan,
} from '@waymark/contract/events';
import { importSummary } from '@waymark/contract/imports';

/** The parts of internal events that subscribers see, field by field, so that a new internal field stays internal. */

/** The link that was scanned or brought a conversion. */
export function linkData({ id, short_code, short_url, title, campaign_tag }: LoggedScan['link']) {
  return { id, short_code, short_url, title, campaign_tag };
}

export function linkScanData({ scan, link }: LoggedScan) {
  const { id, link_id, trigger } = scan;
  return { scan: { id, link_id, trigger, ...circumstances(scan) }, link: linkData(link) };
}

/** The same for the QR codes deployment: one kind of code, and one way to scan it. */
export function qrScanData({ scan, link }: LoggedScan) {
  return { scan: { id: scan.id, qr_code_id: scan.link_id, ...circumstances(scan) }, qr_code: linkData(link) };
}

function circumstances(scan: LoggedScan['scan']) {
  const { short_code, scanned_at, country, region, city, device, browser, os } = scan;
  const { referrer, campaign, is_unique, is_bot } = scan;
  const visitor = { country, region, city, device, browser, os, referrer };
  return { short_code, scanned_at, ...visitor, campaign, is_unique, is_bot };
}

export function conversionData({ conversion, link }: z.infer<typeof conversionRecorded.schema>) {
  const { id, link_id, short_code, source, meta, value, currency, external_id } = conversion;
  const { occurred_at, recorded_at } = conversion;
  const order = { source, meta, value, currency, external_id };
  return { conversion: { id, link_id, short_code, ...order, occurred_at, recorded_at }, link: linkData(link) };
}

export function publicLink(link: LinkSnapshot) {
  return {
    ...linkData(link),
    destination_url: link.destination_url,
    utm_defaults: link.utm_defaults,
    query_policy: link.query_policy,
    status: link.status,
  };
}

export function publicDomain({ id, hostname, status, not_found_url }: DomainSnapshot) {
  return { id, hostname, status, not_found_url };
}

const IMPORT_FIELDS = Object.keys(importSummary.shape);

/** Returns the job without its errors, of which there may be thousands: clients poll for them. */
export function importData({ import: job }: z.infer<typeof linkImportCompleted.schema>) {
  return { import: Object.fromEntries(IMPORT_FIELDS.filter((name) => name in job).map((name) => [name, job[name]])) };
}
