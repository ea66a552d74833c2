import { Schema, type Model } from 'mongoose';
import type { Database } from '@waymark/shared/kernel/database';
import { isDuplicateKey } from '@waymark/shared/kernel/errors';
import { insertMissing } from '@waymark/shared/kernel/insert-missing';
import { codeKey, type Link } from './link.js';

/** A copy of the links that another service owns. */
export class LinkStore {
  private readonly links: Model<Link>;

  constructor(db: Database) {
    const schema = new Schema<Link>({
      _id: String,
      workspace: String,
      shortCode: String,
      codeKey: String,
      formerKeys: [String],
      shortUrl: String,
      title: String,
      campaign: String,
      status: String,
      revision: Number,
      lastScannedAt: Date,
    });
    schema.index({ workspace: 1, status: 1 });
    schema.index({ workspace: 1, codeKey: 1 });
    schema.index({ workspace: 1, formerKeys: 1 });
    schema.index({ workspace: 1, lastScannedAt: -1, _id: -1 });
    schema.index({ workspace: 1, campaign: 1 });
    this.links = db.model<Link>('Link', schema, 'links');
  }

  /** Takes a change over unless a later one is already here: changes may arrive in any order, and twice. */
  async put({ _id, ...link }: Link): Promise<void> {
    const older = { _id, revision: { $lt: link.revision } };
    try {
      await this.links.updateOne(older, { $set: link }, { upsert: true });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      // The row is there: as new as this one or newer, or another worker has made it just now from an older change.
      await this.links.updateOne(older, { $set: link });
    }
  }

  byId(workspace: string, id: string): Promise<Link | null> {
    return this.links
      .findOne({ _id: id, workspace, status: { $ne: 'deleted' } })
      .lean<Link>()
      .exec();
  }

  /** By the code it has now or had before. */
  byCode(workspace: string, shortCode: string): Promise<Link | null> {
    const key = codeKey(shortCode);
    return this.links
      .findOne({ workspace, $or: [{ codeKey: key }, { formerKeys: key }], status: { $ne: 'deleted' } })
      .lean<Link>()
      .exec();
  }

  /** Notes when links were scanned last. One that is not known yet waits without a workspace, where nobody finds it. */
  async markScanned(scans: ReadonlyMap<string, Date>): Promise<void> {
    const ids = [...scans.keys()].sort();
    if (await this.raiseLastScanned(ids, scans)) return;
    await insertMissing<Pick<Link, '_id' | 'revision'>>(
      this.links as never,
      ids.map((_id) => ({ _id, revision: 0 })),
    );
    await this.raiseLastScanned(ids, scans);
  }

  /** The latest scanned first, those never scanned at the end, the youngest first. */
  latestScanned(workspace: string, search: string | undefined, max: number): Promise<Link[]> {
    const searched = ['title', 'shortCode', 'formerKeys'];
    const matches = search === undefined ? {} : { $or: searched.map((field) => ({ [field]: like(search) })) };
    return this.links
      .find({ workspace, status: { $ne: 'deleted' }, ...matches })
      .sort({ lastScannedAt: -1, _id: -1 })
      .limit(max)
      .lean<Link[]>()
      .exec();
  }

  async campaigns(workspace: string): Promise<string[]> {
    const campaigns = await this.links.distinct('campaign', { workspace, status: { $ne: 'deleted' } }).exec();
    return campaigns.filter((campaign) => campaign !== null);
  }

  /** Links active now, narrowed by those filters of a selection that a link has itself. */
  countActive({ workspace, linkId, campaign }: { workspace: string; linkId?: string; campaign?: string }) {
    return this.links
      .countDocuments({
        workspace,
        status: 'active',
        ...(linkId !== undefined && { _id: linkId }),
        ...(campaign !== undefined && { campaign }),
      })
      .exec();
  }

  /** @returns true when all of them are here */
  private async raiseLastScanned(ids: string[], scans: ReadonlyMap<string, Date>): Promise<boolean> {
    const updates = ids.map((_id) => ({
      updateOne: { filter: { _id }, update: { $max: { lastScannedAt: scans.get(_id)! } } },
    }));
    return (await this.links.bulkWrite(updates)).matchedCount === ids.length;
  }
}

/** Anything that contains this text, in upper or lower case. */
function like(text: string): RegExp {
  return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i');
}
