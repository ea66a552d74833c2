import type { Model } from 'mongoose';
import { KeyedLimit } from '@waymark/kernel/limits/keyed-limit';
import type { Database } from '@waymark/kernel/mongo/database';
import { LIST_MAX_MS, readList } from '@waymark/kernel/mongo/find-page';
import { insertMissing } from '@waymark/kernel/mongo/insert-missing';
import { literalPattern } from '@waymark/kernel/mongo/literal-pattern';
import { NONE, type Filter, type FilterName } from '../warehouse/query/scan-query.js';
import type { Link } from './link.js';
import { linkModel } from './link-model.js';

export interface LinkSearch {
  workspace: string;
  /** Text contained in the title or in a short code, case-insensitive. */
  search: string | undefined;
}

export interface RemainingLinksPosition {
  /** When `latestScannedLinks` was read. */
  readAt: Date;
  /** The last link of that page. */
  last: Pick<Link, '_id' | 'lastScannedAt'>;
  afterId: string;
}

export interface CampaignsPage {
  after: string;
  search: string | undefined;
  max: number;
}

const SEARCHED_FIELDS = ['title', 'shortCode', 'formerKeys'];

/** The filters that apply to links, and the value that selects links without one. */
const LINK_FILTERS = {
  link: { field: '_id', none: undefined },
  campaign: { field: 'campaign', none: NONE },
  domain: { field: 'domainId', none: NONE },
  folder: { field: 'folderId', none: NONE },
  tag: { field: 'tagIds', none: NONE },
} as const satisfies Partial<Record<FilterName, { field: string; none: string | undefined }>>;

/**
 * Queries that may read every link of a workspace: further ones wait, so that no workspace takes the database connections
 * of the others and of the ingestion.
 */
const WIDE_QUERIES = { total: 8, perKey: 3 };

/** One load has the scans of up to 50,000 links: all at a time would block the event loop for half a second. */
const UPDATES_AT_ONCE = 500;

interface WideQuery {
  workspace: string;
  /** See `readList`. */
  advice: string | null;
}

/** A copy of the links that another service owns. */
export class LinkStore {
  private readonly links: Model<Link>;
  private readonly wideQueries = new KeyedLimit(WIDE_QUERIES);

  constructor(db: Database) {
    this.links = linkModel(db);
  }

  /**
   * Records the latest scans of links. For an unknown link it stores a row without a workspace, which no query finds.
   */
  async recordLastScans(scans: ReadonlyMap<string, Date>): Promise<void> {
    const all = [...scans.keys()];
    for (let start = 0; start < all.length; start += UPDATES_AT_ONCE) {
      // One order in every operation: two that lock the same links in different orders would block each other.
      const ids = all.slice(start, start + UPDATES_AT_ONCE).sort();
      if (await this.raiseLastScanned(ids, scans)) continue;
      await insertMissing<Pick<Link, '_id' | 'revision'>>(
        this.links as never,
        ids.map((_id) => ({ _id, revision: 0 })),
      );
      await this.raiseLastScanned(ids, scans);
    }
  }

  /** The most recently scanned links first; links without scans last, by descending id. */
  latestScannedLinks({ workspace, search }: LinkSearch, max: number): Promise<Link[]> {
    const found = this.links
      .find({ workspace, status: { $ne: 'deleted' }, ...searchCondition(search) })
      .sort({ lastScannedAt: -1, _id: -1 })
      .limit(max)
      .maxTimeMS(LIST_MAX_MS)
      .lean<Link[]>();
    return this.runWideQuery({ workspace, advice: adviceFor(search) }, () => found.exec());
  }

  /**
   * Returns the links after those of `latestScannedLinks`, in the order of their ids, and the links that were scanned since.
   */
  remainingLinks({ workspace, search }: LinkSearch, rest: RemainingLinksPosition, max: number): Promise<Link[]> {
    const found = this.links
      .find({
        workspace,
        status: { $ne: 'deleted' },
        _id: { $gt: rest.afterId },
        $and: [searchCondition(search), { $or: [...scannedBefore(rest.last), { notedAt: { $gte: rest.readAt } }] }],
      })
      .sort({ _id: 1 })
      .limit(max)
      .maxTimeMS(LIST_MAX_MS)
      .lean<Link[]>();
    return this.runWideQuery({ workspace, advice: adviceFor(search) }, () => found.exec());
  }

