import { Schema, type Model } from 'mongoose';
import type { Event } from '@waymark/contract/event';
import type { Database, Transaction } from './database.js';
import { isDuplicateKey } from '../errors.js';

/** Longer than any parked message is expected to wait for its replay. */
const KEPT_DAYS = 30;

interface InboxRow {
  _id: string;
  at: Date;
}

/** Remembers which events have taken effect, in the transaction of the effect: each takes effect exactly once. */
export class Inbox {
  private readonly rows: Model<InboxRow>;

  constructor(private readonly db: Database) {
    const schema = new Schema<InboxRow>({ _id: String, at: Date });
    schema.index({ at: 1 }, { expireAfterSeconds: KEPT_DAYS * 24 * 3600 });
    this.rows = db.model<InboxRow>('Inbox', schema, 'inbox');
  }

  /** Runs `effect` with those of the events that have had none yet. */
  async applyOnce<Data>(
    consumer: string,
    events: Event<Data>[],
    effect: (fresh: Event<Data>[], tx: Transaction) => Promise<void>,
  ): Promise<void> {
    try {
      await this.attempt(consumer, events, effect);
    } catch (error) {
      // Another replica had the same event and was first: now it is seen.
      if (!isDuplicateKey(error)) throw error;
      await this.attempt(consumer, events, effect);
    }
  }

  private async attempt<Data>(
    consumer: string,
    events: Event<Data>[],
    effect: (fresh: Event<Data>[], tx: Transaction) => Promise<void>,
  ): Promise<void> {
    const byKey = new Map(events.map((event) => [`${consumer}:${event.id}`, event]));
    const keys = [...byKey.keys()].sort();
    await this.db.transaction(async (tx) => {
      const seen = await this.rows.find({ _id: { $in: keys } }, { _id: 1 }, { session: tx.session }).lean();
      const seenKeys = new Set(seen.map((row) => row._id));
      const freshKeys = keys.filter((key) => !seenKeys.has(key));
      if (freshKeys.length === 0) return;
      const appliedAt = new Date();
      await this.rows.insertMany(
        freshKeys.map((_id) => ({ _id, at: appliedAt })),
        { session: tx.session, lean: true },
      );
      await effect(
        freshKeys.map((key) => byKey.get(key)!),
        tx,
      );
    });
  }
}
