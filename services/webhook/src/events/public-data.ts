import type { z } from 'zod';
import { qrScanRow, scanRow } from '@waymark/contract/analytics';
import { conversion } from '@waymark/contract/conversions';
import type { AuditChanges } from '@waymark/contract/event';
import type {
  conversionRecorded,
  DomainSnapshot,
  LinkSnapshot,
  linkImportCompleted,
  LoggedScan,
  webhookDisabled,
} from '@waymark/contract/events';
import { unicodeShortUrl } from '@waymark/contract/hostname';
import { importSummary } from '@waymark/contract/imports';
import {
  changedDomain,
  changedLink,
  changedQrCode,
  scannedLink,
  scannedQrCode,
} from '@waymark/contract/webhook-payloads';

/*
 * The parts of internal events that subscribers see, by the schemas of the API: a new field of the API is in its events,
 * and a new internal field stays internal.
 */

export function linkScanData({ scan, link }: LoggedScan) {
  return { scan: pick(scanRow, scan), link: pick(scannedLink, link) };
}

/** The same for the QR codes deployment: one kind of code, and one way to scan it. */
export function qrScanData({ scan, link }: LoggedScan) {
  return { scan: pick(qrScanRow, { ...scan, qr_code_id: scan.link_id }), qr_code: pick(scannedQrCode, link) };
}

/** An event of 0.1.0 lacks the state, which is the same in all of them. */
export function conversionData({ conversion: recorded, link }: z.infer<typeof conversionRecorded.schema>) {
  const state = { status: 'recorded', rejection: null, updated_at: recorded.recorded_at };
  return { conversion: pick(conversion, { ...state, ...recorded }), link: pick(scannedLink, link) };
}

interface Change {
  link: LinkSnapshot;
  changes: AuditChanges;
  changedAt: string;
}

export function linkChangeData({ changes, ...change }: Change) {
  const { hostname, short_code: shortCode } = change.link;
  const derived = { short_url_unicode: unicodeShortUrl(hostname, shortCode), domain: domainOf(change.link) };
  return { link: pick(changedLink, { ...withTimes(change), ...derived }), changes };
}

/** The same for the QR codes deployment. */
export function qrCodeChangeData({ changes, ...change }: Change) {
  return { qr_code: pick(changedQrCode, withTimes(change)), changes };
}

/** An event of 0.1.0 lacks the time of its change. */
const withTimes = ({ link, changedAt }: Omit<Change, 'changes'>) => ({ updated_at: changedAt, ...link });

/** @returns `undefined` for an event of 0.1.0, which may lack the id */
function domainOf({ domain_id: id, hostname }: LinkSnapshot) {
  if (id === undefined || id === null) return id;
  return { id, hostname };
}

export const domainData = ({ domain }: { domain: DomainSnapshot }) => ({ domain: pick(changedDomain, domain) });

/** The audit log has the reason, too: Waymark gives one, a member gives none. */
export function disabledWebhookData(
  { webhook_id: id, url }: z.infer<typeof webhookDisabled.schema>,
  changes: AuditChanges | undefined,
) {
  return { webhook: { id, url }, reason: changes?.['reason']?.to ?? null };
}

/** Returns the job without its errors, of which there may be thousands: clients poll for them. */
export function importData({ import: job }: z.infer<typeof linkImportCompleted.schema>) {
  return { import: pick(importSummary, job) };
}

/** Returns those fields of an event that a schema names. An event of an earlier version may lack some. */
function pick(schema: z.ZodObject, fields: object): Record<string, unknown> {
  const given = fields as Record<string, unknown>;
  const names = Object.keys(schema.shape).filter((name) => given[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, given[name]]));
}