  /** In alphabetical order. */
  async listCampaigns(workspace: string, { after, search, max }: CampaignsPage): Promise<string[]> {
    const campaigns = this.links.aggregate<{ _id: string }>(
      [
        { $match: { workspace, status: { $ne: 'deleted' }, campaign: { $type: 'string', $gt: after } } },
        ...(search === undefined ? [] : [{ $match: { campaign: containsPattern(search) } }]),
        { $group: { _id: '$campaign' } },
        { $sort: { _id: 1 } },
        { $limit: max },
      ],
      { maxTimeMS: LIST_MAX_MS },
    );
    return (await this.runWideQuery({ workspace, advice: adviceFor(search) }, () => campaigns.exec())).map(
      ({ _id }) => _id,
    );
  }

  /** Includes deleted links, whose scans still count. */
  async linksByIds(workspace: string, ids: readonly string[]): Promise<ReadonlyMap<string, Link>> {
    if (ids.length === 0) return new Map();
    const found = await this.links.find({ workspace, _id: { $in: ids } }).lean<Link[]>();
    return new Map(found.map((link) => [link._id, link]));
  }

  /** Counts the active links that match those filters of a selection that apply to links. */
  countActiveLinks({ workspace, filters }: { workspace: string; filters: readonly Filter[] }): Promise<number> {
    const conditions = filters.filter(({ name }) => name in LINK_FILTERS).map(linkCondition);
    const counted = this.links.countDocuments(
      { $and: [{ workspace, status: 'active' }, ...conditions] },
      { maxTimeMS: LIST_MAX_MS },
    );
    const advice = conditions.length > 0 ? 'Use fewer filters.' : null;
    return this.runWideQuery({ workspace, advice }, () => counted.exec());
  }

  private runWideQuery<T>({ workspace, advice }: WideQuery, query: () => Promise<T>): Promise<T> {
    return this.wideQueries.run(workspace, () => readList(query, advice));
  }

  /** @returns true when all of them exist */
  private async raiseLastScanned(ids: string[], scans: ReadonlyMap<string, Date>): Promise<boolean> {
    const updates = ids.map((_id) => ({
      updateOne: {
        filter: { _id },
        update: { $max: { lastScannedAt: scans.get(_id)! }, $currentDate: { notedAt: true as const } },
      },
    }));
    return (await this.links.bulkWrite(updates)).matchedCount === ids.length;
  }
}

function linkCondition({ name, values, isNegated }: Filter): object {
  const { field, none } = LINK_FILTERS[name as keyof typeof LINK_FILTERS];
  const matches: object[] = [{ [field]: { $in: values } }];
  if (none !== undefined && values.includes(none))
    matches.push({ [field]: null }, ...(field === 'tagIds' ? [{ tagIds: { $size: 0 } }] : []));
  return isNegated ? { $nor: matches } : { $or: matches };
}

const adviceFor = (search: string | undefined) => (search === undefined ? null : 'Leave out `search`.');

function searchCondition(search: string | undefined): object {
  return search === undefined ? {} : { $or: SEARCHED_FIELDS.map((field) => ({ [field]: containsPattern(search) })) };
}

/** Matches the links after this one in the order of `latestScannedLinks`. */
function scannedBefore({ _id, lastScannedAt }: RemainingLinksPosition['last']): object[] {
  if (!lastScannedAt) return [{ lastScannedAt: null, _id: { $lt: _id } }];
  return [{ lastScannedAt: null }, { lastScannedAt: { $lt: lastScannedAt } }, { lastScannedAt, _id: { $lt: _id } }];
}

/** Matches text that contains this text, case-insensitive. */
function containsPattern(text: string): RegExp {
  return new RegExp(literalPattern(text), 'i');
}
