import { z } from 'zod';
import { loggedScanRow, qrScanRow } from './analytics.js';
import { timestamp } from './common.js';
import { recordedConversion } from './conversions.js';
import type { Deployment } from './deployments.js';
import { domainSnapshot, linkSnapshot } from './events.js';
import { linkImport } from './imports.js';
import { WEBHOOK_TEST, WEBHOOK_EVENT_TYPES } from './webhook-events.js';
import { webhook } from './webhooks.js';

const scanned = linkSnapshot.pick({ id: true, short_code: true, short_url: true, title: true, campaign_tag: true });
const content = scanned.extend(
  linkSnapshot.pick({ destination_url: true, utm_defaults: true, query_policy: true, status: true }).shape,
);
const domain = domainSnapshot.omit({ revision: true });

const ofLinks: Record<string, z.ZodObject> = {
  'scan.logged': z.object({ scan: loggedScanRow, link: scanned }),
  'conversion.recorded': z.object({ conversion: recordedConversion, link: scanned }),
  'link.import_completed': z.object({ import: linkImport.omit({ errors: true }) }),
  'domain.verified': z.object({ domain }),
  'domain.failed': z.object({ domain }),
};
const ofQrCodes: Record<string, z.ZodObject> = {
  'scan.logged': z.object({ scan: qrScanRow.omit({ language: true }), qr_code: scanned }),
};
const test = z.object({ webhook: webhook.pick({ id: true, url: true }) });

function dataOf(deployment: Deployment, type: string): z.ZodObject {
  if (type === WEBHOOK_TEST) return test;
  const special = (deployment === 'links' ? ofLinks : ofQrCodes)[type];
  return special ?? z.object(deployment === 'links' ? { link: content } : { qr_code: content });
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
