import { Schema, type Model } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';
import { upsertIfNewer } from '@waymark/kernel/mongo/upsert-if-newer';

/** The copy of a tag. */
export interface Tag {
  _id: string;
  workspace: string;
  name: string;
  color: string | null;
  /** The time of the tag's own event in milliseconds; 0 for a tag that is known from a link only. */
  revision: number;
}

/** The names and colours of tags, which `scan.logged` tells with the link. */
export class TagStore {
  private readonly tags: Model<Tag>;

  constructor(db: Database) {
    const schema = new Schema<Tag>(
      { _id: String, workspace: String, name: String, color: String, revision: Number },
      { versionKey: false },
    );
    schema.index({ workspace: 1 });
    this.tags = db.model<Tag>('Tag', schema, 'tags');
  }

  /** Stores each tag unless the same or a newer version is stored. */
  saveTags(tags: readonly Tag[]): Promise<void> {
    return upsertIfNewer(this.tags, tags, (replacement, guard) => ({ replaceOne: { ...guard, replacement } }));
  }

  async findTags(ids: string[]): Promise<ReadonlyMap<string, Tag>> {
    if (ids.length === 0) return new Map();
    const found = await this.tags.find({ _id: { $in: ids } }).lean<Tag[]>();
    return new Map(found.map((tag) => [tag._id, tag]));
  }

  async deleteTag(id: string): Promise<void> {
    await this.tags.deleteOne({ _id: id });
  }
}
