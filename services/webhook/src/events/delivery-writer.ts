import type { ConsumerContext } from '@waymark/kernel/broker/consumer';
import type { Database } from '@waymark/kernel/mongo/database';
import { bodyBytes, type Attempt, type PublicEvent } from '../deliveries/attempt.js';
import type { AttemptStore } from '../deliveries/attempt-store.js';
import type { EndpointStore, Subscriber } from '../endpoints/endpoint-store.js';
import type { WorkerNotifier } from '../endpoints/ports.js';
import { batchesOf } from './batches.js';
import { FirstAttempts } from './first-attempts.js';

/** Bounds of one insert, independent of the number of events and endpoints. */
const ROWS_MAX = 500;
const BYTES_MAX = 4 * 1024 * 1024;

export interface DeliveryContext {
  pendingMax: number;
  db: Database;
  endpoints: EndpointStore;
  attempts: AttemptStore;
  dispatcher: WorkerNotifier;
}

/** Stores the first attempt of each delivery, up to the limits of the endpoints, and notifies their workers. */
export class DeliveryWriter {
  private readonly dropped;

  constructor(
    private readonly runtime: Pick<ConsumerContext, 'log' | 'metrics'>,
    private readonly ctx: DeliveryContext,
  ) {
    this.dropped = runtime.metrics.counter(
      'webhook_deliveries_dropped_total',
      'Deliveries beyond the pending ones that an endpoint may have',
    );
  }

  async storeDeliveries(events: PublicEvent[], subscribers: Subscriber[]): Promise<void> {
    const { pendingMax, db, endpoints, attempts, dispatcher } = this.ctx;
    const firstAttempts = new FirstAttempts(subscribers, pendingMax, await db.now());
    const created = firstAttempts.createAttempts(events);
    for (const batch of batchesOf(created, { rowsMax: ROWS_MAX, bytesMax: BYTES_MAX, bytesOf: bodyBytes })) {
      await attempts.insertMissing(batch);
    }
    await endpoints.scheduleWork(firstAttempts.added, firstAttempts.now);
    dispatcher.notifyWorkers([...firstAttempts.added.keys()]);
    this.dropped.inc(firstAttempts.droppedCount);
    for (const notice of firstAttempts.notices.values()) await this.logDrop(notice);
  }

  /** Logs the first dropped delivery of each hour for the owner, who can retry it from there. */
  private async logDrop(notice: Attempt): Promise<void> {
    const { endpointId: endpoint_id, workspace } = notice;
    if (!(await this.ctx.endpoints.claimDropNotice(endpoint_id, notice.createdAt))) return;
    this.runtime.log.warn({ endpoint_id, workspace }, 'deliveries dropped: too many are pending');
    await this.ctx.attempts.insertMissing([notice]);
  }
}
