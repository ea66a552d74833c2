import { Schema, type Model } from 'mongoose';
import { isDuplicateKey } from '@waymark/kernel/errors';
import type { Database } from '@waymark/kernel/mongo/database';
import type { AnchorKeys } from '../chain/anchor-keys.js';
import type { Entry } from '../chain/entry.js';
import { ENTRY_FIELDS } from './entry-store.js';
import { addPersonalIndexes, PersonalEntries } from './personal-entries.js';

/** An entry of a blocked log. */
export interface WaitingEntry extends Entry {
  /** The order among the waiting entries of the log. */
  number: number;
  /** Ed25519, base64url: no chain protects the entry yet. */
  signature: string;
}

const ATTEMPTS_MAX = 3;

const schema = new Schema<WaitingEntry>({ ...ENTRY_FIELDS, number: Number, signature: String });
schema.index({ workspace: 1, number: 1 }, { unique: true });
addPersonalIndexes(schema);

/** Keeps the entries of blocked logs in their order, until they can be appended. */
export class WaitingStore {
  private readonly waiting: Model<WaitingEntry>;
  readonly personal: PersonalEntries<WaitingEntry>;

  constructor(
    db: Database,
    private readonly keys: AnchorKeys,
  ) {
    this.waiting = db.model<WaitingEntry>('WaitingEntry', schema, 'waiting_entries');
    this.personal = new PersonalEntries(this.waiting);
  }

  /** Returns those of the workspaces that have waiting entries. */
  async workspacesWithEntries(workspaces: ReadonlySet<string>): Promise<Set<string>> {
    const isAnyWaiting = await this.waiting.exists({});
    if (!isAnyWaiting) return new Set();
    const found = await Promise.all([...workspaces].map((workspace) => this.waiting.exists({ workspace })));
    return new Set([...workspaces].filter((_, index) => found[index] !== null));
  }

  /** Adds the entries behind those of their logs that wait already. Idempotent. */
  async addEntries(entries: Entry[]): Promise<void> {
    for (const workspace of new Set(entries.map((entry) => entry.workspace))) {
      await this.addOfLog(
        workspace,
        entries.filter((entry) => entry.workspace === workspace),
      );
    }
  }

  private async addOfLog(workspace: string, entries: Entry[]): Promise<void> {
    const ids = entries.map(({ _id }) => _id);
    for (let attempt = 1; ; attempt += 1) {
      const stored = new Set((await this.waiting.find({ _id: { $in: ids } }, { _id: 1 }).lean()).map(({ _id }) => _id));
      const last = await this.waiting.findOne({ workspace }, { number: 1 }).sort({ number: -1 }).lean<WaitingEntry>();
      const rows = entries
        .filter(({ _id }) => !stored.has(_id))
        .map((entry, index) => this.sign(entry, (last?.number ?? 0) + 1 + index));
      try {
        // In order: if the process ends in between, a redelivered event adds the rest behind them.
        await this.waiting.insertMany(rows, { ordered: true, lean: true });
        return;
      } catch (error) {
        // Another process has taken the number.
        if (!isDuplicateKey(error) || attempt === ATTEMPTS_MAX) throw error;
      }
    }
  }

  /** Returns the next workspace with waiting entries, in the order of their slugs. */
  async workspaceAfter(slug: string): Promise<string | null> {
    const next = await this.waiting
      .findOne({ workspace: { $gt: slug } }, { workspace: 1 })
      .sort({ workspace: 1 })
      .lean<WaitingEntry>();
    return next?.workspace ?? null;
  }

  /** Returns the entries of a log that have waited for the longest time, in order. */
  firstEntries(workspace: string, limit: number): Promise<WaitingEntry[]> {
    return this.waiting.find({ workspace }).sort({ number: 1 }).limit(limit).lean<WaitingEntry[]>().exec();
  }

  async removeEntries(entries: readonly WaitingEntry[]): Promise<void> {
    await this.waiting.deleteMany({ _id: { $in: entries.map(({ _id }) => _id) } });
  }

  /** Stores redacted entries. The driver does it: Mongoose would not find a row by a damaged id. */
  async replaceEntries(entries: readonly WaitingEntry[]): Promise<void> {
    const updates = entries.map(({ _id, actor, target, changes, ipAddress, signature }) => ({
      updateOne: {
        filter: { _id: { $eq: _id } },
        update: { $set: { actor, target, changes, ipAddress, signature } },
      },
    }));
    await this.waiting.collection.bulkWrite(updates as never[], { ordered: false });
  }

  /** Whether the entry is as this service stored it. */
  isGenuine(entry: WaitingEntry): boolean {
    return this.keys.isWaitingSigned(entry);
  }

  /** Signs a redacted entry, unless it was changed outside this service before. */
  signAgain(redacted: WaitingEntry, before: WaitingEntry): WaitingEntry {
    return this.isGenuine(before) ? this.sign(redacted, before.number) : { ...redacted, signature: '' };
  }

  private sign(entry: Entry, number: number): WaitingEntry {
    return { ...entry, number, signature: this.keys.signWaiting(entry, number) };
  }
}
