import { Schema, type ClientSession, type Model } from 'mongoose';
import type { LinkStatus } from '@waymark/shared/contract/links';
import type { Database } from '@waymark/shared/kernel/database';

/** How many links of each status a workspace has. */
export type Counts = Record<LinkStatus, number>;
interface Counter extends Counts {
  _id: string;
}

/** In step with the links: counted in the transaction of each change. */
export class CounterStore {
  private readonly counters: Model<Counter>;

  constructor(db: Database) {
    const schema = new Schema<Counter>({ _id: String, active: Number, archived: Number });
    this.counters = db.model<Counter>('Counter', schema, 'counters');
  }

  async of(workspace: string, session?: ClientSession): Promise<Counts> {
    const counter = await this.counters.findById(workspace, null, { session }).lean<Counter>();
    return { active: counter?.active ?? 0, archived: counter?.archived ?? 0 };
  }

  /** Counts a change unless more than `activeMax` were active after it: exact, however many count at a time. */
  async add(
    workspace: string,
    change: Counts,
    activeMax: number | null,
    session: ClientSession,
  ): Promise<'counted' | 'too_many'> {
    const guard = change.active > 0 && activeMax !== null ? { active: { $lte: activeMax - change.active } } : {};
    const counted = await this.counters.updateOne({ _id: workspace, ...guard }, { $inc: change }, { session });
    if (counted.matchedCount === 1) return 'counted';
    if (await this.counters.findById(workspace, null, { session }).lean()) return 'too_many';
    if (activeMax !== null && change.active > activeMax) return 'too_many';
    // Of two that are first at the same time one begins again.
    await this.counters.insertMany([{ _id: workspace, ...change }], { session, lean: true });
    return 'counted';
  }

  async set(workspace: string, counts: Counts, session: ClientSession): Promise<void> {
    const { matchedCount } = await this.counters.updateOne({ _id: workspace }, { $set: counts }, { session });
    if (matchedCount === 0) await this.counters.insertMany([{ _id: workspace, ...counts }], { session, lean: true });
  }
}
