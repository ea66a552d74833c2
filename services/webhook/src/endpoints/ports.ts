import type { ClientSession } from 'mongoose';

/** Implemented by the dispatcher. */
export interface WorkerNotifier {
  /** Notifies the workers of these endpoints of new work, or of a change. */
  notifyWorkers(endpointIds: string[]): void;
}

/** Implemented by the purger of deliveries. */
export interface PurgeOrders {
  /** Orders the deletion of an endpoint's deliveries, in the transaction that deletes the endpoint. */
  orderPurge(endpointId: string, session: ClientSession): Promise<void>;
  notify(): void;
}
