import { Schema, type Model, type UpdateQuery } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';
import { upsertIfNewer } from '@waymark/kernel/mongo/upsert-if-newer';
import type { Link, ReceivedLink } from './link.js';
import { linkModel } from './link-model.js';

/** The tag or folder that a deletion removes from links. */
export interface Detachment {
  workspace: string;
  field: 'tagIds' | 'folderId';
  id: string;
}

/** A deleted tag or folder: earlier changes of links that name it may still arrive. */
interface DeletedContainer {
  _id: string;
  deletedAt: Date;
}

/** Longer than a message can be in the queue. */
const DELETED_TTL_SECONDS = 90 * 24 * 3600;
const DETACHED_AT_ONCE = 1000;
const REFUSAL_LENGTH_MAX = 500;

/** Keeps the copies of links in sync with their owner, and tracks which versions the warehouse lacks. */
export class LinkCopies {
  private readonly links: Model<Link>;
  private readonly deleted: Model<DeletedContainer>;

  constructor(private readonly db: Database) {
    this.links = linkModel(db);
    const schema = new Schema<DeletedContainer>({ _id: String, deletedAt: Date });
    schema.index({ deletedAt: 1 }, { expireAfterSeconds: DELETED_TTL_SECONDS });
    this.deleted = db.model<DeletedContainer>('DeletedHolder', schema, 'deleted_holders');
  }

  /** Applies changes unless later ones are stored; keeps the time of the last scan. */
  async putLinks(links: readonly ReceivedLink[]): Promise<void> {
    await upsertIfNewer(this.links, links as readonly Link[], (link, guard) => ({
      updateOne: { ...guard, update: updateTo(link) },
    }));
    await this.detachDeleted(links);
  }

  /** Adds the missing fields of these links. A link that the owner no longer has gets no domain, folder or tag. */
  async completeLinks(workspace: string, ids: readonly string[], received: readonly ReceivedLink[]): Promise<void> {
    const byId = new Map(received.map((link) => [link._id, link]));
    const updates = ids.map((_id) => {
      const link = byId.get(_id);
      // A newer change that has arrived in the meantime has its own fields.
      const filter = { _id, workspace, next: 'ask' as const, ...(link && { revision: { $lte: link.revision } }) };
      return { updateOne: { filter, update: updateTo(link ?? NO_ORGANIZATION) } };
    });
    await this.links.bulkWrite(updates, { ordered: false });
    await this.detachDeleted(received);
  }

  /**
   * Removes a deleted tag or folder from its links. `put` checks the deleted ones after it stores a link: of the two
   * writers, the later one sees the other's write.
   */
  async detachFromLinks({ workspace, field, id }: Detachment): Promise<void> {
    const deleted = { $setOnInsert: { deletedAt: await this.db.now() } };
    await this.deleted.updateOne({ _id: id }, deleted, { upsert: true });
    const load = { next: 'load' as const };
    const removal = field === 'tagIds' ? { $pull: { tagIds: id }, $set: load } : { $set: { ...load, folderId: null } };
    const change = { ...removal, $inc: { version: 1 } };
    const where = { workspace, [field]: id };
    for (;;) {
      const found = await this.links.find(where, { _id: 1 }).limit(DETACHED_AT_ONCE).lean<Pick<Link, '_id'>[]>();
      const ids = found.map(({ _id }) => _id).sort();
      const updates = ids.map((_id) => ({ updateOne: { filter: { ...where, _id }, update: change } }));
      if (updates.length > 0) await this.links.bulkWrite(updates);
      if (updates.length < DETACHED_AT_ONCE) return;
    }
  }

  /** Returns some links of one workspace, except those of the excluded ones, that the owner must complete. */
  async linksToComplete(limit: number, excluded: readonly string[] = []): Promise<Link[]> {
    const found = await this.linksWithNext('ask', limit, excluded);
    return found.filter(({ workspace }) => workspace === found[0]!.workspace);
  }

  /** Returns some links whose latest version the warehouse lacks. */
  linksToLoad(limit: number): Promise<Link[]> {
    return this.linksWithNext('load', limit);
  }

  /** Records the loaded versions; a link that has changed in the meantime is loaded again. */
  async markLoaded(links: readonly Link[]): Promise<void> {
    const done = { $unset: { next: true as const, refusal: true as const } };
    const updates = links.map(({ _id, version }) => ({
      updateOne: { filter: { _id, version, next: 'load' as const }, update: done },
    }));
    if (updates.length > 0) await this.links.bulkWrite(updates, { ordered: false });
  }

  /** Sets aside a version that the warehouse refuses. The driver stores it, because the version itself may be damaged. */
  async setAside({ _id, version }: Link, cause: unknown): Promise<void> {
    const change = { next: 'refused' as const, refusal: String(cause).slice(0, REFUSAL_LENGTH_MAX) };
    await this.links.collection.updateOne({ _id, version, next: 'load' } as never, { $set: change });
  }

  countSetAside(): Promise<number> {
    return this.links.countDocuments({ next: 'refused' }).exec();
  }

  /** Lists some links that the warehouse refuses, and why. */
  async listSetAside(limit: number): Promise<{ _id: string; workspace: string; error?: string }[]> {
    const links = await this.linksWithNext('refused', limit);
    return links.map(({ _id, workspace, refusal: error }) => ({ _id, workspace, error }));
  }

  /** Has all links that were set aside loaded again. @returns the number of links */
  async retrySetAside(): Promise<number> {
    const change = { $set: { next: 'load' as const }, $unset: { refusal: true as const } };
    return (await this.links.updateMany({ next: 'refused' }, change)).modifiedCount;
  }

  /** Marks every complete link to be loaded again. */
  async markAllForLoading(): Promise<void> {
    const isComplete = { tagIds: { $exists: true }, next: { $exists: false } };
    await this.db.longRunning(this.links).updateMany(isComplete, { $set: { next: 'load' } });
  }

  private linksWithNext(next: Link['next'], limit: number, excluded: readonly string[] = []): Promise<Link[]> {
    const where = { next, ...(excluded.length > 0 && { workspace: { $nin: excluded } }) };
    return this.links.find(where).sort({ workspace: 1, _id: 1 }).limit(limit).lean<Link[]>().exec();
  }

  private async detachDeleted(links: readonly ReceivedLink[]): Promise<void> {
    const detachments = new Map(links.flatMap(detachmentsOf).map((each) => [each.id, each]));
    if (detachments.size === 0) return;
    const deleted = await this.deleted.find({ _id: { $in: [...detachments.keys()] } }).lean<DeletedContainer[]>();
    for (const { _id } of deleted) await this.detachFromLinks(detachments.get(_id)!);
  }
}

const NO_ORGANIZATION: Partial<Link> = { domainId: null, folderId: null, tagIds: [], next: 'load' };

/** Removes absent fields; `completeLinks` gets them from the owner. */
function updateTo(link: Partial<Link>): UpdateQuery<Link> {
  const given = Object.entries(link).filter(([name, value]) => name !== '_id' && value !== undefined);
  const absent = (['domainId', 'folderId', 'tagIds'] as const).filter((name) => link[name] === undefined);
  return {
    $set: Object.fromEntries(given),
    $inc: { version: 1 },
    ...(absent.length > 0 && { $unset: Object.fromEntries(absent.map((name) => [name, true])) }),
  };
}

function detachmentsOf({ workspace, folderId, tagIds = [] }: ReceivedLink): Detachment[] {
  const tags = tagIds.map((id) => ({ workspace, field: 'tagIds' as const, id }));
  return folderId ? [...tags, { workspace, field: 'folderId', id: folderId }] : tags;
}
