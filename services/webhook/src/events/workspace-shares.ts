import type { PublicEvent } from '../deliveries/attempt.js';
import type { Subscriber } from '../endpoints/endpoint-store.js';

interface DividedEvents {
  within: PublicEvent[];
  /** By workspace. */
  beyond: Map<string, PublicEvent[]>;
}

/** Bounds the deliveries that each workspace has in one batch of messages. */
export class WorkspaceShares {
  private readonly used = new Map<string, number>();

  constructor(private readonly rowsMax: number) {}

  /** Divides events into those within the share of their workspace and those beyond it; drops those without subscribers. */
  divideEvents(events: readonly PublicEvent[], subscribers: readonly Subscriber[]): DividedEvents {
    const within: PublicEvent[] = [];
    const beyond = new Map<string, PublicEvent[]>();
    const subscriberCounts = countSubscriptions(subscribers);
    for (const event of events) {
      const { workspace } = event;
      const rows = subscriberCounts.get(keyOf(workspace, event.type)) ?? 0;
      if (rows === 0) continue;
      const used = (this.used.get(workspace) ?? 0) + rows;
      if (used <= this.rowsMax) {
        this.used.set(workspace, used);
        within.push(event);
        continue;
      }
      const surplus = beyond.get(workspace);
      if (surplus) surplus.push(event);
      else beyond.set(workspace, [event]);
    }
    return { within, beyond };
  }
}

function countSubscriptions(subscribers: readonly Subscriber[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { workspace, eventTypes } of subscribers) {
    for (const type of eventTypes) {
      const key = keyOf(workspace, type);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return counts;
}

const keyOf = (workspace: string, eventType: string): string => `${workspace} ${eventType}`;
