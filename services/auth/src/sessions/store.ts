import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Database } from '@waymark/shared/kernel/database';

export interface Session {
  _id: string;
  /** Of the cookie's value, which is stored nowhere. */
  hash: string;
  userId: string;
  createdAt: Date;
  expiresAt: Date;
}

export class SessionStore {
  private readonly sessions: Model<Session>;

  constructor(db: Database) {
    const schema = new Schema<Session>({ _id: String, hash: String, userId: String, createdAt: Date, expiresAt: Date });
    schema.index({ hash: 1 }, { unique: true });
    schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
    this.sessions = db.model<Session>('Session', schema, 'sessions');
  }

  async insert(session: Session, transaction: ClientSession): Promise<void> {
    await this.sessions.insertMany([session], { session: transaction, lean: true });
  }

  /** Each with the database's time of the look-up, by which it expires. */
  byHashes(hashes: string[]): Promise<(Session & { now: Date })[]> {
    return this.sessions.aggregate<Session & { now: Date }>([
      { $match: { hash: { $in: hashes } } },
      { $set: { now: '$$NOW' } },
    ]);
  }

  delete(id: string, transaction: ClientSession): Promise<Session | null> {
    return this.sessions.findOneAndDelete({ _id: id }, { session: transaction }).lean<Session>().exec();
  }
}
