import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';
import { dayOf, type Day, type DayRange } from './days.js';
import type { Entry } from '../chain/entry.js';
import type { EntryFilter } from './entry-filter.js';
import type { EntryQuery } from './entry-store.js';
import { actorFacet, actorFacetsOf, ALL_ENTRIES, groupOf } from './facets.js';

/** Entry counts of one day, for one actor or for all: in total, per group and per action. */
interface StoredDayCounts {
  /** Workspace, actor's facet and day. */
  _id: string;
  all: number;
  groups: Record<string, number>;
  actions: Record<string, Record<string, number>>;
}

/** Names the stored counts of one day for one actor. */
export interface ActorCount {
  workspace: string;
  /** An id or an e-mail address. */
  name: string;
  /** `null` for every day. */
  day: Day | null;
}

export interface DayCount {
  day: Day;
  count: number;
}

const DAY_LENGTH = 10;
/** Most pages show the newest days. */
const FIRST_PAGE_DAYS = 20;
const PAGE_DAYS = 1000;

/** Counts matching entries from stored totals. They are exact: the transaction that appends entries updates them. */
export class DayCountStore {
  private readonly dayCounts: Model<StoredDayCounts>;

  constructor(db: Database) {
    const schema = new Schema<StoredDayCounts>({ _id: String, all: Number, groups: Object, actions: Object });
    this.dayCounts = db.model<StoredDayCounts>('Tally', schema, 'tallies');
  }

  async addEntries(entries: Entry[], session: ClientSession): Promise<void> {
    const increments = incrementsOf(entries);
    // Same order everywhere: two writers that lock the same rows in different orders would deadlock.
    const updates = [...increments.keys()].sort().map((_id) => ({
      updateOne: { filter: { _id }, update: { $inc: increments.get(_id)! }, upsert: true },
    }));
    await this.dayCounts.bulkWrite(updates, { session, ordered: true });
  }

  async removeCounts(counts: readonly ActorCount[]): Promise<void> {
    const ids = new Set<string>();
    const prefixes = new Set<string>();
    for (const { workspace, name, day } of counts) {
      if (day === null) prefixes.add(idOf(workspace, actorFacet(name), ''));
      else ids.add(idOf(workspace, actorFacet(name), day));
    }
    // `:` is the character after the digits, which days begin with.
    const ranges = [...prefixes].map((prefix) => ({ _id: { $gte: prefix, $lt: `${prefix}:` } }));
    if (ids.size + ranges.length > 0) await this.dayCounts.deleteMany({ $or: [{ _id: { $in: [...ids] } }, ...ranges] });
  }

  async totalCount({ workspace, filter }: EntryQuery, { first, last }: DayRange): Promise<number> {
    const idOn = idsOf(workspace, filter);
    const [sum] = await this.dayCounts.aggregate<{ count: number }>([
      { $match: { _id: { $gte: idOn(first), $lte: idOn(last) } } },
      { $group: { _id: null, count: { $sum: `$${pathOf(filter)}` } } },
    ]);
    return sum?.count ?? 0;
  }

  /** Yields the days that have matching entries, newest first. */
  async *daysWithMatches({ workspace, filter }: EntryQuery, { first, last }: DayRange): AsyncGenerator<DayCount> {
    const idOn = idsOf(workspace, filter);
    const path = pathOf(filter);
    let upTo: object = { $lte: idOn(last) };
    for (let limit = FIRST_PAGE_DAYS; ; limit = PAGE_DAYS) {
      const rows = await this.dayCounts.aggregate<{ _id: string; count: number }>([
        { $match: { _id: { $gte: idOn(first), ...upTo }, [path]: { $gt: 0 } } },
        { $sort: { _id: -1 } },
        { $limit: limit },
        { $project: { count: `$${path}` } },
      ]);
      for (const { _id, count } of rows) yield { day: _id.slice(-DAY_LENGTH), count };
      if (rows.length < limit) return;
      upTo = { $lt: rows.at(-1)!._id };
    }
  }
}

function incrementsOf(entries: Entry[]): Map<string, Record<string, number>> {
  const increments = new Map<string, Record<string, number>>();
  for (const entry of entries) {
    for (const facet of [ALL_ENTRIES, ...actorFacetsOf(entry)]) {
      const _id = idOf(entry.workspace, facet, dayOf(entry.createdAt));
      const counts = increments.get(_id) ?? {};
      for (const path of ['all', `groups.${groupOf(entry.action)}`, `actions.${entry.action}`]) {
        counts[path] = (counts[path] ?? 0) + 1;
      }
      increments.set(_id, counts);
    }
  }
  return increments;
}

const idOf = (workspace: string, facet: string, day: Day): string => `${workspace} ${facet} ${day}`;

function idsOf(workspace: string, { actor }: EntryFilter): (day: Day) => string {
  return (day) => idOf(workspace, actor === undefined ? ALL_ENTRIES : actorFacet(actor), day);
}

function pathOf({ action, group }: EntryFilter): string {
  if (action !== undefined) return `actions.${action}`;
  return group === undefined ? 'all' : `groups.${group}`;
}
