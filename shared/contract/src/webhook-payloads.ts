import { z } from 'zod';
import { qrScanRow, scanRow } from './analytics.js';
import { timestamp } from './common.js';
import { conversion } from './conversions.js';
import type { Deployment } from './deployments.js';
import { auditChanges } from './event.js';
import { domainSnapshot } from './events.js';
import { linkImport } from './imports.js';
import { COUNTS, link } from './links.js';
import { qrCode } from './qr-codes.js';
import { redactedQrStyle } from './qr-style.js';
import { WEBHOOK_TEST, WEBHOOK_EVENT_TYPES } from './webhook-events.js';
import { webhook } from './webhooks.js';

const changes = auditChanges.meta({
  description: 'The changed fields, as in the audit log. On creation each changes from `null`, on deletion to `null`.',
});
export const changedLink = link.omit(COUNTS);
/** The style names the picture of a logo by its hash, `sha256:…`. */
export const changedQrCode = qrCode.omit(COUNTS).extend({ style: redactedQrStyle });

export const scannedQrCode = qrCode.pick({
  id: true,
  short_code: true,
  short_url: true,
  title: true,
  campaign_tag: true,
});
export const scannedLink = scannedQrCode.extend(link.pick({ folder_id: true, tags: true }).shape);
const domain = domainSnapshot.omit({ revision: true });

const ofLinks: Record<string, z.ZodObject> = {
  'scan.logged': z.object({ scan: scanRow, link: scannedLink }),
  'conversion.recorded': z.object({ conversion, link: scannedLink }),
  'link.import_completed': z.object({ import: linkImport.omit({ errors: true }) }),
  'domain.verified': z.object({ domain }),
  'domain.failed': z.object({ domain }),
};
const ofQrCodes: Record<string, z.ZodObject> = {
  'scan.logged': z.object({ scan: qrScanRow, qr_code: scannedQrCode }),
};
const ofContent = {
  links: z.object({ link: changedLink, changes }),
  qr: z.object({ qr_code: changedQrCode, changes }),
} as const satisfies Record<Deployment, z.ZodObject>;
const test = z.object({ webhook: webhook.pick({ id: true, url: true }) });

function dataOf(deployment: Deployment, type: string): z.ZodObject {
  if (type === WEBHOOK_TEST) return test;
  const special = (deployment === 'links' ? ofLinks : ofQrCodes)[type];
  return special ?? ofContent[deployment];
}

/** The body of a delivery, by the type of the event. */
export function webhookPayloads(deployment: Deployment): Record<string, z.ZodObject> {
  const bodyOf = (type: string) =>
    z.object({
      id: z.string(),
      type: z.literal(type),
      created_at: timestamp,
      workspace: z.string(),
      data: dataOf(deployment, type),
    });
  const types = [...WEBHOOK_EVENT_TYPES[deployment], WEBHOOK_TEST];
  return Object.fromEntries(types.map((type) => [type, bodyOf(type)]));
}
