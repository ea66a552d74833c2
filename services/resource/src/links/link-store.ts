import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';
import { isDuplicateKey } from '@waymark/kernel/errors';
import { cursorAfter, findSorted, sortFieldOf } from '@waymark/kernel/mongo/find-page';
import { decodeCursor, type RequestedPage } from '@waymark/kernel/mongo/list-cursor';
import type { Availability } from '@waymark/contract/visit-fields';
import { whereAvailability } from './availability.js';
import { DESTINATION_FIELDS, type LinkDestinations } from './destinations.js';
import { codeKey, type Link, type ListedLink } from './link.js';

const place = { hostname: String, shortCode: String, _id: false };
const schema = new Schema<Link>(
  {
    _id: String,
    workspace: String,
    domainId: String,
    hostname: String,
    shortCode: String,
    formerCodes: [place],
    codeKeys: [String],
    title: String,
    destinationUrl: String,
    campaignTag: String,
    utmDefaults: Schema.Types.Mixed,
    queryPolicy: String,
    startsAt: Date,
    expiresAt: Date,
    expiredUrl: String,
    maxScans: Number,
    redirectStatus: Number,
    forwardPath: Boolean,
    isUsedUp: Boolean,
    endDueAt: Date,
    isEndAnnounced: Boolean,
    folderId: String,
    tagIds: [String],
    style: Schema.Types.Mixed,
    status: String,
    blocked: Schema.Types.Mixed,
    checkPending: Boolean,
    scansCount: Number,
    lastScannedAt: Date,
    createdBy: String,
    archivedAt: Date,
    createdAt: Date,
    updatedAt: Date,
    revision: Number,
    titleKey: String,
    words: [String],
  },
  { minimize: false, versionKey: false },
);
schema.index({ workspace: 1, codeKeys: 1 }, { unique: true });
schema.index({ workspace: 1, createdAt: -1, _id: -1 });
schema.index({ workspace: 1, updatedAt: -1, _id: -1 });
schema.index({ workspace: 1, status: 1, createdAt: -1, _id: -1 });
schema.index({ workspace: 1, folderId: 1, createdAt: -1, _id: -1 });
schema.index({ workspace: 1, tagIds: 1, createdAt: -1, _id: -1 });
schema.index({ workspace: 1, campaignTag: 1, createdAt: -1, _id: -1 });
schema.index({ workspace: 1, domainId: 1, createdAt: -1, _id: -1 });
schema.index({ workspace: 1, titleKey: 1, _id: 1 });
schema.index({ workspace: 1, scansCount: -1, _id: -1 });
schema.index({ workspace: 1, words: 1 });
schema.index({ workspace: 1, startsAt: 1 }, { partialFilterExpression: { startsAt: { $type: 'date' } } });
schema.index({ workspace: 1, expiresAt: 1 }, { partialFilterExpression: { expiresAt: { $type: 'date' } } });
schema.index({ workspace: 1, isUsedUp: 1 }, { partialFilterExpression: { isUsedUp: true } });
schema.index({ endDueAt: 1 }, { partialFilterExpression: { endDueAt: { $type: 'date' } } });
schema.index({ checkPending: 1, _id: 1 }, { partialFilterExpression: { checkPending: true } });

/** The number of scans to add to a link, which may be negative, and the time of the latest. */
export interface ScanCount {
  scans: number;
  lastScannedAt: Date | null;
}

export interface LinkFilter {
  status?: Link['status'];
  availability?: Availability;
  folderId?: string;
  tagId?: string;
  campaign?: string;
  domainId?: string;
  updatedSince?: Date;
  /** Each is a prefix of a word of the link. */
  words?: string[];
}
export interface LinkSearch {
  workspace: string;
  filter: LinkFilter;
  /** Ends each query of a list; see `readList`. An export has none: it must not fail after it has started. */
  maxTimeMS?: number;
}

/** The fields that lists sort by. */
const SORT_FIELDS = { createdAt: 1, updatedAt: 1, titleKey: 1, scansCount: 1 } as const;
export type SortField = keyof typeof SORT_FIELDS | '_id';
/** Fields whose values have counters of links. */
export type CountedField = 'status' | 'folderId' | 'tagIds' | 'domainId';
export type LinkOrder = Partial<Record<SortField, 1 | -1>>;

