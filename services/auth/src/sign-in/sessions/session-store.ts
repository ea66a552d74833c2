import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';

export interface Session {
  _id: string;
  /** Hash of the cookie's value, which is not stored. */
  hash: string;
  userId: string;
  createdAt: Date;
  /** Up to a minute older than the last use; absent from sessions that 0.1.0 started during an upgrade. */
  lastSeenAt?: Date;
  expiresAt: Date;
  ipAddress: string | null;
  userAgent: string | null;
  /** An identity provider has proven the user: it is responsible for a second factor. */
  isByProvider?: boolean;
  /** When the user last confirmed this session with the password. */
  reauthenticatedAt?: Date;
}

/** More are left only after the limit was lowered; the next sign-in deletes more of them. */
const DELETED_MAX = 20;

export class SessionStore {
  private readonly sessions: Model<Session>;

  constructor(
    db: Database,
    private readonly idleMs: number,
  ) {
    const schema = new Schema<Session>({
      _id: String,
      hash: String,
      userId: String,
      createdAt: Date,
      lastSeenAt: Date,
      expiresAt: Date,
      ipAddress: String,
      userAgent: String,
      isByProvider: Boolean,
      reauthenticatedAt: Date,
    });
    schema.index({ hash: 1 }, { unique: true });
    schema.index({ userId: 1, createdAt: -1 });
    schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
    this.sessions = db.model<Session>('Session', schema, 'sessions');
  }

  async insertSession(session: Session, transaction: ClientSession): Promise<void> {
    await this.sessions.insertMany([session], { session: transaction, lean: true });
  }

  findSession(id: string): Promise<Session | null> {
    return this.sessions.findById(id).lean<Session>().exec();
  }

  async markReauthenticated(id: string, reauthenticatedAt: Date): Promise<void> {
    await this.sessions.updateOne({ _id: id }, { $set: { reauthenticatedAt } });
  }

  /** Skips ended sessions. Each with the database's time of the look-up. */
  async findSessionsByHash(hashes: string[]): Promise<(Session & { now: Date })[]> {
    const sessions = await this.sessions.aggregate<Session & { now: Date }>([
      { $match: { hash: { $in: hashes } } },
      { $set: { now: '$$NOW' } },
    ]);
    return sessions.filter((session) => this.isActive(session, session.now));
  }

  /** Returns the active sessions of a user, newest first. */
  async listSessions(userId: string, now: Date): Promise<Session[]> {
    const sessions = await this.sessions.find({ userId }).sort({ createdAt: -1, _id: -1 }).lean<Session[]>();
    return sessions.filter((session) => this.isActive(session, now));
  }

  /** Skips deleted sessions, and those marked less than `intervalMs` before. */
  async markUsed(uses: { id: string; at: Date }[], intervalMs: number): Promise<void> {
    await this.sessions.bulkWrite(
      uses.map(({ id, at }) => ({
        updateOne: {
          filter: { _id: id, lastSeenAt: { $not: { $gt: new Date(at.getTime() - intervalMs) } } },
          update: { $set: { lastSeenAt: at } },
        },
      })),
      { ordered: false },
    );
  }

  private isActive({ expiresAt, createdAt, lastSeenAt }: Session, now: Date): boolean {
    // During an upgrade a process of 0.1.0 may still start sessions without it.
    const usedAt = lastSeenAt ?? createdAt;
    // A damaged row without times is not active: an error would fail the whole batch.
    return expiresAt > now && usedAt > new Date(now.getTime() - this.idleMs);
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

  deleteSession(id: string, userId: string, transaction: ClientSession): Promise<Session | null> {
    return this.sessions.findOneAndDelete({ _id: id, userId }, { session: transaction }).lean<Session>().exec();
  }

  /** Deletes all sessions of a user but one. @returns how many */
  async deleteOtherSessions(userId: string, keptId: string | null, transaction: ClientSession): Promise<number> {
    const filter = { userId, ...(keptId !== null && { _id: { $ne: keptId } }) };
    return (await this.sessions.deleteMany(filter, { session: transaction })).deletedCount;
  }
}
