import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';
import { dayOf, type Day, type Days } from './days.js';
import type { Entry } from './entry.js';
import type { EntryFilter } from './entry-filter.js';
import { actorFacet, actorFacetsOf, ALL, groupOf } from './facets.js';

/** Entry counts of one day, for one actor or for all: in total, per group and per action. */
interface Tally {
  /** Workspace, actor's facet and day. */
  _id: string;
  all: number;
  groups: Record<string, number>;
  actions: Record<string, Record<string, number>>;
}

export interface DayCount {
  day: Day;
  count: number;
}

const DAY_LENGTH = 10;
/** Most pages show the newest days. */
const DAYS_AT_FIRST = 20;
const DAYS_AT_ONCE = 1000;

/** Counts matching entries from stored totals. They are exact: the transaction that appends entries updates them. */
export class TallyStore {
  private readonly tallies: Model<Tally>;

  constructor(db: Database) {
    const schema = new Schema<Tally>({ _id: String, all: Number, groups: Object, actions: Object });
    this.tallies = db.model<Tally>('Tally', schema, 'tallies');
  }

  async add(entries: Entry[], session: ClientSession): Promise<void> {
    const increments = incrementsOf(entries);
    // Same order everywhere: two writers that lock the same rows in different orders would deadlock.
    const updates = [...increments.keys()].sort().map((_id) => ({
      updateOne: { filter: { _id }, update: { $inc: increments.get(_id)! }, upsert: true },
    }));
    await this.tallies.bulkWrite(updates, { session, ordered: true });
  }

  async total(workspace: string, filter: EntryFilter, { first, last }: Days): Promise<number> {
    const idOn = idsOf(workspace, filter);
    const [sum] = await this.tallies.aggregate<{ count: number }>([
      { $match: { _id: { $gte: idOn(first), $lte: idOn(last) } } },
      { $group: { _id: null, count: { $sum: `$${pathOf(filter)}` } } },
    ]);
    return sum?.count ?? 0;
  }

  /** Yields the days that have matching entries, newest first. */
  async *days(workspace: string, filter: EntryFilter, { first, last }: Days): AsyncGenerator<DayCount> {
    const idOn = idsOf(workspace, filter);
    const path = pathOf(filter);
    let upTo: object = { $lte: idOn(last) };
    for (let limit = DAYS_AT_FIRST; ; limit = DAYS_AT_ONCE) {
      const rows = await this.tallies.aggregate<{ _id: string; count: number }>([
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
    for (const facet of [ALL, ...actorFacetsOf(entry)]) {
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
  return (day) => idOf(workspace, actor === undefined ? ALL : actorFacet(actor), day);
}

function pathOf({ action, group }: EntryFilter): string {
  if (action !== undefined) return `actions.${action}`;
  return group === undefined ? 'all' : `groups.${group}`;
}
