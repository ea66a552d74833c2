import type { z } from 'zod';
import type { Deployment } from '@waymark/contract/deployments';
import type { delivery, deliveryRow, qrDelivery, qrDeliveryRow } from '@waymark/contract/webhooks';
import { presentAttempt, type Attempt } from './attempt.js';
import type { LoggedAttempt } from './delivery-log.js';

type Row = z.output<typeof deliveryRow> | z.output<typeof qrDeliveryRow>;
type Delivery = z.output<typeof delivery> | z.output<typeof qrDelivery>;

/** Returns the link of an event under the field name of the deployment. */
const linkOf = (deployment: Deployment, { linkId = null }: Attempt) =>
  deployment === 'links' ? { link_id: linkId } : { qr_code_id: linkId };

export function presentDeliveryRow(deployment: Deployment, attempt: Attempt): Row {
  return { ...presentAttempt(attempt), ...linkOf(deployment, attempt) };
}

/** A delivery with at least one attempt; the latest one has the body that all of them send. */
export function presentDelivery(deployment: Deployment, attempts: [LoggedAttempt, ...LoggedAttempt[]]): Delivery {
  const [{ attempt: latest }] = attempts;
  return {
    id: latest.deliveryId,
    event_id: latest.eventId,
    event_type: latest.eventType,
    ...linkOf(deployment, latest),
    status: latest.status,
    payload: latest.body === null ? null : (JSON.parse(latest.body) as Record<string, unknown>),
    attempts: attempts.map(({ attempt, response }) => ({ ...presentAttempt(attempt), response })),
  };
}
