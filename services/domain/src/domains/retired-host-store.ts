import { hash } from 'node:crypto';
import { Schema, type Model } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';

/** A host that served links of an erased workspace, as a hash: they answer 410 while no workspace serves the host. */
interface RetiredHost {
  _id: string;
  retiredAt: Date;
}

/** Longer than printed links are used; afterwards they answer 404. */
const KEPT_DAYS = 5 * 365;

export class RetiredHostStore {
  private readonly hosts: Model<RetiredHost>;

  constructor(db: Database) {
    const schema = new Schema<RetiredHost>({ _id: String, retiredAt: Date }, { versionKey: false });
    schema.index({ retiredAt: 1 }, { expireAfterSeconds: KEPT_DAYS * 24 * 3600 });
    this.hosts = db.model<RetiredHost>('RetiredHost', schema, 'retired_hosts');
  }

  /** Idempotent. */
  async retireHosts(hostnames: string[]): Promise<void> {
    if (hostnames.length === 0) return;
    const retiredAt = new Date();
    await this.hosts.bulkWrite(
      hostnames.map(hashOf).map((_id) => ({
        updateOne: { filter: { _id }, update: { $setOnInsert: { retiredAt } }, upsert: true },
      })),
      { ordered: false },
    );
  }

  async hasHost(hostname: string): Promise<boolean> {
    return (await this.hosts.exists({ _id: hashOf(hostname) })) !== null;
  }
}

const hashOf = (hostname: string): string => hash('sha256', hostname, 'base64url');
