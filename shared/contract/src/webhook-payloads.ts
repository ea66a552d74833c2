import { z } from 'zod';
import { qrScanRow, scanRow } from './analytics.js';
import { timestamp } from './common.js';
import { conversion } from './conversions.js';
import type { Deployment } from './deployments.js';
import { domain } from './domains.js';
import { auditChanges } from './event.js';
import { linkImport } from './imports.js';
import { COUNTS, link } from './links.js';
import { qrCode } from './qr-codes.js';
import { redactedQrStyle } from './qr-style.js';
import { WEBHOOK_TEST, WEBHOOK_EVENT_TYPES } from './webhook-events.js';
import { webhook } from './webhooks.js';

export const changes = auditChanges.meta({
  description: 'Changed fields by name, as in the audit log: from `null` on creation, to `null` on deletion.',
});
export const changedLink = link.omit(COUNTS).describe('A link as it is after the change, without its counts.');
/** The style names the picture of a logo by its hash, `sha256:…`. */
export const changedQrCode = qrCode
  .omit(COUNTS)
  .extend({ style: redactedQrStyle })
  .describe('A QR code as it is after the change, without its counts.');

const scanned = qrCode.pick({
  id: true,
  short_code: true,
  short_url: true,
  title: true,
  campaign_tag: true,
});
export const scannedQrCode = scanned.describe('The fields of a QR code that belong to a scan.');
export const scannedLink = scanned
  .extend(link.pick({ folder_id: true, tags: true }).shape)
  .describe('The fields of a link that belong to a scan.');
export const changedDomain = domain
  .pick({
    ...{ id: true, hostname: true, status: true },
    ...{ root_url: true, not_found_url: true, expired_url: true, indexable: true },
  })
  .describe('The custom domain after the change.');
const ofDomain = z.object({ domain: changedDomain });
const namedWebhook = webhook.pick({ id: true, url: true });
const disabledWebhook = z.object({
  webhook: namedWebhook.describe('The endpoint that is disabled.'),
  reason: z.string().nullable().describe('Why Waymark disabled it, for people; `null` when a member did.'),
});

const ofLinks: Record<string, z.ZodObject> = {
  'scan.logged': z.object({
    scan: scanRow.describe('The scan; never of a bot.'),
    link: scannedLink.describe('The link that was visited.'),
  }),
  'conversion.recorded': z.object({
    conversion: conversion.describe('The conversion; always `recorded`.'),
    link: scannedLink.describe('The link that it is a conversion of.'),
  }),
  'link.import_completed': z.object({
    import: linkImport.omit({ errors: true }).describe('The import at its end, without its errors.'),
  }),
  'domain.verified': ofDomain,
  'domain.degraded': ofDomain,
  'domain.failed': ofDomain,
  'webhook.disabled': disabledWebhook,
};
const ofQrCodes: Record<string, z.ZodObject> = {
  'scan.logged': z.object({
    scan: qrScanRow.describe('The scan; never of a bot.'),
    qr_code: scannedQrCode.describe('The QR code that was visited.'),
  }),
  'webhook.disabled': disabledWebhook,
};
const CHANGED = 'after the change (before a deletion), without its counts.';
const ofContent = {
  links: z.object({ link: changedLink.describe(`The link ${CHANGED}`), changes }),
  qr: z.object({ qr_code: changedQrCode.describe(`The QR code ${CHANGED}`), changes }),
} as const satisfies Record<Deployment, z.ZodObject>;
const test = z.object({ webhook: namedWebhook.describe('The endpoint that is tested.') });

function dataOf(deployment: Deployment, type: string): z.ZodObject {
  if (type === WEBHOOK_TEST) return test;
  const special = (deployment === 'links' ? ofLinks : ofQrCodes)[type];
  return special ?? ofContent[deployment];
}

export const eventId = z
  .string()
  .describe('Id of the event, beginning with `evt_`: also `webhook-id`, the same on every attempt.');
export const eventTime = timestamp.describe('When it happened, in UTC; events may arrive in another order.');

/** The body of a delivery, by the type of the event. */
export function webhookPayloads(deployment: Deployment): Record<string, z.ZodObject> {
  const bodyOf = (type: string) =>
    z.object({
      id: eventId,
      type: z.literal(type).describe('What happened; `data` depends on it.'),
      created_at: eventTime,
      workspace: z.string().describe('Slug of the workspace.'),
      data: dataOf(deployment, type).describe('What the event is about.'),
    });
  const types = [...WEBHOOK_EVENT_TYPES[deployment], WEBHOOK_TEST];
  return Object.fromEntries(types.map((type) => [type, bodyOf(type)]));
}
