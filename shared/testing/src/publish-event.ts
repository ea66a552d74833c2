import type { Event } from '@waymark/contract/event';
import type { EventPublisher } from '@waymark/kernel/broker/publisher';
import { waitFor } from './wait-for.js';

/** Publishes an event as a service does: repeats it until a queue takes it and the broker confirms it. */
export async function publishEvent(publisher: EventPublisher, event: Event): Promise<void> {
  await waitFor(`the confirmation of ${event.type}`, async () => {
    await publisher.publish(event.type, event.id, JSON.stringify(event));
    return true;
  });
}
