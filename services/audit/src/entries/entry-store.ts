import { Schema, type Model, type QueryFilter } from 'mongoose';
import type { Actor } from '@waymark/shared/contract/identity';
import type { Database } from '@waymark/shared/kernel/database';
import { findPage } from '@waymark/shared/kernel/find-page';
import type { Page, PageOf } from '@waymark/shared/kernel/http/reply';
import { insertMissing } from '@waymark/shared/kernel/insert-missing';
import type { Entry } from './entry.js';
import type { EntryFilter } from './entry-filter.js';

/** The character after the dot: what starts with `link.` is below it. */
const AFTER_DOT = '/';

const actorSchema = new Schema<Actor>(
  { type: { type: String }, id: String, name: String, email: String, token_id: String },
  { _id: false },
);
const schema = new Schema<Entry>({
  _id: String,
  workspace: String,
  eventId: String,
  action: String,
  actor: actorSchema,
  target: Schema.Types.Mixed,
  changes: String,
  ipAddress: String,
  requestId: String,
  createdAt: Date,
});
schema.index({ workspace: 1, createdAt: -1, _id: -1 });
schema.index({ workspace: 1, action: 1, createdAt: -1, _id: -1 });
schema.index({ workspace: 1, eventId: 1 }, { unique: true });

/** The log: it is read and added to, never changed. */
export class EntryStore {
  private readonly entries: Model<Entry>;

  constructor(db: Database) {
    this.entries = db.model<Entry>('Entry', schema, 'entries');
  }

  insertMissing(entries: Entry[]): Promise<void> {
    return insertMissing(this.entries, entries);
  }

  list(workspace: string, filter: EntryFilter, page: Page): Promise<PageOf<Entry>> {
    const where = conditionOf(workspace, filter);
    return findPage(this.entries, where, page);
  }
}

function conditionOf(workspace: string, { action, group, actor, from, to }: EntryFilter): QueryFilter<Entry> {
  return {
    workspace,
    ...(action !== undefined && { action }),
    ...(group !== undefined && { action: { $gte: `${group}.`, $lt: group + AFTER_DOT } }),
    ...(actor !== undefined && {
      $or: [
        { 'actor.id': actor },
        { 'actor.token_id': actor },
        { 'actor.email': { $in: [actor, actor.toLowerCase()] } },
      ],
    }),
    ...((from ?? to) && { createdAt: { ...(from && { $gte: from }), ...(to && { $lte: to }) } }),
  };
}
