import { Schema, type Model } from 'mongoose';
import type { Database } from '@waymark/shared/kernel/database';
import { insertMissing } from '@waymark/shared/kernel/insert-missing';
import { literalPattern } from '@waymark/shared/kernel/literal-pattern';
import { saveNewest } from '@waymark/shared/kernel/save-newest';
import type { Link } from './link.js';

/** A copy of the links that another service owns. */
export class LinkStore {
  private readonly links: Model<Link>;

  constructor(db: Database) {
    const schema = new Schema<Link>({
      _id: String,
      workspace: String,
      shortCode: String,
      formerKeys: [String],
      title: String,
      campaign: String,
      status: String,
      revision: Number,
      lastScannedAt: Date,
    });
    schema.index({ workspace: 1, status: 1 });
    schema.index({ workspace: 1, lastScannedAt: -1, _id: -1 });
    schema.index({ workspace: 1, campaign: 1 });
    this.links = db.model<Link>('Link', schema, 'links');
  }

  /** Takes changes over unless later ones are already here; when it was scanned last is left alone. */
  async put(links: readonly Link[]): Promise<void> {
    await saveNewest(this.links, links, ({ _id: _, ...link }, guard) => ({
      updateOne: { ...guard, update: { $set: link } },
    }));
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

  /** In alphabetical order. */
  async campaigns(workspace: string, max: number): Promise<string[]> {
    const campaigns = await this.links.aggregate<{ _id: string }>([
      { $match: { workspace, status: { $ne: 'deleted' }, campaign: { $type: 'string' } } },
      { $group: { _id: '$campaign' } },
      { $sort: { _id: 1 } },
      { $limit: max },
    ]);
    return campaigns.map(({ _id }) => _id);
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
  return new RegExp(literalPattern(text), 'i');
}
