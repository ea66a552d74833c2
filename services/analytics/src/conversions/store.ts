import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Database } from '@waymark/shared/kernel/database';
import { dayIndexOf } from '../selection/day-index.js';
import type { Selection } from '../selection/selection.js';
import type { Conversion } from './conversion.js';

export class ConversionStore {
  private readonly conversions: Model<Conversion>;

  constructor(db: Database) {
    const schema = new Schema<Conversion>({
      _id: String,
      workspace: String,
      linkId: String,
      shortCode: String,
      campaign: String,
      source: String,
      meta: String,
      value: Number,
      currency: String,
      externalId: String,
      occurredAt: Date,
      recordedAt: Date,
    });
    schema.index(
      { workspace: 1, externalId: 1 },
      { unique: true, partialFilterExpression: { externalId: { $type: 'string' } } },
    );
    schema.index({ workspace: 1, occurredAt: 1 });
    this.conversions = db.model<Conversion>('Conversion', schema, 'conversions');
  }

  /** Of two with the same external id one fails with a duplicate key. */
  async insert(conversion: Conversion, session: ClientSession): Promise<void> {
    await this.conversions.insertMany([conversion], { session, lean: true });
  }

  byExternalId(workspace: string, externalId: string): Promise<Conversion | null> {
    return this.conversions.findOne({ workspace, externalId }).lean<Conversion>().exec();
  }

  /** Conversions by local day. They have no device and no trigger: those filters of a selection are not looked at. */
  countByDay({ workspace, days, linkId, campaign }: Selection): Promise<{ day: number; conversions: number }[]> {
    return this.conversions
      .aggregate<{ day: number; conversions: number }>([
        {
          $match: {
            workspace,
            occurredAt: { $gte: days.startsAt, $lt: days.endsAt },
            ...(linkId !== undefined && { linkId }),
            ...(campaign !== undefined && { campaign }),
          },
        },
        { $group: { _id: dayIndexOf('$occurredAt', days), conversions: { $sum: 1 } } },
        { $project: { _id: 0, day: '$_id', conversions: 1 } },
      ])
      .exec();
  }
}
