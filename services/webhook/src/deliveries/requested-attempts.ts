import type { ClientSession } from 'mongoose';
import type { Event, EventContext } from '@waymark/contract/event';
import { webhookDeliveryRetried, webhookTested } from '@waymark/contract/events';
import { newId } from '@waymark/contract/ids';
import { WEBHOOK_TEST } from '@waymark/contract/webhook-events';
import { AppError, missing } from '@waymark/kernel/errors';
import type { Database } from '@waymark/kernel/mongo/database';
import { eventPartsOf, type Endpoint } from '../endpoints/endpoint.js';
import type { EndpointRequest } from '../endpoints/endpoint-request.js';
import type { EndpointStore } from '../endpoints/endpoint-store.js';
import type { WorkerNotifier } from '../endpoints/ports.js';
import {
  ATTEMPTS_MAX,
  createFirstAttempt,
  expeditedNow,
  nextAttempt,
  type Attempt,
  type PublicEvent,
} from './attempt.js';
import type { AttemptStore } from './attempt-store.js';

export interface RequestedAttemptContext {
  db: Database;
  endpoints: EndpointStore;
  attempts: AttemptStore;
  dispatcher: WorkerNotifier;
}

/**
 * Retries a delivery at once: brings its scheduled attempt forward, or adds one if none is scheduled.
 * @param deliveryId the id of the delivery, or of one of its attempts
 */
export async function retryDelivery(
  ctx: RequestedAttemptContext,
  { workspace, id, event }: EndpointRequest,
  deliveryId: string,
): Promise<Attempt> {
  const { db, endpoints, attempts, dispatcher } = ctx;
  const requested = await db.transaction(async (tx) => {
    const { session } = tx;
    const endpoint = await endpoints.findEndpoint(workspace, id, session);
    if (!endpoint) throw missing('webhook', id);
    const latest = await attempts.findLatest(id, await attempts.resolveDeliveryId(id, deliveryId, session), session);
    if (!latest) throw missing('delivery', deliveryId, 'of this webhook');
    const attempt = await requestAttempt(attempts, latest, session);
    await endpoints.scheduleWork(new Map([[id, 1]]), attempt.dueAt, session);
    tx.emit(deliveryEvent(webhookDeliveryRetried, event, { endpoint, attempt }));
    return attempt;
  });
  dispatcher.notifyWorkers([id]);
  return requested;
}

/** Changes the latest attempt in both cases, so that one of two concurrent retries or outcomes restarts. */
async function requestAttempt(attempts: AttemptStore, latest: Attempt, session: ClientSession): Promise<Attempt> {
  if (latest.status === 'pending') return attempts.expediteAttempt(latest, session);
  if (latest.number >= ATTEMPTS_MAX) throw tooManyAttempts();
  const next = { ...nextAttempt(latest, new Date()), ...expeditedNow() };
  await attempts.insertNextAttempts([latest], [next], session);
  return next;
}

const tooManyAttempts = () => new AppError('conflict', `The delivery was tried ${ATTEMPTS_MAX} times already.`);

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

/** Returns the event of a delivery that a person requested, for the audit log. */
function deliveryEvent(
  definition: typeof webhookTested,
  context: EventContext,
  { endpoint, attempt }: { endpoint: Endpoint; attempt: Attempt },
): Event {
  const { deliveryId, number } = attempt;
  const { data, target } = eventPartsOf(endpoint);
  const changes = { delivery: { from: null, to: deliveryId }, attempt_number: { from: null, to: number } };
  return definition.create(context, { ...data, delivery_id: deliveryId }, { target, changes });
}