/** The part of a link that decides whether it is blocked. */
export type SweptLink = Pick<Link, '_id' | 'workspace' | 'blocked' | 'checkPending'> & LinkDestinations;
const SWEPT_FIELDS = Object.fromEntries(
  ['workspace', 'blocked', 'checkPending', ...Object.values(DESTINATION_FIELDS)].map((name) => [name, 1]),
);

/** A reply of the database is decoded in one turn of the event loop, and each link may have 20 kB. */
const CODES_AT_ONCE = 50;
/** A hundred links with a hundred former codes each would take 50 ms to decode. */
const NOT_LISTED = { formerCodes: 0, codeKeys: 0, words: 0 } as const satisfies Record<
  Exclude<keyof Link, keyof ListedLink>,
  0
>;

/** Every query of a request names its workspace, so links of other workspaces are never found. */
export class LinkStore {
  private readonly links: Model<Link>;

  constructor(private readonly db: Database) {
    this.links = db.model<Link>('Link', schema, 'links');
  }

  /** A taken code aborts the transaction. */
  async insertLinks(links: Link[], session: ClientSession): Promise<'stored' | 'short_code_taken'> {
    try {
      // The same order everywhere, as with codes.
      const sorted = links.toSorted((a, b) => (a.codeKeys[0]! < b.codeKeys[0]! ? -1 : 1));
      await this.links.insertMany(sorted, { session, lean: true });
      return 'stored';
    } catch (error) {
      if (isDuplicateKey(error)) return 'short_code_taken';
      throw error;
    }
  }

  /** Stores the editable fields if the revisions are still those of `before`; leaves the scan counts unchanged. */
  async updateLinks(
    changes: readonly { before: Link; after: Link }[],
    session: ClientSession,
  ): Promise<'stored' | 'short_code_taken' | 'changed_meanwhile'> {
    // The same order everywhere, as in `addScans`.
    const sorted = changes.toSorted(({ after: a }, { after: b }) => (a._id < b._id ? -1 : Number(a._id > b._id)));
    try {
      // Not by the model, which would cast each former code.
      const writes = sorted.map(replacement) as never[];
      const { matchedCount } = await this.links.collection.bulkWrite(writes, { session, ordered: true });
      return matchedCount === changes.length ? 'stored' : 'changed_meanwhile';
    } catch (error) {
      if (isDuplicateKey(error)) return 'short_code_taken';
      throw error;
    }
  }

  async deleteLink({ _id, workspace }: Link, session: ClientSession): Promise<void> {
    await this.links.deleteOne({ _id, workspace }, { session });
  }

  findLink(workspace: string, id: string, session?: ClientSession): Promise<Link | null> {
    return this.links.findOne({ _id: id, workspace }, null, { session }).lean<Link>().exec();
  }

  /** Finds a link of any workspace, for the operator. */
  findAnyLink(id: string): Promise<Link | null> {
    return this.links.findById(id).lean<Link>().exec();
  }

  /** Returns the next links of all workspaces in the order of their ids. */
  findSwept(after: string, limit: number): Promise<SweptLink[]> {
    return this.links
      .find({ _id: { $gt: after } }, SWEPT_FIELDS)
      .sort({ _id: 1 })
      .limit(limit)
      .lean<SweptLink[]>()
      .exec();
  }

  /** Returns the next links whose destinations have to be checked, in the order of their ids. */
  findPending(after: string, limit: number): Promise<SweptLink[]> {
    return this.links
      .find({ checkPending: true, _id: { $gt: after } }, SWEPT_FIELDS)
      .sort({ _id: 1 })
      .limit(limit)
      .lean<SweptLink[]>()
      .exec();
  }

  async markPending(links: readonly SweptLink[]): Promise<void> {
    const ids = links.map(({ _id }) => _id);
    await this.links.updateMany({ _id: { $in: ids } }, { $set: { checkPending: true } }, { timestamps: false });
  }

  countPending(): Promise<number> {
    return this.links.countDocuments({ checkPending: true }).exec();
  }

  /** No other service knows of the mark: it is no change of the link. */
  async clearPending(links: readonly SweptLink[]): Promise<void> {
    const writes = links.map(({ _id, ...link }) => {
      const filter = { _id, ...pick(link, Object.values(DESTINATION_FIELDS)) };
      return { updateOne: { filter, update: { $set: { checkPending: false } } } };
    });
    if (writes.length > 0) await this.links.bulkWrite(writes, { ordered: false, timestamps: false });
  }

