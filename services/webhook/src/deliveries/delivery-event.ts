import type { Event, EventContext } from '@waymark/contract/event';
import type { webhookTested } from '@waymark/contract/events';
import { eventPartsOf, type Endpoint } from '../endpoints/endpoint.js';
import type { Attempt } from './attempt.js';

/** Returns the event of a delivery that a person requested, for the audit log. */
export function deliveryEvent(
  definition: typeof webhookTested,
  context: EventContext,
  { endpoint, attempt }: { endpoint: Endpoint; attempt: Attempt },
): Event {
  const { deliveryId, number } = attempt;
  const { data, target } = eventPartsOf(endpoint);
  const changes = { delivery: { from: null, to: deliveryId }, attempt_number: { from: null, to: number } };
  return definition.create(context, { ...data, delivery_id: deliveryId }, { target, changes });
}
