import type { Deployment } from './deployments.js';

/** Sent to one endpoint when its owner asks for it; no endpoint subscribes to it. */
export const WEBHOOK_TEST = 'webhook.test';

/** The event types that an endpoint may subscribe to, by deployment; any other type is a 422. */
export const WEBHOOK_EVENT_TYPES: Readonly<Record<Deployment, readonly string[]>> = {
  links: [
    'scan.logged',
    'conversion.recorded',
    'link.created',
    'link.updated',
    'link.archived',
    'link.reactivated',
    'link.expired',
    'link.blocked',
    'link.unblocked',
    'link.deleted',
    'link.import_completed',
    'domain.verified',
    'domain.degraded',
    'domain.failed',
    'webhook.disabled',
  ],
  qr: [
    'scan.logged',
    'qr_code.created',
    'qr_code.updated',
    'qr_code.archived',
    'qr_code.reactivated',
    'qr_code.expired',
    'qr_code.blocked',
    'qr_code.unblocked',
    'qr_code.deleted',
    'webhook.disabled',
  ],
};
