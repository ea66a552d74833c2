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

  async setPassword(id: string, passwordHash: string): Promise<void> {
    await this.users.updateOne({ _id: id }, { $set: { passwordHash } });
  }
}

/** Returns the form in which e-mails are compared, case-insensitive. */
export function emailKey(email: string): string {
  return email.trim().toLowerCase();
}
