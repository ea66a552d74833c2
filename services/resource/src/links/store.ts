import { Schema, type ClientSession, type Model } from 'mongoose';
import type { LinkStatus } from '@waymark/shared/contract/links';
import type { Database } from '@waymark/shared/kernel/database';
import { isDuplicateKey } from '@waymark/shared/kernel/errors';
import { findPage } from '@waymark/shared/kernel/find-page';
import type { Page, PageOf } from '@waymark/shared/kernel/http/reply';
import { codeKey, type Link } from './link.js';

const schema = new Schema<Link>(
  {
    _id: String,
    workspace: String,
    hostname: String,
    shortCode: String,
    codeKey: String,
    title: String,
    destinationUrl: String,
    campaignTag: String,
    utmDefaults: Schema.Types.Mixed,
    status: String,
    scansCount: Number,
    lastScannedAt: Date,
    createdBy: String,
    archivedAt: Date,
    createdAt: Date,
    updatedAt: Date,
    revision: Number,
  },
  { minimize: false },
);
schema.index({ hostname: 1, codeKey: 1 }, { unique: true });
schema.index({ workspace: 1, codeKey: 1 }, { unique: true });
schema.index({ workspace: 1, createdAt: -1, _id: -1 });
schema.index({ workspace: 1, status: 1, createdAt: -1, _id: -1 });

export type LinkChange = Partial<Omit<Link, '_id' | 'workspace' | 'revision'>>;

/** Every query names its workspace: a link of another one does not exist here. */
export class LinkStore {
  private readonly links: Model<Link>;

  constructor(db: Database) {
    this.links = db.model<Link>('Link', schema, 'links');
  }

  /** A taken code ends the transaction it was tried in. */
  async insert(link: Link, session: ClientSession): Promise<'inserted' | 'short_code_taken'> {
    try {
      await this.links.insertMany([link], { session, lean: true });
      return 'inserted';
    } catch (error) {
      if (isDuplicateKey(error)) return 'short_code_taken';
      throw error;
    }
  }

  byId(workspace: string, id: string, session?: ClientSession): Promise<Link | null> {
    return this.links.findOne({ _id: id, workspace }, null, { session }).lean<Link>().exec();
  }

  byCode(hostname: string | null, shortCode: string): Promise<Link | null> {
    return this.links
      .findOne({ hostname, codeKey: codeKey(shortCode) })
      .lean<Link>()
      .exec();
  }

  /** On whichever host: a code is unique in its workspace too. */
  byCodeIn(workspace: string, shortCode: string): Promise<Link | null> {
    return this.links
      .findOne({ workspace, codeKey: codeKey(shortCode) })
      .lean<Link>()
      .exec();
  }

  list(workspace: string, filter: { status?: LinkStatus }, page: Page): Promise<PageOf<Link>> {
    const where = { workspace, ...(filter.status && { status: filter.status }) };
    return findPage(this.links, where, page);
  }

  /** Applies the change to exactly the revision it was made from. */
  async update(
    before: Link,
    change: LinkChange,
    session: ClientSession,
  ): Promise<'updated' | 'short_code_taken' | 'changed_meanwhile'> {
    try {
      const result = await this.links.updateOne(
        { _id: before._id, workspace: before.workspace, revision: before.revision },
        { $set: change, $inc: { revision: 1 } },
        { session },
      );
      return result.matchedCount === 1 ? 'updated' : 'changed_meanwhile';
    } catch (error) {
      if (isDuplicateKey(error)) return 'short_code_taken';
      throw error;
    }
  }

  delete(workspace: string, id: string, session: ClientSession): Promise<Link | null> {
    return this.links.findOneAndDelete({ _id: id, workspace }, { session }).lean<Link>().exec();
  }

  async countScans(counts: Map<string, { scans: number; lastScannedAt: Date }>, session: ClientSession): Promise<void> {
    // One order everywhere: two workers that lock the same links in different orders would block each other.
    const ids = [...counts.keys()].sort();
    await this.links.bulkWrite(
      ids.map((id) => {
        const { scans, lastScannedAt } = counts.get(id)!;
        return { updateOne: { filter: { _id: id }, update: { $inc: { scansCount: scans }, $max: { lastScannedAt } } } };
      }),
      { session, ordered: true, timestamps: false },
    );
  }
}
