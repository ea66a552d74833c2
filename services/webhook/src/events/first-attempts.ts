import { createFirstAttempt, type Attempt, type PublicEvent } from '../deliveries/attempt.js';
import type { Subscriber } from '../endpoints/endpoint-store.js';

/** Makes the first attempts of deliveries one by one, up to the limits of their endpoints. */
export class FirstAttempts {
  /** The number of attempts made for each endpoint. */
  readonly added = new Map<string, number>();
  /** For each endpoint at its limit, one of the deliveries that are not stored. */
  readonly notices = new Map<string, Attempt>();
  droppedCount = 0;
  private readonly byWorkspace = new Map<string, Subscriber[]>();
  private readonly capacity: Map<string, number>;

  constructor(
    subscribers: readonly Subscriber[],
    private readonly pendingMax: number,
    readonly now: Date,
  ) {
    this.capacity = new Map(subscribers.map(({ _id, pendingCount = 0 }) => [_id, pendingMax - pendingCount]));
    for (const subscriber of subscribers) {
      const others = this.byWorkspace.get(subscriber.workspace);
      if (others) others.push(subscriber);
      else this.byWorkspace.set(subscriber.workspace, [subscriber]);
    }
  }

  *createAttempts(events: readonly PublicEvent[]): Generator<Attempt> {
    for (const event of events) {
      const subscribers = this.byWorkspace
        .get(event.workspace)
        ?.filter(({ eventTypes }) => eventTypes.includes(event.type));
      if (!subscribers?.length) continue;
      // All endpoints of the event share one text.
      const body = JSON.stringify(event);
      for (const { _id } of subscribers) {
        const create = () => createFirstAttempt(event, { endpointId: _id, body, now: this.now });
        if (this.reserveCapacity(_id)) yield create();
        else if (!this.notices.has(_id)) this.notices.set(_id, this.asDropped(create()));
      }
    }
  }

  private reserveCapacity(endpointId: string): boolean {
    const added = this.added.get(endpointId) ?? 0;
    const hasRoom = added < this.capacity.get(endpointId)!;
    if (hasRoom) this.added.set(endpointId, added + 1);
    else this.droppedCount += 1;
    return hasRoom;
  }

  private asDropped(attempt: Attempt): Attempt {
    const message = `Not sent: ${this.pendingMax} deliveries to this endpoint are pending already.`;
    return { ...attempt, status: 'failed', error: { type: 'blocked', message } };
  }
}
