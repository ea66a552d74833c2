import { createHmac, hash, hkdfSync } from 'node:crypto';
import { Schema, type Model } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';
import { isDuplicateKey } from '@waymark/kernel/errors';

const KEPT_DAYS = 90;
/** Derives the key of these hashes from one that seals secrets (HKDF, RFC 5869). */
const HASH_PURPOSE = 'waymark known addresses';

interface KnownAddress {
  /** Keyed hash of user and network: without the key, the network cannot be computed from a dump. */
  _id: string;
  /** Absent in rows of 0.1.0. */
  userId?: string;
  seenAt: Date;
}

/**
 * Networks from which users have signed in before.
 * @param keys the first one hashes new addresses, and all of them are tried; without keys the hash is unkeyed
 */
export class KnownAddressStore {
  private readonly addresses: Model<KnownAddress>;
  private readonly hashKeys: Buffer[];

  constructor(db: Database, keys: readonly Buffer[] = []) {
    this.hashKeys = keys.map((key) => Buffer.from(hkdfSync('sha256', key, '', HASH_PURPOSE, 32)));
    const schema = new Schema<KnownAddress>({ _id: String, userId: String, seenAt: Date });
    schema.index({ userId: 1 });
    schema.index({ seenAt: 1 }, { expireAfterSeconds: KEPT_DAYS * 24 * 3600 });
    this.addresses = db.model<KnownAddress>('KnownAddress', schema, 'known_addresses');
  }

  async isKnown(userId: string, network: string): Promise<boolean> {
    return (await this.addresses.exists({ _id: { $in: this.idsOf(userId, network) } }).exec()) !== null;
  }

  async addAddress(userId: string, network: string): Promise<void> {
    const seen = { $set: { userId, seenAt: new Date() } };
    await this.addresses
      .updateOne({ _id: this.idsOf(userId, network)[0] }, seen, { upsert: true })
      .catch((error: unknown) => {
        // A concurrent sign-in has already stored it.
        if (!isDuplicateKey(error)) throw error;
      });
  }

  /** The current id, and those of earlier keys and versions, whose rows expire. */
  private idsOf(userId: string, network: string): string[] {
    const text = `${userId} ${network}`;
    const keyed = this.hashKeys.map((key) => createHmac('sha256', key).update(text).digest('base64url'));
    return [...keyed, hash('sha256', text, 'base64url')];
  }
}
