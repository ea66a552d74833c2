import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';
import { isDuplicateKey } from '@waymark/kernel/errors';
import { hashSecret } from '../../secrets/hash-secret.js';
import { BINDING_LIFETIME_MS } from './browser-binding.js';

/** A person at an identity provider, who signs in as this user. */
export interface ExternalIdentity {
  /** Hash of issuer and subject. */
  _id: string;
  issuer: string;
  subject: string;
  userId: string;
  createdAt: Date;
}

interface UsedCallback {
  /** Hash of the state. */
  _id: string;
  expiresAt: Date;
}

export class IdentityStore {
  private readonly identities: Model<ExternalIdentity>;
  private readonly callbacks: Model<UsedCallback>;

  constructor(private readonly db: Database) {
    const schema = new Schema<ExternalIdentity>({
      _id: String,
      issuer: String,
      subject: String,
      userId: String,
      createdAt: Date,
    });
    // One identity of each provider for a user, also of concurrent sign-ins.
    schema.index({ userId: 1, issuer: 1 }, { unique: true });
    this.identities = db.model<ExternalIdentity>('ExternalIdentity', schema, 'external_identities');
    const callbackSchema = new Schema<UsedCallback>({ _id: String, expiresAt: Date });
    callbackSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
    this.callbacks = db.model<UsedCallback>('UsedCallback', callbackSchema, 'sign_in_callbacks');
  }

  findIdentity(issuer: string, subject: string): Promise<ExternalIdentity | null> {
    return this.identities.findById(idOf(issuer, subject)).lean<ExternalIdentity>().exec();
  }

  findIdentityOf(userId: string, issuer: string): Promise<ExternalIdentity | null> {
    return this.identities.findOne({ userId, issuer }).lean<ExternalIdentity>().exec();
  }

  /** Returns those of the users who are linked to an identity. */
  async findLinkedUsers(userIds: string[]): Promise<ReadonlySet<string>> {
    const filter = { userId: { $in: userIds } };
    const linked = await this.identities.find(filter, { userId: 1 }).lean<ExternalIdentity[]>();
    return new Set(linked.map(({ userId }) => userId));
  }

  /** @returns false when the identity belongs to a user already, or the user has another one of this issuer */
  async insertIdentity(
    { issuer, subject, userId }: Pick<ExternalIdentity, 'issuer' | 'subject' | 'userId'>,
    session: ClientSession,
  ): Promise<boolean> {
    const identity = { _id: idOf(issuer, subject), issuer, subject, userId, createdAt: new Date() };
    try {
      await this.identities.insertMany([identity], { session, lean: true });
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  /** Marks the callback with this state as used. @returns false when it was used before */
  async useCallback(state: string): Promise<boolean> {
    const expiresAt = new Date((await this.db.now()).getTime() + BINDING_LIFETIME_MS);
    try {
      await this.callbacks.insertMany([{ _id: hashSecret(state), expiresAt }], { lean: true });
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }
}

const idOf = (issuer: string, subject: string): string => hashSecret(JSON.stringify([issuer, subject]));
