import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';
import { isDuplicateKey } from '@waymark/kernel/errors';

export interface User {
  _id: string;
  name: string;
  /** As entered; unique, case-insensitive. */
  email: string;
  emailKey: string;
  passwordHash: string;
  createdAt: Date;
  /** Set by the sign-in that began the user's newest session. */
  lastSignedInAt?: Date;
}

export class UserStore {
  private readonly users: Model<User>;

  constructor(db: Database) {
    const schema = new Schema<User>({
      _id: String,
      name: String,
      email: String,
      emailKey: String,
      passwordHash: String,
      createdAt: Date,
      lastSignedInAt: Date,
    });
    schema.index({ emailKey: 1 }, { unique: true });
    this.users = db.model<User>('User', schema, 'users');
  }

  async insertUser(user: Omit<User, 'emailKey'>, session: ClientSession): Promise<'inserted' | 'email_taken'> {
    try {
      await this.users.insertMany([{ ...user, emailKey: emailKey(user.email) }], { session, lean: true });
      return 'inserted';
    } catch (error) {
      if (isDuplicateKey(error)) return 'email_taken';
      throw error;
    }
  }

  findUser(id: string): Promise<User | null> {
    return this.users.findById(id).lean<User>().exec();
  }

  findUsers(ids: string[]): Promise<User[]> {
    return this.users
      .find({ _id: { $in: ids } })
      .lean<User[]>()
      .exec();
  }

  findUserByEmail(email: string): Promise<User | null> {
    return this.users
      .findOne({ emailKey: emailKey(email) })
      .lean<User>()
      .exec();
  }

  async setName(id: string, name: string, session: ClientSession): Promise<void> {
    await this.users.updateOne({ _id: id }, { $set: { name } }, { session });
  }

  async setPassword(id: string, passwordHash: string, session?: ClientSession): Promise<void> {
    await this.users.updateOne({ _id: id }, { $set: { passwordHash } }, { session });
  }

  /**
   * Writes to the user, so that a concurrent change of the password conflicts with this transaction.
   * @returns false when the password is no longer the one that was checked
   */
  async markSignedIn(user: User, session: ClientSession): Promise<boolean> {
    const filter = { _id: user._id, passwordHash: user.passwordHash };
    const update = { $set: { lastSignedInAt: new Date() } };
    return (await this.users.updateOne(filter, update, { session })).matchedCount === 1;
  }
}

/** Returns the form in which e-mails are compared, case-insensitive. */
export function emailKey(email: string): string {
  return email.trim().toLowerCase();
}
