import type { Model, UpdateQuery } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';
import { upsertIfNewer } from '@waymark/kernel/mongo/upsert-if-newer';
import { DeletedContainers, type Detachment } from './deleted-containers.js';
import type { Link, ReceivedLink } from './link.js';
import { linkModel, NEXT_INDEX } from './link-model.js';

const DETACHED_AT_ONCE = 1000;
const REFUSAL_LENGTH_MAX = 500;

/** Whose links come next. */
interface Turn {
  /** The workspace that had the last turn, if there was one. */
  after?: string | null;
  excluded?: readonly string[];
}

/** Returns the workspace after which the next turn begins. */
export function lastWorkspaceOf(links: readonly Link[]): string | null {
  return links.at(-1)?.workspace ?? null;
}

/** Keeps the copies of links in sync with their owner, and tracks which versions the warehouse lacks. */
export class LinkCopies {
  private readonly links: Model<Link>;
  readonly deleted: DeletedContainers;

  constructor(private readonly db: Database) {
    this.links = linkModel(db);
    this.deleted = new DeletedContainers(db);
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

  /** Returns the copies of these links, of any workspace, without rows whose link has not arrived. */
  async findCopies(ids: string[]): Promise<Link[]> {
    // By the ids alone: with a condition on the workspace, a planner may read the index of all workspaces.
    const rows = await this.links.find({ _id: { $in: ids } }).lean<Partial<Link>[]>();
    return rows.filter((row): row is Link => row.workspace !== undefined);
  }

  /** Removes a deleted tag or folder from some of its links. @returns true once no link has it */
  async detachBatch(detachment: Detachment): Promise<boolean> {
    const found = await this.links
      .find({ workspace: detachment.workspace, [detachment.field]: detachment.id }, { _id: 1 })
      .limit(DETACHED_AT_ONCE)
      .lean<Pick<Link, '_id'>[]>();
    const ids = found.map(({ _id }) => _id);
    await this.detachFromLinks(detachment, ids);
    return ids.length < DETACHED_AT_ONCE;
  }

  private async detachFromLinks({ workspace, field, id }: Detachment, linkIds: readonly string[]): Promise<void> {
    const load = { next: 'load' as const };
    const removal = field === 'tagIds' ? { $pull: { tagIds: id }, $set: load } : { $set: { ...load, folderId: null } };
    const update = { ...removal, $inc: { version: 1 } };
    // The same order everywhere: two writers that lock the same links in different orders would deadlock.
    const updates = [...linkIds]
      .sort()
      .map((_id) => ({ updateOne: { filter: { workspace, [field]: id, _id }, update } }));
    if (updates.length > 0) await this.links.bulkWrite(updates);
  }

  /** Returns some links that the owner must complete, all of one workspace, which is none of the excluded ones. */
  async linksToComplete(limit: number, turn: Turn = {}): Promise<Link[]> {
    const found = await this.linksInTurn('ask', limit, turn);
    return found.filter(({ workspace }) => workspace === found[0]!.workspace);
  }

  /** Returns some links whose latest version the warehouse lacks. */
  linksToLoad(limit: number, turn: Turn = {}): Promise<Link[]> {
    return this.linksInTurn('load', limit, turn);
  }

  /** Records the loaded versions; a link that has changed in the meantime is loaded again. */
  async markLoaded(links: readonly Link[]): Promise<void> {
    const done = { $unset: { next: true as const, refusal: true as const } };
    const updates = links.map(({ _id, version }) => ({
      updateOne: { filter: { _id, version, next: 'load' as const }, update: done },
    }));
    if (updates.length > 0) await this.links.bulkWrite(updates, { ordered: false });
  }

  /** Sets aside a version that the warehouse refuses. */
  async setAside({ _id, version }: Link, cause: unknown): Promise<void> {
    const change = { next: 'refused' as const, refusal: String(cause).slice(0, REFUSAL_LENGTH_MAX) };
    await this.links.updateOne({ _id, version, next: 'load' }, { $set: change });
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

  /** Begins again with the first workspace when no later one has such links. */
  private async linksInTurn(next: Link['next'], limit: number, { after = null, excluded = [] }: Turn): Promise<Link[]> {
    const isIncluded = excluded.length > 0 ? { $nin: excluded } : {};
    if (after !== null) {
      const later = await this.linksWithNext(next, limit, { ...isIncluded, $gt: after });
      if (later.length > 0) return later;
    }
    return this.linksWithNext(next, limit, isIncluded);
  }

  private linksWithNext(next: Link['next'], limit: number, workspace = {}): Promise<Link[]> {
    const where = { next, ...(Object.keys(workspace).length > 0 && { workspace }) };
    // Without the hint, a planner may sort by the index of all links of each workspace, which has the same order.
    const found = this.links.find(where).sort({ workspace: 1, _id: 1 }).hint(NEXT_INDEX).limit(limit);
    return found.lean<Link[]>().exec();
  }

  /**
   * Removes tags and folders from links that have just been stored, if they are already deleted. A deletion is noted before
   * its links are searched, and a link is stored before the notes are read: whichever comes later sees the other.
   */
  private async detachDeleted(links: readonly ReceivedLink[]): Promise<void> {
    const detachments = new Map(links.flatMap(detachmentsOf).map((each) => [each.id, each]));
    if (detachments.size === 0) return;
    for (const id of await this.deleted.findDeleted([...detachments.keys()])) {
      const named = links.filter(({ folderId, tagIds = [] }) => folderId === id || tagIds.includes(id));
      await this.detachFromLinks(
        detachments.get(id)!,
        named.map(({ _id }) => _id),
      );
    }
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
