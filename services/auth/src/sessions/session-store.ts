import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';

export interface Session {
  _id: string;
  /** Hash of the cookie's value, which is not stored. */
  hash: string;
  userId: string;
  createdAt: Date;
  expiresAt: Date;
}

/** More are left only after the limit was lowered; the next sign-in deletes more of them. */
const DELETED_MAX = 20;

export class SessionStore {
  private readonly sessions: Model<Session>;

  constructor(db: Database) {
    const schema = new Schema<Session>({ _id: String, hash: String, userId: String, createdAt: Date, expiresAt: Date });
    schema.index({ hash: 1 }, { unique: true });
    schema.index({ userId: 1, createdAt: -1 });
    schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
    this.sessions = db.model<Session>('Session', schema, 'sessions');
  }

  async insertSession(session: Session, transaction: ClientSession): Promise<void> {
    await this.sessions.insertMany([session], { session: transaction, lean: true });
  }

  /** Each with the database's time of the look-up, to check its expiry. */
  findSessionsByHash(hashes: string[]): Promise<(Session & { now: Date })[]> {
    return this.sessions.aggregate<Session & { now: Date }>([
      { $match: { hash: { $in: hashes } } },
      { $set: { now: '$$NOW' } },
    ]);
  }

  /** Deletes all but the newest sessions of a user, at most `DELETED_MAX` at a time. @returns the deleted sessions */
  async deleteOldestSessions(userId: string, keptMax: number, transaction: ClientSession): Promise<Session[]> {
    const oldest = await this.sessions
      .find({ userId }, null, { session: transaction })
      .sort({ createdAt: -1, _id: -1 })
      .skip(keptMax)
      .limit(DELETED_MAX)
      .lean<Session[]>();
    if (oldest.length === 0) return [];
    await this.sessions.deleteMany({ _id: { $in: oldest.map(({ _id }) => _id) } }, { session: transaction });
    return oldest;
  }

  deleteSession(id: string, transaction: ClientSession): Promise<Session | null> {
    return this.sessions.findOneAndDelete({ _id: id }, { session: transaction }).lean<Session>().exec();
  }
}
