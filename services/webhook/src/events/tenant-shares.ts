import type { PublicEvent } from '../deliveries/attempt.js';
import { tenantsOf } from '../endpoints/endpoint.js';
import type { Subscriber } from '../endpoints/endpoint-store.js';

interface DividedEvents {
  within: PublicEvent[];
  /** By workspace. */
  beyond: Map<string, PublicEvent[]>;
}

/** Bounds the deliveries that each tenant (see `tenantsOf`) has in one batch of messages. */
export class TenantShares {
  private readonly used = new Map<string, number>();

  constructor(private readonly rowsMax: number) {}

  /** Divides events into those within the shares of their tenants and those beyond one; drops those without subscribers. */
  divideEvents(events: readonly PublicEvent[], subscribers: readonly Subscriber[]): DividedEvents {
    const within: PublicEvent[] = [];
    const beyond = new Map<string, PublicEvent[]>();
    const subscriptions = countSubscriptions(subscribers);
    for (const event of events) {
      const { workspace } = event;
      const rowsOf = subscriptions.get(keyOf(workspace, event.type));
      if (!rowsOf) continue;
      if (this.reserveRows(rowsOf)) {
        within.push(event);
        continue;
      }
      const surplus = beyond.get(workspace);
      if (surplus) surplus.push(event);
      else beyond.set(workspace, [event]);
    }
    return { within, beyond };
  }

  /** @returns false, without any reserved, when one of the tenants has no room */
  private reserveRows(rowsOf: ReadonlyMap<string, number>): boolean {
    const after = [...rowsOf].map(([tenant, rows]) => [tenant, (this.used.get(tenant) ?? 0) + rows] as const);
    if (after.some(([, used]) => used > this.rowsMax)) return false;
    for (const [tenant, used] of after) this.used.set(tenant, used);
    return true;
  }
}

/** Returns the deliveries of one event for each tenant, by the workspace and type of the event. */
function countSubscriptions(subscribers: readonly Subscriber[]): Map<string, Map<string, number>> {
  const subscriptions = new Map<string, Map<string, number>>();
  for (const subscriber of subscribers) {
    for (const type of subscriber.eventTypes) {
      const key = keyOf(subscriber.workspace, type);
      const rowsOf = subscriptions.get(key) ?? new Map<string, number>();
      subscriptions.set(key, rowsOf);
      for (const tenant of tenantsOf(subscriber)) rowsOf.set(tenant, (rowsOf.get(tenant) ?? 0) + 1);
    }
  }
  return subscriptions;
}

const keyOf = (workspace: string, eventType: string): string => `${workspace} ${eventType}`;
