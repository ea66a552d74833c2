import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Database } from '@waymark/shared/kernel/database';
import type { Appearance, CountedScan, Traits } from './traits.js';

/**
 * A visitor who appears in more ways than these on one day is counted for the first of them alone, by link id (so the
 * links made first) and then as `compare` has them: what is kept of a visitor must stay small, and whatever order scans
 * are counted in, the same must be left.
 */
export const APPEARANCES_MAX = 1000;
const FORGOTTEN_AT_ONCE = 10_000;
const READ_AT_ONCE = 5000;

interface VisitorDay {
  /** UTC day, workspace and visitor: in this order, so that old days are a range of keys. */
  _id: string;
  /** See `write`: nobody looks into it, and the driver would take several times as long for it. */
  appearances: string;
}

/** How each visitor appeared on a day, for as long as a scan of that day can still have a visitor. */
export class VisitorDayStore {
  private readonly rows: Model<VisitorDay>;

  constructor(db: Database) {
    const schema = new Schema<VisitorDay>({ _id: String, appearances: String });
    this.rows = db.model('VisitorDay', schema, 'visitor_days');
  }

  async find(ids: readonly string[], session: ClientSession): Promise<Map<string, Appearance[]>> {
    const known = new Map<string, Appearance[]>();
    for (let i = 0; i < ids.length; i += READ_AT_ONCE) {
      const some = { _id: { $in: ids.slice(i, i + READ_AT_ONCE) } };
      const rows = await this.rows.find(some, null, { session }).lean<VisitorDay[]>();
      for (const { _id, appearances } of rows) known.set(_id, read(appearances));
    }
    return known;
  }

  /** Puts these in place of what was known. */
  async put(
    days: ReadonlyMap<string, Appearance[]>,
    known: ReadonlyMap<string, unknown>,
    session: ClientSession,
  ): Promise<void> {
    const rows = [...days.keys()].sort().map((_id) => ({ _id, appearances: write(days.get(_id)!) }));
    const replacements = rows
      .filter(({ _id }) => known.has(_id))
      .map((row) => ({ replaceOne: { filter: { _id: row._id }, replacement: row } }));
    const added = rows.filter(({ _id }) => !known.has(_id));
    if (replacements.length > 0) await this.rows.collection.bulkWrite(replacements as never[], { session });
    if (added.length > 0) await this.rows.collection.insertMany(added as never[], { session });
  }

  /** Puts these in place of all that is known of a workspace's day. */
  async replaceDay(
    workspace: string,
    day: number,
    visitors: ReadonlyMap<string, Appearance[]>,
    session: ClientSession,
  ): Promise<void> {
    const prefix = visitorDayId(workspace, day, '');
    await this.rows.deleteMany({ _id: { $gte: prefix, $lt: `${prefix}~` } }, { session });
    await this.put(visitors, new Map(), session);
  }

  /** Forgets the days before `day`, in portions that hold up nobody. */
  async forgetBefore(day: number): Promise<void> {
    for (;;) {
      const old = await this.rows
        .find({ _id: { $lt: dayKey(day) } }, { _id: 1 })
        .limit(FORGOTTEN_AT_ONCE)
        .lean();
      if (old.length === 0) return;
      await this.rows.deleteMany({ _id: { $in: old.map(({ _id }) => _id).sort() } });
    }
  }
}

export function visitorDayId(workspace: string, day: number, visitor: string): string {
  return `${dayKey(day)}|${workspace}|${visitor}`;
}

function dayKey(day: number): string {
  return String(day).padStart(7, '0');
}

/** As JSON without the names of the fields. */
function write(appearances: readonly Appearance[]): string {
  return JSON.stringify(appearances.map(written));
}

function read(text: string): Appearance[] {
  return (JSON.parse(text) as ReturnType<typeof written>[]).map(
    ([linkId, campaign, campaignId, trigger, isBot, device, values, first, last]) => {
      return { linkId, campaign, campaignId, trigger, isBot, device, values, first, last };
    },
  );
}

function written({ linkId, campaign, campaignId, trigger, isBot, device, values, first, last }: Appearance) {
  return [linkId, campaign, campaignId, trigger, isBot, device, values, first, last] as const;
}

/** What is known of a visitor's day after this scan. @returns the same array when that is nothing new */
export function withScan(known: Appearance[], { visitor: _, quarter, ...traits }: CountedScan): Appearance[] {
  const index = positionOf(traits, known);
  const same = known[index];
  if (!same || compare(same, traits) !== 0) {
    if (index === APPEARANCES_MAX) return known;
    return known.toSpliced(index, 0, { ...traits, first: quarter, last: quarter }).slice(0, APPEARANCES_MAX);
  }
  const { first, last } = same;
  if (first <= quarter && quarter <= last) return known;
  return known.with(index, { ...traits, first: Math.min(first, quarter), last: Math.max(last, quarter) });
}

/** Where it is in these, which are in order, or where it belongs. */
function positionOf(traits: Traits, known: readonly Traits[]): number {
  let [low, high] = [0, known.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compare(known[middle]!, traits) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** By link, then by campaign, trigger, kind and values: 0 for the same alone. */
function compare(a: Traits, b: Traits): number {
  return (
    compareTexts(a.linkId, b.linkId) ||
    compareTexts(a.campaign ?? '', b.campaign ?? '') ||
    compareTexts(a.trigger, b.trigger) ||
    Number(a.isBot) - Number(b.isBot) ||
    compareNumbers(a.values, b.values)
  );
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function compareNumbers(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((value, at) => value !== b[at]);
  return index < 0 ? 0 : a[index]! - b[index]!;
}
