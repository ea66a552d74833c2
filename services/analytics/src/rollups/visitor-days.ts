import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Database } from '@waymark/shared/kernel/database';
import type { Appearance, CountedScan, Traits } from './traits.js';

/**
 * A visitor who appears in more ways than these on one day is counted for the first ones only: no person does, and what
 * is kept of a visitor must stay small.
 */
const APPEARANCES_MAX = 1000;
const FORGOTTEN_AT_ONCE = 10_000;

interface VisitorDay {
  /** UTC day, workspace and visitor: in this order, so that old days are a range of keys. */
  _id: string;
  /** As JSON: nobody looks into it, and the driver would take several times as long for it. */
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
    const rows = await this.rows.find({ _id: { $in: ids } }, null, { session }).lean<VisitorDay[]>();
    return new Map(rows.map(({ _id, appearances }) => [_id, JSON.parse(appearances) as Appearance[]]));
  }

  /** Puts these in place of what was known. */
  async put(
    days: ReadonlyMap<string, Appearance[]>,
    known: ReadonlyMap<string, unknown>,
    session: ClientSession,
  ): Promise<void> {
    const ids = [...days.keys()].sort();
    const replaced = ids.filter((id) => known.has(id));
    if (replaced.length > 0) await this.rows.deleteMany({ _id: { $in: replaced } }, { session });
    const rows = ids.map((_id) => ({ _id, appearances: JSON.stringify(days.get(_id)) }));
    if (rows.length > 0) await this.rows.collection.insertMany(rows as never[], { session });
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

/** What is known of a visitor's day after this scan. @returns the same array when that is nothing new */
export function withScan(known: Appearance[], { visitor: _, quarter, ...traits }: CountedScan): Appearance[] {
  const index = known.findIndex((appearance) => isSame(appearance, traits));
  if (index < 0) {
    if (known.length >= APPEARANCES_MAX) return known;
    return [...known, { ...traits, first: quarter, last: quarter }];
  }
  const { first, last } = known[index]!;
  if (first <= quarter && quarter <= last) return known;
  return known.with(index, { ...traits, first: Math.min(first, quarter), last: Math.max(last, quarter) });
}

function isSame(a: Traits, b: Traits): boolean {
  return (
    a.linkId === b.linkId &&
    a.campaign === b.campaign &&
    a.trigger === b.trigger &&
    a.isBot === b.isBot &&
    a.values.every((value, index) => value === b.values[index])
  );
}
