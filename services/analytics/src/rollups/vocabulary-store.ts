import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Database } from '@waymark/shared/kernel/database';
import { Vocabulary, type Term, type Words } from './vocabulary.js';

/** Words are forgotten with their days, and a flood of them spoils no more than these. */
const DAYS_PER_BLOCK = 32;

interface VocabularyRow {
  _id: string;
  words: Words;
}

/** The vocabulary of each workspace and block of days. */
export class VocabularyStore {
  private readonly rows: Model<VocabularyRow>;

  constructor(db: Database) {
    this.rows = db.model('Vocabulary', new Schema<VocabularyRow>({ _id: String, words: Object }), 'vocabularies');
  }

  async load(ids: readonly string[], session: ClientSession): Promise<Map<string, Vocabulary>> {
    const rows = await this.rows.find({ _id: { $in: ids } }, null, { session }).lean<VocabularyRow[]>();
    const words = new Map(rows.map((row) => [row._id, row.words]));
    return new Map(ids.map((id) => [id, new Vocabulary(words.get(id) ?? {})]));
  }

  async save(vocabularies: ReadonlyMap<string, Vocabulary>, session: ClientSession): Promise<void> {
    const grown = [...vocabularies].filter(([, { added }]) => Object.keys(added).length > 0);
    if (grown.length === 0) return;
    const updates = grown.sort(byId).map(([_id, { added }]) => {
      const $push = Object.fromEntries(
        Object.entries(added).map(([term, words]) => [`words.${term}`, { $each: words }]),
      );
      return { updateOne: { filter: { _id }, update: { $push }, upsert: true } };
    });
    await this.rows.collection.bulkWrite(updates as never[], { session });
  }

  /** The words of one term, by vocabulary. */
  async words(ids: readonly string[], term: Term): Promise<Map<string, (string | null)[]>> {
    const rows = await this.rows.find({ _id: { $in: ids } }, { [`words.${term}`]: 1 }).lean<VocabularyRow[]>();
    return new Map(rows.map((row) => [row._id, row.words[term] ?? []]));
  }

  /** Every campaign that a scan of the workspace has had. */
  async campaigns(workspace: string): Promise<string[]> {
    const rows = await this.rows
      .find({ _id: { $gte: `${workspace}|`, $lt: `${workspace}|~` } }, { 'words.campaign': 1 })
      .lean<VocabularyRow[]>();
    return rows.flatMap(({ words }) => words.campaign ?? []).filter((campaign) => campaign !== null);
  }
}

/** The block of days that a UTC day belongs to. */
function blockOf(day: number): number {
  return Math.floor(day / DAYS_PER_BLOCK);
}

/** A UTC day's words are in this vocabulary. */
export function vocabularyId(workspace: string, day: number): string {
  return `${workspace}|${String(blockOf(day)).padStart(6, '0')}`;
}

function byId([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}