  /** Finds a link by its current or a former code, on any host: each code is unique in its workspace. */
  findByCode(workspace: string, shortCode: string): Promise<Link | null> {
    return this.links
      .findOne({ workspace, codeKeys: codeKey(shortCode) })
      .lean<Link>()
      .exec();
  }

  /** The same for several codes. */
  async findByCodes(workspace: string, shortCodes: string[], session?: ClientSession): Promise<Link[]> {
    const found = new Map<string, Link>();
    for (let start = 0; start < shortCodes.length; start += CODES_AT_ONCE) {
      const codeKeys = { $in: shortCodes.slice(start, start + CODES_AT_ONCE).map(codeKey) };
      const links = await this.links.find({ workspace, codeKeys }, null, { session }).lean<Link[]>();
      for (const link of links) found.set(link._id, link);
    }
    return [...found.values()];
  }

  findPage({ workspace, filter, maxTimeMS }: LinkSearch, order: LinkOrder, page: RequestedPage) {
    const query = { where: queryOf(workspace, filter), sort: order, fields: NOT_LISTED, maxTimeMS };
    return findSorted<ListedLink>({ model: this.links as never, ...query }, page);
  }

  /** Returns the position where a list in this order continues, as a link with only the sort fields. */
  decodeCursor(order: LinkOrder, cursor: string): { last: Pick<Link, SortField>; readCount: number } {
    const field = sortFieldOf(this.links, order);
    const { value, id, readCount } = decodeCursor(field, cursor);
    return { last: { [field.name]: value, _id: id } as never, readCount };
  }

  cursorAfter(order: LinkOrder, last: Pick<Link, SortField>, readCount: number): string {
    return cursorAfter(sortFieldOf(this.links, order), last, readCount);
  }

  /** Returns the sort fields of every match, or `null` if more than `max` links match. */
  async findSortKeys(
    { workspace, filter, maxTimeMS }: LinkSearch,
    max: number,
  ): Promise<Pick<Link, SortField>[] | null> {
    const found = await this.links
      .find(queryOf(workspace, filter), SORT_FIELDS, { maxTimeMS })
      .limit(max + 1)
      .lean<Pick<Link, SortField>[]>();
    return found.length > max ? null : found;
  }

  /** Returns the existing links, in the order of the ids. */
  async findLinks(workspace: string, ids: string[], session?: ClientSession): Promise<Link[]> {
    if (ids.length === 0) return [];
    const links = await this.links.find({ _id: { $in: ids }, workspace }, null, { session }).lean<Link[]>();
    return inOrderOf(ids, links);
  }

  /** The same without the fields that lists do not show. */
  async findListed(workspace: string, ids: string[]): Promise<ListedLink[]> {
    if (ids.length === 0) return [];
    return inOrderOf(ids, await this.links.find({ _id: { $in: ids }, workspace }, NOT_LISTED).lean<ListedLink[]>());
  }

  /** Counts the matches, up to a limit. */
  countUpTo({ workspace, filter, maxTimeMS }: LinkSearch, limit: number): Promise<number> {
    return this.links.countDocuments(queryOf(workspace, filter), { limit, maxTimeMS }).exec();
  }

  /** Counts all matches without a time limit, for a workspace that has no counter yet. */
  countAll(workspace: string, filter: LinkFilter): Promise<number> {
    return this.db.longRunning(this.links).countDocuments(queryOf(workspace, filter)).exec();
  }

  /** Detaches up to `limit` links from a folder or a tag. @returns the number of links */
  async detachLinks(workspace: string, from: { folderId: string } | { tagId: string }, limit: number): Promise<number> {
    const where = queryOf(workspace, from);
    const change = {
      ...('tagId' in from && { $pull: { tagIds: from.tagId } }),
      $set: { ...('folderId' in from && { folderId: null }), updatedAt: new Date() },
    };
    const rows = await this.links.find(where, { _id: 1 }).limit(limit).lean<{ _id: string }[]>();
    // In a fixed order and each on its own, so that concurrent writers cannot deadlock.
    const ids = rows.map(({ _id }) => _id).sort();
    if (ids.length === 0) return 0;
    const writes = ids.map((_id) => ({ updateOne: { filter: { _id, ...where }, update: change } }));
    await this.links.bulkWrite(writes, { ordered: true, timestamps: false });
    return ids.length;
  }

