import { Schema, type ClientSession, type Model } from 'mongoose';
import { BROKER_SERVICES, type BrokerService } from '@waymark/contract/broker-services';
import type { Deployment } from '@waymark/contract/deployments';
import { erasureId, type ErasureKind, type ErasureReport } from '@waymark/contract/erasures';
import type { Database } from '@waymark/kernel/mongo/database';

interface ServiceReport {
  isComplete: boolean;
  removed: Record<string, number>;
  reportedAt: Date;
}

/** The operator's record of an erasure, with the report of each service. */
export interface ErasureOrder {
  /** See `erasureId`. */
  _id: string;
  kind: ErasureKind;
  /** The slug of the workspace, or the id of the user. */
  subject: string;
  /** The id of the user who ordered it; `null` for the operator. */
  orderedBy: string | null;
  orderedAt: Date;
  /** Absent once every service has erased everything. */
  openSince?: Date;
  reports: Partial<Record<BrokerService, ServiceReport>>;
}

/** Long enough to answer for an erasure in the year after it. */
const KEPT_DAYS = 400;

export class OrderStore {
  private readonly orders: Model<ErasureOrder>;

  constructor(
    private readonly db: Database,
    /** Every service that must report. */
    readonly services: readonly BrokerService[],
  ) {
    const schema = new Schema<ErasureOrder>(
      {
        _id: String,
        kind: String,
        subject: String,
        orderedBy: String,
        orderedAt: Date,
        openSince: Date,
        reports: Schema.Types.Mixed,
      },
      { minimize: false, versionKey: false },
    );
    schema.index({ orderedAt: 1 }, { expireAfterSeconds: KEPT_DAYS * 24 * 3600 });
    schema.index({ openSince: 1 });
    this.orders = db.model<ErasureOrder>('ErasureOrder', schema, 'erasure_orders');
  }

  async insertOrder(order: Pick<ErasureOrder, 'kind' | 'subject' | 'orderedBy'>, session: ClientSession) {
    const _id = erasureId(order.kind, order.subject);
    const orderedAt = await this.db.now();
    await this.orders.insertMany([{ _id, ...order, orderedAt, openSince: orderedAt, reports: {} }], {
      session,
      lean: true,
    });
  }

  findOrder(kind: ErasureKind, subject: string): Promise<ErasureOrder | null> {
    return this.orders.findById(erasureId(kind, subject)).lean<ErasureOrder>().exec();
  }

  /** Returns the age of the oldest erasure that some service has not completed; 0 if there is none. */
  async findOldestOpenSeconds(): Promise<number> {
    const isOpen = { openSince: { $exists: true } };
    const oldest = await this.orders.findOne(isOpen, { openSince: 1 }).sort({ openSince: 1 }).lean<ErasureOrder>();
    return oldest ? Math.max(0, ((await this.db.now()).getTime() - oldest.openSince!.getTime()) / 1000) : 0;
  }

  /** Stores a report. One that arrives late does not make a complete erasure incomplete. */
  async storeReport(service: BrokerService, { kind, subject, removed, is_complete }: ErasureReport): Promise<void> {
    const _id = erasureId(kind, subject);
    const path = `reports.${service}`;
    const report = { isComplete: is_complete, removed, reportedAt: await this.db.now() };
    const isNews = is_complete ? {} : { [`${path}.isComplete`]: { $ne: true } };
    await this.orders.updateOne({ _id, ...isNews }, { $set: { [path]: report } });
    const $and = this.services.map((name) => ({ [`reports.${name}.isComplete`]: true }));
    await this.orders.updateOne({ _id, $and }, { $unset: { openSince: 1 } });
  }
}

/** The QR codes deployment has no custom domains. */
export const servicesIn = (deployment: Deployment): BrokerService[] =>
  BROKER_SERVICES.filter((service) => deployment === 'links' || service !== 'domain');
