import { webhookTested } from '@waymark/contract/events';
import { newId } from '@waymark/contract/ids';
import { WEBHOOK_TEST } from '@waymark/contract/webhook-events';
import { missing } from '@waymark/kernel/errors';
import type { Endpoint } from '../endpoints/endpoint.js';
import type { EndpointRequest } from '../endpoints/endpoint-request.js';
import { createFirstAttempt, expeditedNow, type Attempt, type PublicEvent } from './attempt.js';
import { deliveryEvent } from './delivery-event.js';
import type { RequestedAttemptContext } from './retry-delivery.js';

/** Sends one test event to one endpoint, so that its owner sees whether it arrives. */
export async function sendTest(
  { db, endpoints, attempts, dispatcher }: RequestedAttemptContext,
  { workspace, id, event }: EndpointRequest,
): Promise<Attempt> {
  const requested = await db.transaction(async (tx) => {
    const endpoint = await endpoints.findEndpoint(workspace, id, tx.session);
    if (!endpoint) throw missing('webhook', id);
    const attempt = { ...createTestAttempt(endpoint), ...expeditedNow() };
    await attempts.insertAttempt(attempt, tx.session);
    await endpoints.scheduleWork(new Map([[id, 1]]), attempt.dueAt, tx.session);
    tx.emit(deliveryEvent(webhookTested, event, { endpoint, attempt }));
    return attempt;
  });
  dispatcher.notifyWorkers([id]);
  return requested;
}

function createTestAttempt({ _id: endpointId, url, workspace }: Endpoint): Attempt {
  const now = new Date();
  const data = { webhook: { id: endpointId, url } };
  const event: PublicEvent = {
    id: newId('evt'),
    type: WEBHOOK_TEST,
    created_at: now.toISOString(),
    workspace,
    data,
  };
  return createFirstAttempt(event, { endpointId, body: JSON.stringify(event), now });
}
