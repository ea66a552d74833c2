import { Schema, type Model } from 'mongoose';
import type { Database } from '@waymark/shared/kernel/database';
import { isDuplicateKey } from '@waymark/shared/kernel/errors';
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
      shortUrl: String,
      title: String,
      campaign: String,
      status: String,
      revision: Number,
    });
    schema.index({ workspace: 1, status: 1 });
    schema.index({ workspace: 1, codeKey: 1 });
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

  byCode(workspace: string, shortCode: string): Promise<Link | null> {
    return this.links
      .findOne({ workspace, codeKey: codeKey(shortCode), status: { $ne: 'deleted' } })
      .lean<Link>()
      .exec();
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
}
