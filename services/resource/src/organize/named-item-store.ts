import { Schema, type ClientSession, type IndexDefinition, type Model, type SchemaDefinition } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';
import { isDuplicateKey } from '@waymark/kernel/errors';
import { findPage } from '@waymark/kernel/mongo/find-page';
import type { Page, PageOf } from '@waymark/kernel/mongo/page';
import type { NamedItem } from './named-item.js';

const NAMED = { _id: String, workspace: String, name: String, nameKey: String, createdAt: Date, updatedAt: Date };

export interface ItemCollection {
  /** The name of the model. */
  model: string;
  collection: string;
  fields: SchemaDefinition;
  index?: IndexDefinition;
}

export class NamedItemStore<Item extends NamedItem> {
  protected readonly items: Model<Item>;

  constructor(db: Database, { model, collection, fields, index }: ItemCollection) {
    const schema = new Schema<Item>({ ...NAMED, ...fields } as never, { minimize: false, versionKey: false });
    schema.index({ workspace: 1, nameKey: 1 }, { unique: true });
    schema.index({ workspace: 1, createdAt: -1, _id: -1 });
    if (index) schema.index(index);
    this.items = db.model<Item>(model, schema, collection);
  }

  /** A taken name aborts the transaction. */
  async insertItem(item: Item, session: ClientSession): Promise<'stored' | 'name_taken'> {
    return this.unlessTaken(() => this.items.insertMany([item], { session, lean: true }));
  }

  /** Stores the editable fields. */
  async updateItem(item: Item, session: ClientSession): Promise<'stored' | 'name_taken'> {
    const { _id, workspace, linksCount: _counted, ...change } = item as Item & { linksCount?: number };
    const update = { $set: change } as object;
    return this.unlessTaken(() => this.items.updateOne(this.where(workspace, _id), update, { session }));
  }

  /** @returns the deleted item, or null if there was none */
  async deleteItem(workspace: string, id: string, session: ClientSession): Promise<Item | null> {
    return this.items.findOneAndDelete(this.where(workspace, id), { session }).lean<Item>().exec();
  }

  findItem(workspace: string, id: string, session?: ClientSession): Promise<Item | null> {
    return this.items.findOne(this.where(workspace, id), null, { session }).lean<Item>().exec();
  }

  findItems(workspace: string, ids: string[], session?: ClientSession): Promise<Item[]> {
    if (ids.length === 0) return Promise.resolve([]);
    return this.items
      .find(this.where(workspace, { $in: ids }), null, { session })
      .lean<Item[]>()
      .exec();
  }

  findPage(workspace: string, page: Page): Promise<PageOf<Item>> {
    return findPage({ model: this.items, where: this.where(workspace) }, page);
  }

  countItems(workspace: string, session?: ClientSession): Promise<number> {
    return this.items.countDocuments(this.where(workspace), { session }).exec();
  }

  protected where(workspace: string, id?: string | { $in: string[] }): object {
    return { workspace, ...(id !== undefined && { _id: id }) };
  }

  private async unlessTaken(write: () => Promise<unknown>): Promise<'stored' | 'name_taken'> {
    try {
      await write();
      return 'stored';
    } catch (error) {
      if (isDuplicateKey(error)) return 'name_taken';
      throw error;
    }
  }
}
