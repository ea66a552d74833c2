import type { ClientSession } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';
import { findSorted } from '@waymark/kernel/mongo/find-page';
import { correctDrifts, findDrifts, type Drifts } from '../links/link-count-drifts.js';
import type { LinkCountChange } from '../links/ports.js';
import type { NamedItem } from './named-item.js';
import { NamedItemStore, type ItemCollection } from './named-item-store.js';

/** A container of links: its row is removed only when the last link is detached. */
export interface LinkContainer extends NamedItem {
  linksCount: number;
  /** Since this time it is hidden, while its links are detached. */
  deletedAt: Date | null;
}

const OLDEST_DELETION_FIRST = { deletedAt: 1, _id: 1 } as const;

export class ContainerStore<Item extends LinkContainer> extends NamedItemStore<Item> {
  constructor(db: Database, collection: ItemCollection) {
    const fields = { ...collection.fields, linksCount: Number, deletedAt: Date };
    super(db, { ...collection, fields, index: { deletedAt: 1 } });
  }

  /** @returns false if it does not exist, so links cannot be added */
  async countLinks({ workspace, id, difference }: LinkCountChange, session: ClientSession): Promise<boolean> {
    const change = { $inc: { linksCount: difference } } as object;
    const { matchedCount } = await this.items.updateOne(this.where(workspace, id), change, { session });
    return matchedCount === 1;
  }

  /** Hides it and frees its name. */
  override deleteItem(workspace: string, id: string, session: ClientSession): Promise<Item | null> {
    const change = { $set: { deletedAt: new Date(), nameKey: id } } as object;
    return this.items
      .findOneAndUpdate(this.where(workspace, id), change, { session, returnDocument: 'before' })
      .lean<Item>()
      .exec();
  }

  /**
   * Returns one page of the deleted items, which may still have links, and the cursor of the next. In the order of the
   * deletion, so that the index bounds the read to deleted items.
   */
  findDeleted(limit: number, cursor?: string): Promise<{ items: Item[]; nextCursor: string | null }> {
    const query = { model: this.items, where: { deletedAt: { $gt: new Date(0) } }, sort: OLDEST_DELETION_FIRST };
    return findSorted(query, { page: 1, perPage: limit, cursor });
  }

  async removeDeleted(id: string): Promise<void> {
    await this.items.deleteOne({ _id: id, deletedAt: { $ne: null } } as object);
  }

  findDrifts(workspace: string, counts: ReadonlyMap<string, number>, session: ClientSession): Promise<Drifts> {
    return findDrifts(this.items, { where: this.where(workspace), counts }, session);
  }

  correctDrifts(drifts: Drifts): Promise<number> {
    return correctDrifts(this.items, drifts);
  }

  protected override where(workspace: string, id?: string | { $in: string[] }): object {
    return { ...super.where(workspace, id), deletedAt: null };
  }
}
