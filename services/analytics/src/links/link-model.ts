import { Schema, type Model } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';
import type { Link } from './link.js';

/** For the links that wait to be completed or loaded, by workspace. */
export const NEXT_INDEX = { next: 1, workspace: 1, _id: 1 } as const;

/** The collection of the copies of links. */
export function linkModel(db: Database): Model<Link> {
  const schema = new Schema<Link>({
    _id: String,
    workspace: String,
    shortCode: String,
    formerKeys: [String],
    title: String,
    campaign: String,
    status: String,
    revision: Number,
    domainId: String,
    folderId: String,
    // Absent while unknown.
    tagIds: { type: [String], default: undefined },
    version: Number,
    next: String,
    refusal: String,
    lastScannedAt: Date,
    notedAt: Date,
  });
  schema.index({ workspace: 1, status: 1 });
  schema.index({ workspace: 1, lastScannedAt: -1, _id: -1 });
  schema.index({ workspace: 1, campaign: 1 });
  schema.index({ workspace: 1, tagIds: 1 });
  schema.index({ workspace: 1, folderId: 1 });
  schema.index({ workspace: 1, _id: 1 });
  schema.index(NEXT_INDEX, { partialFilterExpression: { next: { $type: 'string' } } });
  return db.model<Link>('Link', schema, 'links');
}
