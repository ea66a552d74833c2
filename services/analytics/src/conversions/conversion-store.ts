import { Schema, type ClientSession, type Model, type QueryFilter } from 'mongoose';
import type { ConversionFilters } from '@waymark/contract/conversions';
import { firstMomentOf, lastMomentOf } from '@waymark/contract/date-or-time';
import type { Database } from '@waymark/kernel/mongo/database';
import { findCursorPage } from '@waymark/kernel/mongo/find-page';
import type { CursorPage } from '@waymark/kernel/mongo/page';
import type { RequestedPage } from '@waymark/kernel/mongo/list-cursor';
import { LedgerReader } from '../ledger/ledger-reader.js';
import type { Conversion } from './conversion.js';

const schema = new Schema<Conversion>({
  _id: String,
  workspace: String,
  status: String,
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
  updatedAt: Date,
  rejection: String,
  completion: Schema.Types.Mixed,
});
schema.index(
  { workspace: 1, source: 1, externalId: 1 },
  { unique: true, partialFilterExpression: { externalId: { $type: 'string' } } },
);
schema.index({ workspace: 1, occurredAt: 1 });
schema.index({ workspace: 1, recordedAt: -1, _id: -1 });
schema.index({ workspace: 1, updatedAt: -1, _id: -1 });
schema.index({ workspace: 1, linkId: 1, recordedAt: -1, _id: -1 });
schema.index({ 'completion.dueAt': 1 }, { partialFilterExpression: { status: 'pending' } });
schema.index({ recordedAt: 1 }, { partialFilterExpression: { status: 'pending' } });
schema.index({ workspace: 1, status: 1 }, { partialFilterExpression: { status: 'pending' } });

const FIELD_OF = { recorded_at: 'recordedAt', updated_at: 'updatedAt' } as const;

/** Neither pending nor rejected; rows of earlier versions have no status. */
const RECORDED_FILTER = { status: { $nin: ['pending', 'rejected'] } } satisfies QueryFilter<Conversion>;

export class ConversionStore {
  private readonly conversions: Model<Conversion>;
  /** The recorded conversions. */
  readonly ledger: LedgerReader<Conversion>;

  constructor(db: Database) {
    this.conversions = db.model<Conversion>('Conversion', schema, 'conversions');
    this.ledger = new LedgerReader(db, this.conversions, { time: 'occurredAt', isLoaded: RECORDED_FILTER });
  }

  /** Fails with a duplicate key when another conversion has the same external id. */
  async insertConversion(conversion: Conversion, session: ClientSession): Promise<void> {
    await this.conversions.insertMany([conversion], { session, lean: true });
  }

  /** Ignores a rejected conversion, which its sender may send again. */
  conversionByExternalId(workspace: string, source: string, externalId: string): Promise<Conversion | null> {
    const where = { workspace, source, externalId, status: { $ne: 'rejected' as const } };
    return this.conversions.findOne(where).lean<Conversion>().exec();
  }

  async removeRejected({ workspace, source, externalId }: Conversion, session: ClientSession): Promise<void> {
    if (externalId === null) return;
    await this.conversions.deleteOne({ workspace, source, externalId, status: 'rejected' }, { session });
  }

  /** Counts the pending conversions of a workspace, up to a limit. */
  countPending(workspace: string, limit: number): Promise<number> {
    return this.conversions.countDocuments({ workspace, status: 'pending' }, { limit }).exec();
  }

  async oldestPendingAt(): Promise<Date | null> {
    const oldest = await this.conversions.findOne({ status: 'pending' }).sort({ recordedAt: 1 }).lean<Conversion>();
    return oldest && oldest.recordedAt;
  }

  /** Returns the conversions that are due, the most overdue first. */
  dueConversions(now: Date, limit: number): Promise<Conversion[]> {
    return this.conversions
      .find({ status: 'pending', 'completion.dueAt': { $lte: now } })
      .sort({ 'completion.dueAt': 1 })
      .limit(limit)
      .lean<Conversion[]>()
      .exec();
  }

  /** @returns false when it is no longer pending */
  async completeConversion({ _id, ...conversion }: Conversion, session: ClientSession): Promise<boolean> {
    const result = await this.conversions.updateOne(
      { _id, status: 'pending' },
      { $set: conversion, $unset: { completion: 1 } },
      { session, timestamps: false },
    );
    return result.matchedCount === 1;
  }

  async postponeCompletion({ _id }: Conversion, dueAt: Date): Promise<void> {
    const change = { $set: { 'completion.dueAt': dueAt } };
    await this.conversions.updateOne({ _id, status: 'pending' }, change, { timestamps: false });
  }

  /** Removes the user from pending conversions, whose events would name them. @returns the number of conversions */
  async forgetActor(userId: string, limit: number): Promise<number> {
    const isOfUser = {
      status: 'pending' as const,
      // Selects the index of pending conversions: the database would read all conversions otherwise.
      'completion.dueAt': { $gte: new Date(0) },
      'completion.context': { $regex: userId },
    };
    const found = await this.conversions.find(isOfUser).limit(limit).lean<Conversion[]>();
    for (const { _id, workspace } of found) {
      const change = { $set: { 'completion.context': JSON.stringify({ workspace }) } };
      await this.conversions.updateOne({ _id, ...isOfUser }, change, { timestamps: false });
    }
    return found.length;
  }

  listConversions(workspace: string, filters: ConversionFilters, page: RequestedPage): Promise<CursorPage<Conversion>> {
    return findCursorPage(
      { model: this.conversions, where: conversionFilter(workspace, filters), sort: conversionOrder(filters.sort) },
      page,
    );
  }
}

function conversionFilter(workspace: string, filters: ConversionFilters): QueryFilter<Conversion> {
  const { link_id: linkId, source, external_id: externalId, status, from, to, updated_since: updatedSince } = filters;
  const occurredAt = { ...(from && { $gte: firstMomentOf(from) }), ...(to && { $lte: lastMomentOf(to) }) };
  return {
    workspace,
    ...(linkId && { linkId }),
    ...(source && { source }),
    ...(externalId && { externalId }),
    ...(status && (status === 'recorded' ? RECORDED_FILTER : { status })),
    ...((from ?? to) && { occurredAt }),
    ...(updatedSince && { updatedAt: { $gte: updatedSince } }),
  };
}

/** The id breaks ties. */
function conversionOrder(sort: ConversionFilters['sort']): Record<string, 1 | -1> {
  const direction = sort.startsWith('-') ? -1 : 1;
  const name = sort.replace('-', '') as keyof typeof FIELD_OF;
  return { [FIELD_OF[name]]: direction, _id: direction };
}
