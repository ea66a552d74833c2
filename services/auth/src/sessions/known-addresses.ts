import { hash } from 'node:crypto';
import { Schema, type Model } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';
import { isDuplicateKey } from '@waymark/kernel/errors';

const KEPT_DAYS = 90;

interface KnownAddress {
  /** Hash of user and network. */
  _id: string;
  /** Absent in rows of 0.1.0. */
  userId?: string;
  seenAt: Date;
}

/** Networks from which users have signed in before. */
export class KnownAddressStore {
  private readonly addresses: Model<KnownAddress>;

  constructor(db: Database) {
    const schema = new Schema<KnownAddress>({ _id: String, userId: String, seenAt: Date });
    schema.index({ userId: 1 });
    schema.index({ seenAt: 1 }, { expireAfterSeconds: KEPT_DAYS * 24 * 3600 });
    this.addresses = db.model<KnownAddress>('KnownAddress', schema, 'known_addresses');
  }

  async isKnown(userId: string, network: string): Promise<boolean> {
    return (await this.addresses.exists({ _id: idOf(userId, network) }).exec()) !== null;
  }

  async addAddress(userId: string, network: string): Promise<void> {
    const seen = { $set: { userId, seenAt: new Date() } };
    await this.addresses.updateOne({ _id: idOf(userId, network) }, seen, { upsert: true }).catch((error: unknown) => {
      // A concurrent sign-in has already stored it.
      if (!isDuplicateKey(error)) throw error;
    });
  }
}

function idOf(userId: string, network: string): string {
  return hash('sha256', `${userId} ${network}`, 'base64url');
}