  /** Counts links by the value of a field, in a snapshot. */
  async countByField(field: CountedField, workspace: string, session: ClientSession): Promise<Map<string, number>> {
    const rows = await this.links.aggregate<{ _id: string | null; links: number }>(
      [
        { $match: { workspace } },
        ...(field === 'tagIds' ? [{ $unwind: '$tagIds' }] : []),
        { $group: { _id: `$${field}`, links: { $sum: 1 } } },
      ],
      { session },
    );
    return new Map(rows.map(({ _id, links }) => [_id ?? '', links]));
  }

  /** Returns the links whose end is to be announced, the earliest first. */
  findDueEnds(now: Date, limit: number): Promise<Pick<Link, '_id' | 'workspace'>[]> {
    return this.links
      .find({ endDueAt: { $lte: now } }, { workspace: 1 })
      .sort({ endDueAt: 1 })
      .limit(limit)
      .lean<Pick<Link, '_id' | 'workspace'>[]>()
      .exec();
  }

  async addScans(counts: ReadonlyMap<string, ScanCount>, session: ClientSession): Promise<void> {
    // The same order everywhere: workers that lock the same links in different orders would deadlock.
    const ids = [...counts.keys()].sort();
    for (let start = 0; start < ids.length; start += UPDATES_AT_ONCE) {
      const updates = ids.slice(start, start + UPDATES_AT_ONCE).map((id) => {
        const { scans, lastScannedAt } = counts.get(id)!;
        const update = { $inc: { scansCount: scans }, ...(lastScannedAt && { $max: { lastScannedAt } }) };
        return { updateOne: { filter: { _id: id }, update } };
      });
      await this.links.collection.bulkWrite(updates as never[], { session, ordered: true });
      await this.compareWithLimits(ids.slice(start, start + UPDATES_AT_ONCE), session);
    }
  }

  /** Marks the links whose scans have reached their limit; those that a correction took below it are open again. */
  private async compareWithLimits(ids: string[], session: ClientSession): Promise<void> {
    const isUsedUp = { $gte: ['$scansCount', '$maxScans'] };
    const isDue = { $and: [isUsedUp, { $eq: ['$status', 'active'] }, { $ne: ['$isEndAnnounced', true] }] };
    await this.links.updateMany(
      { _id: { $in: ids }, maxScans: { $gt: 0 } },
      [{ $set: { isUsedUp, endDueAt: { $cond: [isDue, '$$NOW', '$endDueAt'] } } }],
      { session, timestamps: false, updatePipeline: true },
    );
  }
}

const UPDATES_AT_ONCE = 500;
/** Fields that no change of a link writes. */
const FIXED_FIELDS = ['_id', 'workspace', 'scansCount', 'lastScannedAt', 'createdBy', 'createdAt'];
const CHANGED_FIELDS = Object.keys(schema.paths).filter((name) => !FIXED_FIELDS.includes(name)) as (keyof Link)[];

function replacement({ before, after }: { before: Link; after: Link }) {
  const { _id, workspace } = after;
  const present = CHANGED_FIELDS.filter((name) => after[name] !== undefined);
  const change = Object.fromEntries(present.map((name) => [name, after[name]]));
  return { updateOne: { filter: { _id, workspace, revision: before.revision }, update: { $set: change } } };
}

const pick = <T extends object, K extends keyof T>(link: T, names: readonly K[]): Pick<T, K> =>
  Object.fromEntries(names.map((name) => [name, link[name]])) as Pick<T, K>;

function inOrderOf<L extends ListedLink>(ids: string[], links: L[]): L[] {
  const byId = new Map(links.map((link) => [link._id, link]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

function queryOf(workspace: string, filter: LinkFilter) {
  const { status, availability, folderId, tagId, campaign, domainId, updatedSince, words = [] } = filter;
  // The words have only letters and digits, so they need no escaping in an expression.
  const conditions: object[] = words.map((word) => ({ words: new RegExp(`^${word}`) }));
  if (availability) conditions.push(whereAvailability(availability, new Date()));
  return {
    workspace,
    ...(status !== undefined && { status }),
    ...(folderId !== undefined && { folderId }),
    ...(tagId !== undefined && { tagIds: tagId }),
    ...(campaign !== undefined && { campaignTag: campaign }),
    ...(domainId !== undefined && { domainId }),
    ...(updatedSince && { updatedAt: { $gte: updatedSince } }),
    ...(conditions.length > 0 && { $and: conditions }),
  };
}
