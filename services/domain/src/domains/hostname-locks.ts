import { hash } from 'node:crypto';
import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';
import { insertMissing } from '@waymark/kernel/mongo/insert-missing';

interface HostnameLock {
  _id: string;
  version: number;
}

/** Unrelated hostnames that share a lock make each other's transactions retry, which this many make rare. */
const LOCKS = 64;

/**
 * Few rows, each of which stands for many hostnames. The domains of a hostname could not: any number of workspaces may
 * register it before one of them verifies it.
 */
export class HostnameLocks {
  private readonly locks: Model<HostnameLock>;

  constructor(db: Database) {
    const schema = new Schema<HostnameLock>({ _id: String, version: Number }, { versionKey: false });
    this.locks = db.model<HostnameLock>('HostnameLock', schema, 'hostname_locks');
    const rows = Array.from({ length: LOCKS }, (_, index) => ({ _id: String(index), version: 0 }));
    // Before the first transaction: two that insert the same row would not retry on each database.
    db.upgradeBy(this.locks, (locks) => insertMissing(locks, rows));
  }

  /** Forces a retry of concurrent transactions that lock one of these hostnames. */
  async lockHostnames(hostnames: readonly string[], session: ClientSession): Promise<void> {
    // Same order everywhere: two transactions that lock the same rows in different orders would deadlock.
    for (const _id of [...new Set(hostnames.map(lockOf))].sort()) {
      const { matchedCount } = await this.locks.updateOne({ _id }, { $inc: { version: 1 } }, { session });
      if (matchedCount === 0) throw new Error(`the hostname lock ${_id} has no row`);
    }
  }
}

const lockOf = (hostname: string): string => String(hash('sha256', hostname, 'buffer').readUInt32BE() % LOCKS);
